import { hasStore, openStore, type Store } from '../store/open-store.ts'
import { readStorePlace } from './settings.ts'

/** What every command about the control data takes. */
export type StoreFlags = { readonly dataDir?: string; readonly json?: boolean }

/** Runs a command on the control data, beside a server or without one. Only `mayCreate` makes what is not there. */
export async function withStore(
  flags: StoreFlags,
  work: (store: Store) => Promise<number>,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<number> {
  const place = readStorePlace(process.env, flags)
  if (!mayCreate && !hasStore(place)) {
    throw new Error(`There is no Adcube data in the folder ${place.folder}. Specify another one with --data-dir.`)
  }
  const store = await openStore(place)
  try {
    return await work(store)
  } finally {
    await store.destroy()
  }
}
