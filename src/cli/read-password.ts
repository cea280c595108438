import { text } from 'node:stream/consumers'
import type { ParseArgsOptionsConfig } from 'node:util'
import { passwordCharactersMax, passwordCharactersMin } from '../access/forms.ts'
import { generatePassword } from '../access/password.ts'
import type { Flags } from './command.ts'
import { SettingsError } from './settings.ts'

export const passwordOptions = { 'password-stdin': { type: 'boolean' } } as const satisfies ParseArgsOptionsConfig

export const passwordUsage = `  --password-stdin   Reads the password from standard input, ${passwordCharactersMin} to ${passwordCharactersMax} characters; one is made and shown when left out.
                     A password is never an argument: others can read those in the list of processes.`

/** A password from standard input, or a new one that is to be shown. */
export async function readPassword(flags: Flags): Promise<{ readonly password: string; readonly isMade: boolean }> {
  if (flags['password-stdin'] !== true) return { password: generatePassword(), isMade: true }
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password.length < passwordCharactersMin || password.length > passwordCharactersMax) {
    throw new SettingsError([`A password has ${passwordCharactersMin} to ${passwordCharactersMax} characters.`])
  }
  return { password, isMade: false }
}
