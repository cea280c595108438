import { chanceFor, type Chance } from './chance.ts'
import { Connection, open, type Answer } from './connection.ts'
import type { FuzzRequest } from './requests.ts'

type Exchange = {
  readonly name: string
  /** Chunks to send, one write each. */
  readonly pieces: readonly Buffer[]
  /** The largest possible number of answers. */
  readonly answersMax: number
  /** Closes without reading an answer. Otherwise the client ends its side, and reads on. */
  readonly hangsUp?: true
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Requests with two contradicting lengths of a body, which the server must reject. */
const conflicts: readonly string[] = [
  'content-length: 5\r\ncontent-length: 6',
  'content-length: 5\r\ntransfer-encoding: chunked',
  'transfer-encoding: chunked\r\ntransfer-encoding: identity',
  'transfer-encoding: xchunked',
  'transfer-encoding : chunked',
  'transfer-encoding: chunked, identity',
  'content-length: -1',
  'content-length: +5',
  'content-length: 5 5',
  'content-length: 0x5',
  'content-length: 99999999999999999999',
  'content-length: 1e3',
  ' content-length: 5',
  'content-length:\t5\r\n folded: 1',
  'content-length: 5\n',
  'host: 127.0.0.1\r\nhost: evil.example',
  'bad name: x',
  'no colon at all',
  ': empty name',
  'x: \0',
  'x: a\rb',
]

const oddities: readonly string[] = [
  'GET /healthz HTTP/1.1\r\n\r\n',
  'GET /healthz HTTP/1.0\r\n\r\n',
  'GET /healthz HTTP/0.9\r\n\r\n',
  'GET /healthz HTTP/2.0\r\nhost: x\r\n\r\n',
  'GET /healthz HTTP/1.1 extra\r\nhost: x\r\n\r\n',
  'GET /healthz\r\n\r\n',
  'GET  /healthz  HTTP/1.1\r\nhost: x\r\n\r\n',
  'get /healthz http/1.1\r\nhost: x\r\n\r\n',
  '\r\n\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  'CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT /v2/data HTTP/1.1\r\nhost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: x\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: x\r\nexpect: a-pony\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'SSH-2.0-OpenSSH_9.6\r\n',
  '*1\r\n$4\r\nPING\r\n',
  '\0\0\0\0',
  'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n',
  'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n',
  `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`,
]

/** Makes an ordinary request into broken HTTP. */
function makeExchange(chance: Chance, { bytes }: FuzzRequest): Exchange {
  const headEnd = bytes.indexOf('\r\n\r\n')
  switch (chance.below(7)) {
    case 0: {
      const pieces = [bytes.subarray(0, chance.below(bytes.length))]
      return { name: 'truncated', pieces, answersMax: 1 }
    }
    case 1:
      return {
        name: 'hung up',
        pieces: [bytes.subarray(0, 1 + chance.below(bytes.length))],
        answersMax: 1,
        hangsUp: true,
      }
    case 2:
      return { name: 'hung up after the whole', pieces: [bytes], answersMax: 1, hangsUp: true }
    case 3: {
      const count = 2 + chance.below(19)
      return { name: 'pipelined', pieces: Array(count).fill(bytes), answersMax: count }
    }
    case 4: {
      const lines = `\r\n${chance.pick(conflicts)}`
      const pieces = [bytes.subarray(0, headEnd), bytesOf(lines), bytes.subarray(headEnd)]
      return { name: 'conflicting', pieces, answersMax: 20 }
    }
    case 5:
      return { name: 'odd', pieces: [bytesOf(chance.pick(oddities))], answersMax: 2 }
    default: {
      const noise = Buffer.from(Array.from({ length: 1 + chance.below(3_000) }, () => chance.below(256)))
      const spoilt = Buffer.from(bytes.subarray(0, Math.max(headEnd, 1)))
      for (let count = 0; count < 3; count++) spoilt[chance.below(spoilt.length)] = chance.below(256)
      return {
        name: 'garbage',
        pieces: [chance.happens(0.5) ? noise : spoilt, bytesOf('\r\n\r\n')],
        answersMax: 20,
      }
    }
  }
}

export type RawOutcome = {
  readonly name: string
  readonly answers: readonly Answer[]
  readonly fault: string | undefined
}

/** Sends it on a separate connection. The server always closes the connection, with or without an answer. */
export async function sendRaw(port: number, seed: number, request: FuzzRequest): Promise<RawOutcome> {
  const chance = chanceFor(~seed, request.index)
  const { name, pieces, answersMax, hangsUp } = makeExchange(chance, request)
  const connection = new Connection(open(port, chance))
  try {
    for (const piece of pieces) connection.write(piece)
    if (hangsUp) {
      await new Promise((resolve) => setTimeout(resolve, chance.below(20)))
      return { name, answers: [], fault: undefined }
    }
    connection.socket.end()
    const { answers, end } = await connection.readAll()
    const fault =
      end === 'silent'
        ? 'the server neither answered nor hung up'
        : answers.length > answersMax
          ? `${answers.length} answers`
          : undefined
    return { name, answers, fault }
  } finally {
    connection.close()
  }
}
