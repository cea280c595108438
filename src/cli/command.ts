import type { ParseArgsOptionsConfig } from 'node:util'

export type Command = {
  readonly words: readonly string[]
  readonly summary: string
  readonly usage: string
  readonly options: ParseArgsOptionsConfig
  /** Returns the exit code: 0 is success and only success. */
  readonly run: (flags: Readonly<Record<string, unknown>>) => Promise<number>
}
