import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { atEnd } from '../setup/at-end.ts'

/**
 * A proxy that can become silent: it still accepts connections, but forwards nothing. It can also end every connection
 * that sends a text.
 */
export async function openSilenceable(address: string) {
  const { hostname, port } = new URL(address)
  const sockets = new Set<Socket>()
  let isSilent = false
  let refused: string | undefined
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    if (isSilent) return void socket.resume()
    socket.on('data', (chunk) => refused !== undefined && chunk.includes(refused) && socket.destroy())
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
    endAt: (text: string) => (refused = text),
    silence() {
      isSilent = true
      for (const socket of sockets) socket.unpipe().resume()
    },
  }
}
