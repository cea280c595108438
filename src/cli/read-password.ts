import { text } from 'node:stream/consumers'
import { passwordCharactersMax, passwordCharactersMin } from '../contract/forms.ts'
import { generatePassword } from '../access/password.ts'
import { SettingsError } from './settings.ts'
import type { StoreFlags } from './with-store.ts'

export type PasswordFlags = StoreFlags & { readonly passwordStdin?: boolean }

/** A password from standard input, or a new one that is to be shown. */
export async function readPassword({
  passwordStdin = false,
}: PasswordFlags): Promise<{ readonly password: string; readonly isMade: boolean }> {
  if (!passwordStdin) return { password: generatePassword(), isMade: true }
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password.length < passwordCharactersMin || password.length > passwordCharactersMax) {
    throw new SettingsError([`A password has ${passwordCharactersMin} to ${passwordCharactersMax} characters.`])
  }
  return { password, isMade: false }
}
