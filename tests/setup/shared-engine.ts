import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { attachEngine } from '../../src/engine/engine.ts'
import { migrateEngine } from '../../src/engine/migrate.ts'
import { PrivateEngine, type Endpoint } from '../../src/engine/private-engine.ts'
import { openStore } from '../../src/store/open-store.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    endpoint: Endpoint
    /** Where the store is whose loads the engine holds. */
    storeFolder: string
  }
}

export const engineNode = process.env.ADCUBE_ENGINE_NODE ?? process.execPath

/** One real engine and one store for all test files; each file brings accounts of its own, so none meets another. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-test-'))
  const log = pino({ level: 'silent' })
  const engine = new PrivateEngine({
    folder: join(folder, 'engine'),
    database: 'adcube',
    node: engineNode,
    log,
    onChange: () => {},
  })
  const endpoint = await engine.start()
  const shared = await attachEngine(endpoint)
  await migrateEngine(shared, log)
  await shared.close()
  const store = await openStore({ folder })
  await store.destroy()
  project.provide('endpoint', endpoint)
  project.provide('storeFolder', folder)
  return async () => {
    await engine.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
