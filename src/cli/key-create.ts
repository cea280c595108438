import { createKey } from '../access/create-key.ts'
import { findAccount } from '../store/accounts.ts'
import { hasStore, openStore } from '../store/open-store.ts'
import type { Command } from './command.ts'
import { readDataDir, SettingsError } from './settings.ts'

export const createKeyCommand: Command = {
  words: ['key', 'create'],
  summary: 'Makes an API key for an account',
  usage: 'adcube key create --account ID --name NAME [--data-dir DIR] [--json]',
  options: {
    account: { type: 'string' },
    name: { type: 'string' },
    'data-dir': { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(flags) {
    const { account: accountId, name, json } = flags
    if (typeof accountId !== 'string' || typeof name !== 'string' || name.trim() === '' || name.length > 100) {
      throw new SettingsError(['Give --account ID and --name NAME, a name of at most 100 characters.'])
    }
    const dataDir = readDataDir(process.env, flags)
    if (!hasStore(dataDir))
      throw new Error(`There is no Adcube in the folder ${dataDir}; name another with --data-dir.`)
    const store = await openStore(dataDir)
    try {
      if (!(await findAccount(store, accountId))) throw new Error(`There is no account ${JSON.stringify(accountId)}.`)
      const { id, key, expiresAt } = await createKey(store, { accountId, name: name.trim(), now: Date.now() })
      const expires = new Date(expiresAt).toISOString()
      if (json) process.stdout.write(`${JSON.stringify({ id, key, expires_at: expires })}\n`)
      else {
        process.stdout.write(`${key}\n`)
        process.stderr.write(`This is the only time the key is shown. It expires on ${expires}.\n`)
      }
      return 0
    } finally {
      await store.destroy()
    }
  },
}
