import type { ParseArgsOptionsConfig } from 'node:util'
import { SettingsError } from './settings.ts'

export type Flags = Readonly<Record<string, unknown>>

export type Command = {
  readonly usage: string
  readonly options: ParseArgsOptionsConfig
  /** What stands after the words without a dash: exactly these, none where left out. One with … is any number. */
  readonly operands?: readonly string[]
  /** Returns the exit code: 0 is success and only success. */
  readonly run: (flags: Flags, ...operands: readonly string[]) => Promise<number>
}

/** A text that a command cannot do without. */
export function demandFlag(flags: Flags, name: string): string {
  const value = flags[name]
  if (typeof value === 'string' && value !== '') return value
  throw new SettingsError([`Give --${name}.`])
}
