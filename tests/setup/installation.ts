import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { auctions } from '../../src/catalog/auctions.ts'
import { backUp } from '../../src/backup/back-up.ts'
import { openCopyOfStore } from '../../src/backup/copy-of-store.ts'
import { verify } from '../../src/backup/verify.ts'
import { openFacts } from '../../src/facts/open-facts.ts'
import { loadFacts, type LoadOptions } from '../../src/ingest/load-facts.ts'
import { sweepFacts } from '../../src/ingest/sweep-facts.ts'
import { openFolderStorage } from '../../src/reports/storage.ts'
import { findVisibleLoads } from '../../src/store/loads.ts'
import { openStore } from '../../src/store/open-store.ts'
import { findSecret } from '../../src/store/secrets.ts'
import { atEnd } from './at-end.ts'
import { makeQuery } from './draft.ts'

const signal = new AbortController().signal
const log = pino({ level: 'silent' })

/** Creates a folder that is removed after the file's tests. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-backup-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a data folder with everything in files, or creates one. */
export async function openInstallation(folder: string, clock = { now: Date.now() }, rollupFacts = 0) {
  const store = await openStore({ folder })
  const owner = (await findSecret(store, 'engine-owner')).toString('hex')
  const elsewhere = { clickhouseUrl: undefined, clickhouseReaderUrl: undefined }
  const limits = { queryMsMax: 60_000, queryMemoryMb: 512, exportMemoryMb: 512 }
  const facts = await openFacts({ folder, owner, ...elsewhere, ...limits }, log)
  const reportsFolder = join(folder, 'reports')
  const storage = await openFolderStorage(reportsFolder, owner)
  atEnd(async () => {
    await facts.close()
    await store.destroy()
  })
  const now = (): number => clock.now
  const deps = { facts, store, storage, draftsFolder: join(folder, 'drafts'), rollupFacts, log, now }
  const input = await makeFolder()
  let started: Promise<void> | undefined
  return {
    ...deps,
    folder,
    reportsFolder,
    clock,
    /** Verifies as the command does, beside this process. */
    verify: async () => {
      await using control = await openCopyOfStore(folder, await makeFolder())
      return await verify({ facts, control, storage }, { signal, onProgress: () => {} })
    },
    backUp: (
      to: string,
      { onWait = () => {}, onProgress = () => {} }: { onWait?: () => void; onProgress?: () => void } = {},
    ) => backUp(store, { folder, reportsFolder }, to, { signal, now: Date.now, onProgress, onWait }),
    sweep: () => sweepFacts(deps),
    /** Loads one row for a site, and creates its account. */
    load: async (account: string, day: string, site: string, auctionsSum: number, options: LoadOptions = {}) => {
      const file = join(input, `${crypto.randomUUID()}.csv`)
      await writeFile(file, `account,day,site,auctions\n${account},${day},${site},${auctionsSum}\n`)
      return loadFacts(deps, auctions, [file], { mayCreateAccounts: true, ...options })
    },
    loadFile: (file: string) => loadFacts(deps, auctions, [file], { mayCreateAccounts: true }),
    /** Returns the sum of each site over all days. */
    sums: async (account: string): Promise<Record<string, number>> => {
      const range = { start: '2025-10-14', end: '2026-11-14' }
      const query = makeQuery(auctions, { ...range, dimensions: ['Site'], metrics: ['Auctions'], limit: 10_000 })
      await (started ??= facts.start())
      const visible = await findVisibleLoads(store, { cube: auctions.name, account, ...range })
      const { json } = await facts.readRows(query, { account, visible }, { id: 'sums', signal })
      return Object.fromEntries(JSON.parse(`[${json.toString()}]`).map((row: any) => [row.Site, row.Auctions]))
    },
  }
}

export type Installation = Awaited<ReturnType<typeof openInstallation>>

/** Reads all files of a folder, by relative path. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}
