import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runChores, type Chore } from '../../src/chores/run-chores.ts'
import { endLease, takeLease } from '../../src/store/hold-lease.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

describe.each(databases)('chores of processes that share the control data in %s', async (database) => {
  const place = await makePlace(database)
  const stores = [await openStoreAt(place), await openStoreAt(place)]
  const [store, other] = stores as [(typeof stores)[0], (typeof stores)[0]]
  const leasesOf = (name: string) => store.selectFrom('leases').selectAll().where('name', '=', name).execute()
  const keep = (chores: readonly Chore[], { on = store, now = Date.now, lines = [] as string[] } = {}) => {
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
    const running = runChores({ store: on, log, now }, chores)
    onTestFinished(() => running.stop())
    return running
  }

  it('run in one process at a time', async () => {
    const counts = { begun: 0, ended: 0, most: 0 }
    const by = new Set<number>()
    const chore = (process: number): Chore => ({
      name: 'exclusive',
      everyMs: 1,
      async run() {
        by.add(process)
        counts.begun++
        counts.most = Math.max(counts.most, counts.begun - counts.ended)
        // Long enough that the others try in the meantime.
        for (let look = 0; look < 5; look++) await stores[process]!.selectFrom('leases').selectAll().execute()
        counts.ended++
      },
    })
    for (const process of [0, 1, 0, 1]) keep([chore(process)], { on: stores[process]! })
    await vi.waitFor(() => expect(counts.ended).toBeGreaterThan(40), { timeout: 30_000 })
    expect(counts.most).toBe(1)
    expect(by).toEqual(new Set([0, 1]))
  })

  it('are taken over when their process is killed, and not before', async () => {
    const child = spawn(process.execPath, ['tests/setup/begin-chore.ts', place.folder, place.databaseUrl ?? ''], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    let runs = 0
    let asked = 0
    let ahead = 0
    const now = () => (asked++, Date.now() + ahead)
    keep([{ name: 'endless', everyMs: 1, run: async () => void runs++ }], { on: other, now })
    await vi.waitFor(() => expect(asked).toBeGreaterThan(10))
    expect(runs).toBe(0)
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    ahead = 30_000
    await vi.waitFor(() => expect(runs).toBeGreaterThan(0))
  })

  it('that take longer than their lease renew it', { timeout: 60_000 }, async () => {
    const held = Promise.withResolvers<void>()
    const running = keep([{ name: 'long', everyMs: 1, run: () => held.promise }])
    const until = async () => (await leasesOf('long'))[0]?.until ?? 0
    const first = await vi.waitUntil(until)
    await vi.waitFor(async () => expect(await until()).toBeGreaterThan(first), { timeout: 30_000, interval: 200 })
    held.resolve()
    await running.stop()
    expect(await leasesOf('long')).toEqual([])
  })

  it('are aborted when another process may have taken over, and that process keeps its lease', async () => {
    let ahead = 0
    const lines: string[] = []
    const stalled = Promise.withResolvers<void>()
    const wrong: string[] = []
    const run = async (throwIfOver: () => void): Promise<void> => {
      throwIfOver()
      await stalled.promise
      throwIfOver()
      wrong.push('went on')
    }
    keep(
      [{ name: 'stalled', everyMs: 60_000_000, run }].map((each) => ({ ...each, everyMs: 1 })),
      {
        now: () => Date.now() + ahead,
        lines,
      },
    )
    await vi.waitUntil(async () => (await leasesOf('stalled')).length > 0)
    const lease = { name: 'stalled', holder: 'another' }
    ahead = 30_000
    expect(await takeLease(other, { ...lease, now: Date.now() + ahead, ms: 3_600_000 })).toBe(true)
    stalled.resolve()
    await vi.waitFor(() => expect(lines.join('')).toContain('The lease stalled was lost'))
    expect(wrong).toEqual([])
    expect(await leasesOf('stalled')).toMatchObject([{ holder: 'another' }])
    await endLease(other, lease)
  })

  it('that fail are logged and retried, and do not delay other chores', async () => {
    const lines: string[] = []
    const runs = { failing: 0, other: 0 }
    const failing = async () => {
      runs.failing++
      throw new Error('not today')
    }
    keep(
      [
        { name: 'failing', everyMs: 1, run: failing },
        { name: 'other', everyMs: 1, run: async () => void runs.other++ },
      ],
      { lines },
    )
    await vi.waitFor(() => expect(Math.min(runs.failing, runs.other)).toBeGreaterThan(2))
    expect(lines[0]).toContain('not today')
    expect(lines[0]).toContain('"chore":"failing"')
  })

  it('stop between two steps and release their leases', async () => {
    const lines: string[] = []
    let steps = 0
    const run = async (throwIfOver: () => void): Promise<void> => {
      for (;;) {
        throwIfOver()
        steps++
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const running = keep([{ name: 'steps', everyMs: 1, run }], { lines })
    await vi.waitFor(() => expect(steps).toBeGreaterThan(10))
    expect(await leasesOf('steps')).toHaveLength(1)
    await running.stop()
    expect(await leasesOf('steps')).toEqual([])
    expect(lines).toEqual([])
  })
})
