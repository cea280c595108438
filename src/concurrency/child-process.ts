import { fork, type ChildProcess, type ForkOptions } from 'node:child_process'
import { setPriority } from 'node:os'

type Request<Question> = { readonly id: number; readonly question: Question } | { readonly cancel: number }

type Reply<Answer> =
  | { readonly isReady: true }
  | ({ readonly id: number } & (
      | { readonly progress: number }
      | { readonly answer: Answer }
      | { readonly error: string }
    ))

/** The process ended before it answered. */
export class ChildEnded extends Error {}

type AskOptions = {
  readonly signal: AbortSignal
  /** Time for the child to answer after a cancellation; a child that takes longer is killed. */
  readonly cancelMsMax: number
  /** Called before the child is killed for that. */
  readonly onKill?: () => void
  readonly onProgress?: (share: number) => void
}

type Pending<Answer> = Pick<AskOptions, 'onProgress'> & {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** A process of ours that answers questions, several at a time. The other end is `answerParent`. */
export class Child<Question, Answer> {
  readonly process: ChildProcess
  readonly startedAt = performance.now()
  /** Resolves to the signal or the exit code. */
  readonly ended: Promise<unknown>
  readonly #pending = new Map<number, Pending<Answer>>()
  readonly #ready = Promise.withResolvers<void>()
  #lastId = 0

  /** Starts the module `name` beside the one with the URL `here`. */
  constructor(here: string, name: string, { args = [], ...options }: ForkOptions & { args?: readonly string[] } = {}) {
    // .ts in the repository, .js in the published package.
    const module = new URL(`./${name}${here.slice(here.lastIndexOf('.'))}`, here)
    // With the default serialization, text that is JSON already would be escaped once more.
    this.process = fork(module, args, { execArgv: [], serialization: 'advanced', ...options })
    this.process.on('message', (reply: Reply<Answer>) => this.#receive(reply))
    this.ended = new Promise((resolve) =>
      this.process.once('exit', (code, signal) => resolve(signal ?? code)).on('error', resolve),
    )
    this.#ready.promise.catch(() => {})
    void this.#rejectAtEnd()
  }

  /** Resolves when the child has called `answerParent`. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get isIdle(): boolean {
    return this.#pending.size === 0
  }

  async ask(question: Question, { signal, cancelMsMax, onKill, onProgress }: AskOptions): Promise<Answer> {
    signal.throwIfAborted()
    const id = ++this.#lastId
    const cancel = (): void => {
      this.#send({ cancel: id })
      setTimeout(() => {
        if (!this.#pending.has(id)) return
        onKill?.()
        this.kill()
      }, cancelMsMax).unref()
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject, ...(onProgress && { onProgress }) })
        this.#send({ id, question })
      })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  kill(): void {
    this.process.kill('SIGKILL')
  }

  async #rejectAtEnd(): Promise<void> {
    const error = new ChildEnded(`The process ended (${String(await this.ended)}).`)
    this.#ready.reject(error)
    for (const pending of this.#pending.values()) pending.reject(error)
    this.#pending.clear()
  }

  #receive(reply: Reply<Answer>): void {
    if ('isReady' in reply) return this.#ready.resolve()
    const pending = this.#pending.get(reply.id)
    if ('progress' in reply) return pending?.onProgress?.(reply.progress)
    this.#pending.delete(reply.id)
    if ('answer' in reply) pending?.resolve(reply.answer)
    else pending?.reject(new Error(reply.error))
  }

  /** A failure to send is not an error of its own: the end of the process rejects what is pending. */
  #send(request: Request<Question>): void {
    this.process.send(request, () => {})
  }
}

type Asked = { readonly signal: AbortSignal; readonly onProgress: (share: number) => void }

/** Answers the questions of the parent, in a process that has called `beginChild`. */
export function answerParent(answer: (question: never, asked: Asked) => Promise<unknown>): void {
  const running = new Map<number, AbortController>()
  // When the parent is gone, this process ends anyway.
  const reply = (message: Reply<unknown>): void => void process.send?.(message, () => {})
  process.on('message', async (request: Request<never>) => {
    if ('cancel' in request) return running.get(request.cancel)?.abort()
    const { id, question } = request
    const stop = new AbortController()
    running.set(id, stop)
    try {
      const onProgress = (progress: number): void => reply({ id, progress })
      reply({ id, answer: await answer(question, { signal: stop.signal, onProgress }) })
    } catch (error) {
      reply({ id, error: error instanceof Error ? error.message : String(error) })
    } finally {
      running.delete(id)
    }
  })
  reply({ isReady: true })
}

/**
 * Prepares a child process, before it starts any thread, so that all threads have its priority. Ctrl-C reaches children
 * too, but the parent decides when they end. They end at once when the parent is gone or an error is not caught: a clean
 * exit would wait for queries whose answers nobody reads.
 */
export function beginChild(niceness: number): void {
  const end = (): void => void process.kill(process.pid, 'SIGKILL')
  process
    .on('SIGINT', () => {})
    .on('SIGTERM', () => {})
    .on('SIGHUP', () => {})
  process.on('disconnect', end)
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`)
    end()
  })
  if (!process.connected) end()
  setPriority(niceness)
}
