import { connect, type Socket } from 'node:net'
import type { Chance } from './chance.ts'

export type Answer = {
  readonly status: number
  /** Headers as received. */
  readonly head: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

type Taken = { readonly answer: Answer; readonly rest: Buffer }

const headEnd = Buffer.from('\r\n\r\n')

/** Parses the first complete answer from the received bytes. Returns undefined if it is incomplete, and throws if it is
 * invalid. */
function takeAnswer(arrived: Buffer, isHead: boolean, isEnded: boolean): Taken | undefined {
  const end = arrived.indexOf(headEnd)
  if (end < 0) return undefined
  const head = arrived.toString('latin1', 0, end)
  const match = /^HTTP\/1\.1 (\d{3})(?: [^\r\n]*)?(?:\r\n|$)/.exec(head)
  if (!match) throw new Error(`no status line: ${JSON.stringify(head.slice(0, 200))}`)
  const status = Number(match[1])
  const rest = arrived.subarray(end + headEnd.length)
  // Skip 1xx responses, such as 100 Continue.
  if (status < 200) return takeAnswer(rest, isHead, isEnded)
  const lines = head.split('\r\n').slice(1)
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  const whole = (body: Buffer, used: number): Taken => ({
    answer: { status, head, headers, body },
    rest: rest.subarray(used),
  })
  if (isHead || status === 204 || status === 304) return whole(Buffer.alloc(0), 0)
  const length = headers.get('content-length')
  if (length !== undefined) {
    const bytes = Number(length)
    return rest.length < bytes ? undefined : whole(rest.subarray(0, bytes), bytes)
  }
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunks: Buffer[] = []
    for (let at = 0; ;) {
      const line = rest.indexOf('\r\n', at)
      if (line < 0) return undefined
      const size = Number.parseInt(rest.toString('latin1', at, line), 16)
      const next = line + 2 + size + 2
      if (rest.length < next) return undefined
      if (size === 0) return whole(Buffer.concat(chunks), next)
      chunks.push(rest.subarray(line + 2, line + 2 + size))
      at = next
    }
  }
  return isEnded ? whole(rest, rest.length) : undefined
}

/** Addresses of 127.0.0.0/8, so that clients can have many. Only Linux has them all. */
export function open(port: number, chance?: Chance): Socket {
  const from =
    chance && process.platform === 'linux'
      ? { localAddress: `127.${1 + chance.below(200)}.${chance.below(256)}.${1 + chance.below(254)}` }
      : {}
  return connect({ port, host: '127.0.0.1', noDelay: true, ...from })
}

const answerMsMax = 60_000

/** Sends any bytes, and reads the expected number of answers, or until the end. */
export class Connection {
  readonly socket: Socket
  #arrived: Buffer = Buffer.alloc(0)
  #isEnded = false
  /** The server has announced that it will close the connection. */
  #isLast = false
  #notify: () => void = () => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#arrived = this.#arrived.length === 0 ? chunk : Buffer.concat([this.#arrived, chunk])
      this.#notify()
    })
    const end = (): void => {
      this.#isEnded = true
      this.#notify()
    }
    // A server may reset a connection if it has not read the whole request.
    socket.on('end', end).on('close', end).on('error', end)
  }

  get isUsable(): boolean {
    return !this.#isEnded && !this.#isLast && !this.socket.destroyed && this.#arrived.length === 0
  }

  write(bytes: Buffer): void {
    if (!this.socket.destroyed && !this.socket.writableEnded) this.socket.write(bytes)
  }

  /** Returns the next answer, 'closed' after the end, or 'silent' if nothing arrives for a minute. */
  async read(isHead = false, msMax = answerMsMax): Promise<Answer | 'closed' | 'silent'> {
    const deadline = Date.now() + msMax
    for (;;) {
      const taken = takeAnswer(this.#arrived, isHead, this.#isEnded)
      if (taken) {
        this.#arrived = taken.rest
        this.#isLast ||= taken.answer.headers.get('connection') === 'close'
        return taken.answer
      }
      if (this.#isEnded) return 'closed'
      if (Date.now() >= deadline) return 'silent'
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now())
        this.#notify = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** Reads all answers until the server closes the connection. */
  async readAll(
    msMax = answerMsMax,
  ): Promise<{ readonly answers: readonly Answer[]; readonly end: 'closed' | 'silent' }> {
    const answers: Answer[] = []
    for (;;) {
      const answer = await this.read(false, msMax)
      if (typeof answer === 'string') return { answers, end: answer }
      answers.push(answer)
    }
  }

  close(): void {
    this.socket.destroy()
  }
}
