/** The service of the record: real parts on fixed facts, with a clock that the test owns. Only this file knows src. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { vi } from 'vitest'
import { changeAccount, disableAccount } from '../../src/access/accounts.ts'
import { createKey, deleteKey } from '../../src/access/keys.ts'
import { countInMemory, type RateLimiter } from '../../src/access/rate-limiter.ts'
import { findCube } from '../../src/catalog/cubes.ts'
import { openFacts } from '../../src/facts/open-facts.ts'
import { rememberAnswers } from '../../src/facts/remember-answers.ts'
import { buildApp } from '../../src/http/app.ts'
import { loadFacts } from '../../src/ingest/load-facts.ts'
import { openFolderStorage } from '../../src/reports/storage.ts'
import { ReportWorkers } from '../../src/reports/workers.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { operator } from '../../src/store/audit.ts'
import { openStore } from '../../src/store/open-store.ts'
import { loads } from './facts.ts'

const keepMs = 7 * 86_400_000
const elsewhere = { clickhouseUrl: undefined, clickhouseReaderUrl: undefined }
const limits = { queryMsMax: 60_000, queryMemoryMb: 512, exportMemoryMb: 512 }

/** All that the tests of the record can do to the service. Times are milliseconds since 1970. */
export async function openRecordedService(clock: { now: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-record-'))
  const now = (): number => clock.now
  const log = pino({ level: 'silent' })
  const store = await openStore({ folder })
  const facts = await openFacts({ folder, owner: 'record', ...elsewhere, ...limits }, log)
  const storage = await openFolderStorage(join(folder, 'reports'), 'record')
  const openWorkers = () =>
    new ReportWorkers({ facts, store, storage, log, now }, { slots: 2, freeBytesMin: 0, keepMs })
  let counts = countInMemory()
  const rateLimiter: RateLimiter = {
    take: (...question) => counts.take(...question),
    look: (...question) => counts.look(...question),
  }
  const linkSecret = randomBytes(32)
  const openApp = () =>
    buildApp({
      facts: rememberAnswers(facts, { bytesMax: 1e7 }),
      store,
      log,
      now,
      rateLimiter,
      storage,
      workers: openWorkers(),
      linkSecret,
      publicUrl: undefined,
      exportMsMax: 3_600_000,
      keepMs,
    })
  let app = openApp()
  /** An app may remember a key for a second; a new one remembers nothing. */
  const reopenApp = async (): Promise<void> => {
    await app.close()
    app = openApp()
  }
  return {
    inject: (request: InjectOptions) => app.inject(request),
    /** Forgets all requests that rate limits have counted. */
    resetCounts: (): void => void (counts = countInMemory()),
    createAccount: async (
      id: string,
      { cubes, rateFactor = 1 }: { cubes?: readonly string[]; rateFactor?: number },
    ) => {
      const allowed = cubes?.map((name) => findCube(name)!)
      await insertAccount(store, { id, name: id, createdAt: clock.now, rateFactor, ...(allowed && { cubes: allowed }) })
    },
    createKey: async (accountId: string, createdAt: number) => {
      const created = await createKey(store, { accountId, name: 'record', actor: operator, now: createdAt })
      if ('refusal' in created) throw new Error(created.refusal)
      return created
    },
    deleteKey: async (id: string) => {
      await deleteKey(store, { id, actor: operator, now: clock.now })
      await reopenApp()
    },
    disableAccount: async (id: string) => {
      await disableAccount(store, id, clock.now)
      await reopenApp()
    },
    allowCubes: async (id: string, names: readonly string[]) => {
      await changeAccount(store, id, { cubes: names.map((name) => findCube(name)!) }, clock.now)
      await reopenApp()
    },
    load: async () => {
      const deps = { facts, store, draftsFolder: join(folder, 'drafts'), rollupFacts: 240, now }
      for (const { cube, mode, csv } of loads) {
        const file = join(folder, 'facts.csv')
        await writeFile(file, csv)
        await loadFacts(deps, findCube(cube)!, [file], { mode })
      }
      await facts.start()
    },
    /** Makes the reports of all jobs that wait. */
    work: async () => {
      const workers = openWorkers()
      workers.start()
      const findWaiting = () =>
        store.selectFrom('jobs').select('id').where('state', '=', 'PROCESSING').executeTakeFirst()
      await vi.waitUntil(async () => !(await findWaiting()), { timeout: 60_000, interval: 20 })
      await workers.stop()
    },
    stopEngine: () => facts.close(),
    close: async () => {
      await app.close()
      await facts.close()
      await store.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type RecordedService = Awaited<ReturnType<typeof openRecordedService>>
