import type { ParseArgsOptionsConfig } from 'node:util'
import { hasStore, openStore, type Store } from '../store/open-store.ts'
import type { Flags } from './command.ts'
import { readStorePlace } from './settings.ts'

/** What every command about the control data takes. */
export const storeOptions = {
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig

/** Runs a command on the control data, beside a server or without one. Only `mayCreate` makes what is not there. */
export async function withStore(
  flags: Flags,
  work: (store: Store) => Promise<number>,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<number> {
  const place = readStorePlace(process.env, flags)
  if (!mayCreate && !hasStore(place)) {
    throw new Error(`There is no Adcube in the folder ${place.folder}; name another with --data-dir.`)
  }
  const store = await openStore(place)
  try {
    return await work(store)
  } finally {
    await store.destroy()
  }
}
