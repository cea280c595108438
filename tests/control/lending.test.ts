import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { borrowEndpoint, lendEndpoint } from '../../src/engine/lend-endpoint.ts'
import type { Endpoint } from '../../src/engine/private-engine.ts'

const endpoint: Endpoint = {
  url: 'http://127.0.0.1:4711',
  users: {
    writer: { name: 'adcube_writer', password: 'planted-writer-8Kd2' },
    reader: { name: 'adcube_reader', password: 'planted-reader-8Kd2' },
  },
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-lend-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function lend(folder: string, findEndpoint: () => Endpoint | undefined = () => endpoint) {
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => logged.push(line) })
  const lending = await lendEndpoint(folder, findEndpoint, log)
  onTestFinished(() => lending.close())
  return { ...lending, logged }
}

/** Somebody who is no lender of ours. */
async function pretend(folder: string, answer: (socket: Socket) => void): Promise<void> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    answer(socket)
  }).listen(join(folder, 'lend.sock'))
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
}

/** What is left of a lender that was killed. */
async function leaveStaleSocket(folder: string): Promise<void> {
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  await once(spawn(process.execPath, ['-e', script, join(folder, 'lend.sock')]), 'exit')
  expect((await stat(join(folder, 'lend.sock'))).isSocket()).toBe(true)
}

it('gives what is lent, as often as it is asked for, until the lender closes', async () => {
  const folder = await makeFolder()
  const { close, logged } = await lend(folder)
  const answers = await Promise.all(Array.from({ length: 20 }, () => borrowEndpoint(folder)))
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(endpoint)]))
  await close()
  expect(await readdir(folder)).toEqual([])
  expect(await borrowEndpoint(folder)).toBeUndefined()
  expect(logged).toEqual([])
  await close()
})

it('lends by a socket that is its owner’s alone, and by no file', async () => {
  const folder = await makeFolder()
  await lend(folder)
  expect(await readdir(folder)).toEqual(['lend.sock'])
  const socket = await stat(join(folder, 'lend.sock'))
  expect({ isSocket: socket.isSocket(), mode: socket.mode & 0o777 }).toEqual({ isSocket: true, mode: 0o600 })
  await expect(readFile(join(folder, 'lend.sock'))).rejects.toThrow('ENXIO')
})

it('says one line and hangs up, whether or not the other does', async () => {
  const folder = await makeFolder()
  const { close } = await lend(folder)
  const open = connect({ path: join(folder, 'lend.sock'), allowHalfOpen: true })
  onTestFinished(() => void open.destroy())
  expect(await text(open)).toBe(`${JSON.stringify(endpoint)}\n`)
  const silent = connect({ path: join(folder, 'lend.sock'), allowHalfOpen: true })
  onTestFinished(() => void silent.destroy())
  await once(silent, 'connect')
  await close()
})

it('finds nobody where there is no folder, no socket, a stale socket or another file', async () => {
  const folder = await makeFolder()
  expect(await borrowEndpoint(join(folder, 'nowhere'))).toBeUndefined()
  expect(await borrowEndpoint(folder)).toBeUndefined()
  await leaveStaleSocket(folder)
  expect(await borrowEndpoint(folder)).toBeUndefined()
  await rm(join(folder, 'lend.sock'))
  await writeFile(join(folder, 'lend.sock'), JSON.stringify(endpoint))
  expect(await borrowEndpoint(folder)).toBeUndefined()
})

it('lends in place of a stale socket', async () => {
  const folder = await makeFolder()
  await leaveStaleSocket(folder)
  const { logged } = await lend(folder)
  expect(await borrowEndpoint(folder)).toEqual(endpoint)
  expect(logged).toEqual([])
})

it('waits for an engine that is being started again', async () => {
  const folder = await makeFolder()
  let asked = 0
  await lend(folder, () => (++asked > 3 ? endpoint : undefined))
  expect(await borrowEndpoint(folder)).toEqual(endpoint)
  expect(asked).toBe(4)
})

it('says that the engine is away when it does not come back, which is not the same as nobody', async () => {
  const folder = await makeFolder()
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  await lend(folder, () => {
    vi.setSystemTime(Date.now() + 25_000)
    return undefined
  })
  await expect(borrowEndpoint(folder)).rejects.toMatchObject({ name: 'EngineError', trouble: 'away' })
})

const { writer } = endpoint.users
it.each([
  ['nothing', ''],
  ['no JSON', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['half an answer', JSON.stringify(endpoint).slice(0, -9)],
  ['a number', '7\n'],
  ['a list', '[]\n'],
  ['no users', JSON.stringify({ url: endpoint.url })],
  ['one user', JSON.stringify({ url: endpoint.url, users: { writer } })],
  ['no password', JSON.stringify({ url: endpoint.url, users: { writer, reader: { name: 'x' } } })],
  [
    'a password that is none',
    JSON.stringify({ url: endpoint.url, users: { writer, reader: { name: 'x', password: 1 } } }),
  ],
  ['another machine', JSON.stringify({ ...endpoint, url: 'http://192.0.2.1:8123' })],
  ['an address that only begins as ours', JSON.stringify({ ...endpoint, url: 'http://127.0.0.1:1@192.0.2.1:8123' })],
  ['more than an endpoint', `${JSON.stringify(endpoint)}${' '.repeat(10_000)}`],
])('takes %s for nobody', async (_, answer) => {
  const folder = await makeFolder()
  await pretend(folder, (socket) => socket.end(answer))
  expect(await borrowEndpoint(folder)).toBeUndefined()
})

it.each([
  ['is silent', () => {}],
  [
    'says one byte at a time',
    (socket: Socket) => void setInterval(() => socket.writable && socket.write(' '), 500).unref(),
  ],
])('does not wait for a lender that %s', { timeout: 20_000 }, async (_, answer) => {
  const folder = await makeFolder()
  await pretend(folder, answer)
  expect(await borrowEndpoint(folder)).toBeUndefined()
})

it('goes by the shorter path, and warns once where both are too long', async () => {
  const home = process.cwd()
  onTestFinished(() => process.chdir(home))
  const folder = join(await makeFolder(), 'long'.repeat(30))
  await mkdir(folder)
  const far = await lend(folder)
  expect(far.logged).toHaveLength(1)
  expect(far.logged[0]).toMatch(/too long.*other commands cannot share the engine while this process runs/)
  expect(await borrowEndpoint(folder)).toBeUndefined()
  expect(await readdir(folder)).toEqual([])
  await far.close()

  process.chdir(folder)
  const near = await lend(folder)
  expect(near.logged).toEqual([])
  expect(await borrowEndpoint(folder)).toEqual(endpoint)
  await near.close()
  expect(await readdir(folder)).toEqual([])
})

it('only warns where no socket can be made', async () => {
  const folder = await makeFolder()
  await mkdir(join(folder, 'lend.sock'))
  const { logged, close } = await lend(folder)
  expect(logged).toHaveLength(1)
  expect(logged[0]).not.toContain('planted')
  await close()
  await access(join(folder, 'lend.sock'))
})
