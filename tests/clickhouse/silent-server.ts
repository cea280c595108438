import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { atEnd } from '../setup/at-end.ts'

/** A proxy that can become silent: it still accepts connections, but forwards nothing. */
export async function openSilenceable(address: string): Promise<{ readonly port: number; silence(): void }> {
  const { hostname, port } = new URL(address)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    if (isSilent) return void socket.resume()
    const upstream = connect(Number(port), hostname).on('error', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      isSilent = true
      for (const socket of sockets) socket.unpipe().resume()
    },
  }
}
