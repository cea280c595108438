import { X509Certificate } from 'node:crypto'
import { watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Logger } from 'pino'

type Files = { readonly cert: string; readonly key: string }
type Pair = { readonly cert: Buffer; readonly key: Buffer }

/** Files are compared by time and size this often. Watching the folder would miss changes behind symbolic links. */
const checkMs = 2_000

/** The certificate of the server. It is read again when a file changes, and kept if the new one cannot be used. */
export class Certificate {
  readonly #files: Files
  readonly #log: Logger
  #pair: Pair
  #use: (pair: Pair) => void = () => {}

  static async open(files: Files, log: Logger): Promise<Certificate> {
    return new Certificate(files, log, await readPair(files))
  }

  private constructor(files: Files, log: Logger, pair: Pair) {
    this.#files = files
    this.#log = log
    this.#pair = pair
    for (const file of new Set(Object.values(files))) {
      watchFile(file, { interval: checkMs, persistent: false }, () => void this.reload())
    }
  }

  get pair(): Pair {
    return this.#pair
  }

  /** In milliseconds since 1970. */
  get expiresAt(): number {
    return new X509Certificate(this.#pair.cert).validToDate.getTime()
  }

  /** Calls a function with every later certificate. */
  onChange(use: (pair: Pair) => void): void {
    this.#use = use
  }

  async reload(): Promise<void> {
    try {
      const pair = await readPair(this.#files)
      this.#use(pair)
      this.#pair = pair
      this.#log.info({ expires: new Date(this.expiresAt).toISOString() }, 'certificate read again')
    } catch (error) {
      this.#log.error({ err: error }, 'the new certificate cannot be used; the old one is kept')
    }
  }
}

/** Reads a certificate and its key; throws if they do not belong together. */
async function readPair(files: Files): Promise<Pair> {
  const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)])
  createSecureContext({ cert, key })
  return { cert, key }
}
