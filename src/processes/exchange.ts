import { inspect } from 'node:util'

/** What of a child process, or of a process that is one, it takes to exchange messages with the other side. */
type Port = {
  send?(message: Message, done: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: Message) => void): unknown
  on(event: 'disconnect', listener: () => void): unknown
}

type Message =
  | { readonly ask: string; readonly question: unknown; readonly id: number }
  | { readonly tell: string; readonly news: unknown }
  | { readonly cancel: number }
  | { readonly begun: number }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: Pick<Error, 'message' | 'stack'> }

export type Asked = {
  /** Given when whoever asked does not want the answer any more, or is gone. */
  readonly signal: AbortSignal
  /** Tells whoever asked that the question's turn has come. */
  readonly begin: () => void
}

/** What a process does for another: functions whose questions and answers are plain data, or bytes. */
type Service = Readonly<Record<string, (question: never, asked: Asked) => unknown>>

type Question<Of extends Service, Name extends keyof Of> = Parameters<Of[Name]>[0]
type Answer<Of extends Service, Name extends keyof Of> = Awaited<ReturnType<Of[Name]>>

type AskOptions = { readonly signal?: AbortSignal; readonly onBegin?: (() => void) | undefined }

type Pending = {
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
  readonly onBegin: (() => void) | undefined
}

/** Answers what the other side asks. */
export function answer(port: Port, service: Service): void {
  const running = new Map<number, AbortController>()

  const work = async (name: string, question: unknown, id: number): Promise<void> => {
    const stop = new AbortController()
    running.set(id, stop)
    try {
      const asked = { signal: stop.signal, begin: () => send(port, { begun: id }) }
      send(port, { id, answer: await service[name]?.(question as never, asked) })
    } catch (error) {
      // Whatever hangs on an error may be more than data; all of it is in this text.
      send(port, { id, error: { message: error instanceof Error ? error.message : '', stack: inspect(error) } })
    } finally {
      running.delete(id)
    }
  }
  port.on('message', (message) => {
    if ('ask' in message) void work(message.ask, message.question, message.id)
    else if ('tell' in message) service[message.tell]?.(message.news as never, unasked)
    else if ('cancel' in message) running.get(message.cancel)?.abort()
  })
  port.on('disconnect', () => {
    for (const stop of running.values()) stop.abort()
  })
}

const unasked: Asked = { signal: new AbortController().signal, begin: () => {} }

/** Asks the other side, which answers with a service of this type. What it throws is thrown here. */
export class Exchange<Other extends Service> {
  readonly #port: Port
  readonly #pending = new Map<number, Pending>()
  #lastId = 0

  constructor(port: Port) {
    this.#port = port
    port.on('message', (message) => this.#settle(message))
    port.on('disconnect', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('The other process has ended.'))
      this.#pending.clear()
    })
  }

  /** Where it is cancelled, the other side says what becomes of it. */
  async ask<Name extends keyof Other & string>(
    name: Name,
    question: Question<Other, Name>,
    { signal, onBegin }: AskOptions = {},
  ): Promise<Answer<Other, Name>> {
    const id = ++this.#lastId
    const cancel = (): void => send(this.#port, { cancel: id })
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject, onBegin })
        send(this.#port, { ask: name, question, id })
        if (signal?.aborted) cancel()
      })
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** For what has no answer. */
  tell<Name extends keyof Other & string>(name: Name, news: Question<Other, Name>): void {
    send(this.#port, { tell: name, news })
  }

  #settle(message: Message): void {
    if ('begun' in message) this.#pending.get(message.begun)?.onBegin?.()
    if (!('answer' in message || 'error' in message)) return
    const pending = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    if ('answer' in message) pending?.resolve(message.answer as never)
    else pending?.reject(Object.assign(new Error(message.error.message), message.error))
  }
}

/** One that has just ended takes no messages; its end is heard elsewhere. */
const send = (port: Port, message: Message): void => void port.send?.(message, () => {})
