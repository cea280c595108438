import { inject } from 'vitest'
import { openStore, type Store } from '../../../src/store/open-store.ts'
import { atEnd } from '../../setup/at-end.ts'
import { openFolder } from '../../setup/serve.ts'
import { readStart } from './serve-console.ts'

let sample: Promise<Awaited<ReturnType<typeof readStart>> & { dataFolder: string; store: Store }> | undefined

/** The shared server with sample data, the output of its first start, and its store. */
export const sampleServer = () => (sample ??= findSampleServer())

async function findSampleServer() {
  const { folder, dataFolder } = inject('console')!
  const start = await readStart(folder)
  return { ...start, dataFolder, store: await openStoreIn(dataFolder) }
}

let own: ReturnType<typeof startOwnServer> | undefined

/** Starts a server without facts for one test file, for tests that would disturb others. */
export const ownServer = () => (own ??= startOwnServer())

async function startOwnServer() {
  const { folder, serve } = await openFolder('console')
  const server = serve([])
  const url = await server.address()
  return { url, store: await openStoreIn(folder), child: server.child, serve }
}

async function openStoreIn(folder: string): Promise<Store> {
  const store = await openStore({ folder })
  atEnd(() => store.destroy())
  return store
}
