import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createKey } from '../../src/access/keys.ts'
import { listChores } from '../../src/chores/list-chores.ts'
import { beginLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import { addDays } from '../../src/query/day.ts'
import { completeJob } from '../../src/reports/job-queue.ts'
import { insertJob } from '../../src/reports/submit-job.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { operator } from '../../src/store/audit.ts'
import { takeJob } from '../setup/claims.ts'
import { makePerson } from '../setup/make-person.ts'
import { openReports } from '../setup/reports.ts'
import { scriptFacts } from '../setup/scripted-facts.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const start = Date.parse('2026-11-14T12:00:00Z')
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const cube = 'publisher_auctions_cube'
const accountId = 'kept'

describe.each(databases)('what is deleted by its age, with the control data in %s,', (database) => {
  /** An installation with a record of each kind, and the given days of facts. */
  const openRecords = async (days: readonly string[]) => {
    const place = await makePlace(database)
    const store = await openStoreAt(place)
    const clock = { now: start }
    const now = () => clock.now
    const removed: string[] = []
    const facts = {
      ...scriptFacts(),
      removePortions: async (_: unknown, portions: readonly { day: string }[]) =>
        void removed.push(...portions.map(({ day }) => day)),
    }
    const { storage, folder } = await openReports({ facts, store, now })
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line) => lines.push(line) })
    const chores = listChores({
      facts,
      store,
      storage,
      draftsFolder: join(folder, 'none'),
      log,
      now,
      keepMs: 7 * dayMs,
    })

    await insertAccount(store, { id: accountId, name: 'Kept', createdAt: start })
    await createKey(store, { accountId, name: 'Kept', actor: operator, now: start })
    const { id: personId } = await makePerson(store, { accountId, role: 'member', now: start })
    const session = { selector: 'kept', verifier: 'x', personId, createdAt: start, lastSeenAt: start }
    await store.insertInto('sessions').values(session).execute()
    const job = { id: 'job_kept', accountId, cube, startDay: '', endDay: '', body: '{}', createdAt: start }
    await insertJob(store, { ...job, deadlineAt: start + hourMs })
    await takeJob(store, start)
    const made = { file: 'job_kept_1.csv.gz', rows: 1, bytes: 1, checksum: 'x' }
    const draft = await storage.draft(made.file)
    draft.stream.end('x')
    await once(draft.stream, 'close')
    await draft.publish()
    await completeJob(store, { id: job.id, attempt: 1, made, now: start, expiresAt: start + 7 * dayMs })
    const id = await beginLoad(store, { cube, now: start })
    await publishLoad(store, { id, cube, days: days.map((day) => ({ account: accountId, day })), rows: 1, now: start })

    return {
      store,
      place,
      lines,
      removed,
      /** Runs every chore as of a time. */
      choresAt: async (at: number) => {
        clock.now = at
        for (const { run } of chores) await run(() => {})
      },
      visibleDays: async () => {
        const rows = await store.selectFrom('visibleLoads').select('day').orderBy('day').execute()
        return rows.map(({ day }) => day)
      },
      /** Reads all records, except that sessions of people are idle for too long. */
      readRecords: async () => ({
        keys: await store.selectFrom('apiKeys').selectAll().execute(),
        audit: await store.selectFrom('audit').selectAll().orderBy('id').execute(),
        sessions: await store.selectFrom('sessions').selectAll().execute(),
        jobs: await store.selectFrom('jobs').selectAll().execute(),
        visible: await store.selectFrom('visibleLoads').selectAll().orderBy('day').execute(),
        retired: await store.selectFrom('retiredLoads').selectAll().execute(),
        files: await storage.list(),
      }),
    }
  }
  const daysFrom = (first: string, count: number) => Array.from({ length: count }, (_, index) => addDays(first, index))

  it('stays while the clock is 800 days ahead, and when it is set right again', async () => {
    const { choresAt, lines, readRecords, removed } = await openRecords(daysFrom('2026-10-01', 45))
    await choresAt(start)
    const before = await readRecords()
    for (let minute = 1; minute <= 20; minute++) await choresAt(start + 800 * dayMs + minute * minuteMs)
    expect(await readRecords()).toEqual(before)
    expect(lines.filter((line) => line.includes('nothing is deleted by age'))).toHaveLength(1)
    // Half the way back is as wrong.
    await choresAt(start + 700 * dayMs)
    await choresAt(start + 700 * dayMs + hourMs)
    expect(await readRecords()).toEqual(before)
    await choresAt(start + hourMs)
    expect(await readRecords()).toEqual(before)
    expect(removed).toEqual([])
    expect(lines.at(-1)).toContain('records are deleted by age again')
  })

  it('stays for a day after a month without a process, and more than a week of facts until it is confirmed', async () => {
    const due = daysFrom('2025-10-13', 30)
    const kept = daysFrom('2026-11-01', 2)
    const { choresAt, lines, place, readRecords, removed, visibleDays } = await openRecords([...due, ...kept])
    await choresAt(start)
    const before = await readRecords()
    const back = start + 30 * dayMs
    for (let hour = 0; hour < 24; hour++) await choresAt(back + hour * hourMs)
    expect(await readRecords()).toEqual(before)

    await choresAt(back + dayMs)
    expect(await readRecords()).toMatchObject({ sessions: [], jobs: [], files: [], keys: before.keys })
    expect(await visibleDays()).toEqual([...due, ...kept])
    expect(lines.at(-1)).toContain('run `adcube retire`')

    // The time of PostgreSQL cannot be set.
    if (database === 'PostgreSQL') return
    const retire = async (flags: readonly string[]) => {
      const frozen = `data:text/javascript,Date.now = () => ${back + dayMs}`
      const command = ['--import', frozen, 'src/cli/main.ts', 'retire', '--json', ...flags]
      const env = { ...process.env, ADCUBE_DATA_DIR: place.folder }
      return json(spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] }).stdout)
    }
    const listed = { cube, days: 30, first_day: due[0], last_day: due.at(-1), account_days: 30 }
    expect(await retire([])).toMatchObject({ oldest: '2025-11-14', is_held: false, is_confirmed: false, due: [listed] })
    expect(await visibleDays()).toHaveLength(32)
    expect(await retire(['--confirm'])).toMatchObject({ is_confirmed: true, due: [listed] })
    expect(await visibleDays()).toEqual(kept)
    await choresAt(back + 2 * dayMs)
    expect(removed).toEqual([])
    await choresAt(back + 2 * dayMs + 16 * minuteMs)
    expect(removed).toEqual(due)
  })

  it('is deleted in time while the service is idle for three days', async () => {
    const { choresAt, lines, readRecords, visibleDays } = await openRecords(['2025-10-13', '2025-10-14', '2025-11-01'])
    for (let hour = 0; hour <= 72; hour++) await choresAt(start + hour * hourMs)
    expect(await visibleDays()).toEqual(['2025-11-01'])
    expect(await readRecords()).toMatchObject({ sessions: [], jobs: [{ id: 'job_kept' }] })
    expect(lines.filter((line) => line.includes('clock'))).toEqual([])
  })

  it('becomes visible again when a clock that was some days ahead is set right within a day', async () => {
    const days = daysFrom('2025-10-15', 6)
    const { choresAt, removed, store, visibleDays } = await openRecords([...days, '2026-11-01'])
    await choresAt(start)
    for (let hour = 0; hour <= 24; hour++) await choresAt(start + 5 * dayMs + hour * hourMs)
    expect(await visibleDays()).toEqual([...days.slice(-2), '2026-11-01'])
    await choresAt(start + 23 * hourMs)
    expect(await visibleDays()).toEqual([...days, '2026-11-01'])
    expect(removed).toEqual([])
    expect(await store.selectFrom('retiredLoads').selectAll().execute()).toEqual([])
  })
})
