import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { borrowOrOpenEngine } from '../../src/engine/engine.ts'
import { sweepFacts } from '../../src/ingest/sweep-facts.ts'
import { openStore } from '../../src/store/open-store.ts'
import { atEnd } from '../setup/at-end.ts'
import { isAlive, openFolder } from '../setup/serve.ts'
import { askTotals, countRows, cube, makeSoakKey, startLoad, versionOf, writeVersion } from './versions.ts'

const kills = Number(process.env.SOAK_KILLS ?? 20)
const seed = Number(process.env.SEED ?? 1)
const formats = ['csv', 'parquet.gz'] as const
const victims = ['loader', 'server', 'engine'] as const
/** Of the time that a load takes: a little more, for the moments just after it. */
const shareMax = 1.1
const patience = { timeout: 600_000, interval: 200 }

/** The same moments for the same seed. */
let state = seed
const chance = (): number => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31
  return state / 2 ** 31
}

it(
  `days are wholly old or wholly new though loader, server or engine is killed ${kills} times`,
  { timeout: 14_400_000 },
  async () => {
    const { folder, serve } = await openFolder()
    const spool = join(folder, 'spool')
    await mkdir(spool)
    const env = { ADCUBE_DATA_DIR: folder, TMPDIR: spool, ADCUBE_RATE_LIMITS: 'off', ADCUBE_QUERY_SECONDS: '300' }
    const store = await openStore({ folder })
    atEnd(() => store.destroy())
    const key = await makeSoakKey(store)

    // As under any supervisor: what does not come up, because the engine of the one before is not gone, is tried again.
    const start = async () => {
      for (let tries = 1; ; tries++) {
        const server = serve([], env)
        const url = await server.address()
        if (url !== '') return { ...server, url }
        expect(tries, server.output.stderr).toBeLessThan(10)
      }
    }
    let server = await start()
    const findVersion = () =>
      vi.waitFor(async () => {
        const { status, data } = await askTotals(server.url, key)
        expect(status).toBe(200)
        return versionOf(data, formats.length, newest)
      }, patience)

    /** The version that the newest load brings. */
    let newest = -1
    const begin = async () => {
      const files = await writeVersion(folder, ++newest, formats)
      const before = await store.selectFrom('loads').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
      const load = startLoad(files, env)
      const id = await vi.waitFor(
        async () => {
          expect(load.child.exitCode, load.output.stderr).toBe(null)
          const rows = store
            .selectFrom('loads')
            .select('id')
            .where('id', '>', before?.id ?? 0)
          return (await rows.executeTakeFirstOrThrow()).id
        },
        { ...patience, interval: 20 },
      )
      const exited = load.exited.then(async (exit) => {
        await Promise.all(files.map((file) => rm(file)))
        return exit
      })
      return { ...load, id, exited, begunAt: performance.now() }
    }
    const stateOf = async (id: number) =>
      (await store.selectFrom('loads').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state
    /** A load that nothing happens to, and how long it takes from its record in the store to its end. */
    const loadInPeace = async (): Promise<number> => {
      const { exited, output, begunAt } = await begin()
      expect(await exited, output.stderr).toEqual([0, null])
      const ms = performance.now() - begunAt
      expect(await findVersion()).toBe(newest)
      return ms
    }

    await loadInPeace()
    const loadTimes = [await loadInPeace()]
    /** The shortest of late: the first load of an engine that was started again takes longer than the next. */
    const loadMs = () => Math.min(...loadTimes.slice(-3))
    process.stderr.write(`a load takes ${(loadMs() / 1000).toFixed(1)} s\n`)
    const plan = Array.from({ length: kills }, (_, count) => ((count + chance()) / kills) * shareMax)
      .map((share) => ({ share, order: chance() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ share }, count) => ({ share, victim: victims[count % victims.length]! }))
    const outcomes = { old: 0, new: 0 }
    let inTheLoad = 0
    for (const { share, victim } of plan) {
      const old = newest
      const load = await begin()
      const moment = delay(share * loadMs())
      if (victim === 'loader' && !(await Promise.race([moment.then(() => true), load.exited.then(() => false)]))) {
        // It has ended and cannot be killed: another time, a little earlier.
        expect(await findVersion()).toBe(newest)
        plan.push({ share: share * 0.9, victim })
        continue
      }
      await moment
      const stateThen = await stateOf(load.id)
      if (victim === 'loader') load.child.kill('SIGKILL')
      else if (victim === 'engine') process.kill(server.enginePid(), 'SIGKILL')
      else {
        const { child, enginePid } = server
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
        server = await start()
        expect(isAlive(enginePid())).toBe(false)
      }
      const [code] = await load.exited

      const version = await findVersion()
      expect([old, newest]).toContain(version)
      const outcome = version === old ? 'old' : 'new'
      // Whoever loads is told the truth.
      if (code !== null) expect(outcome, load.output.stderr).toBe(code === 0 ? 'new' : 'old')
      outcomes[outcome]++
      if (stateThen === 'loading') inTheLoad++
      const nextMs = await loadInPeace()
      loadTimes.push(nextMs)
      process.stderr.write(
        `kill ${outcomes.old + outcomes.new}: ${victim} at ${(share * 100).toFixed(0)} % of a load, which was ` +
          `${stateThen}: ${outcome}, loader ${code === null ? 'killed' : `ended with ${code}`}; ` +
          `the next load took ${(nextMs / 1000).toFixed(1)} s\n`,
      )
    }
    process.stderr.write(
      `${outcomes.old + outcomes.new} kills, ${inTheLoad} of them before the load was visible: ` +
        `${outcomes.old} times the old days, ${outcomes.new} times the new\n`,
    )
    expect(inTheLoad).toBeGreaterThanOrEqual(kills / 2)

    // A sweep by a clock that runs ahead finds all of them silent, and all that was replaced no longer read by anybody.
    const log = pino({ level: 'silent' })
    const engine = await borrowOrOpenEngine({
      folder: join(folder, 'engine'),
      node: '/nowhere',
      url: undefined,
      readerUrl: undefined,
      log,
    })
    await sweepFacts({ engine, store, log, now: () => Date.now() + 20 * 60_000 })
    const count = async (query: string) =>
      (await engine.reader().query({ query, format: 'JSONEachRow' })).json<{
        load: number | string
        rows: number | string
      }>()
    const visible = await store.selectFrom('visible_loads').select('load_id').distinct().execute()
    expect(visible).toHaveLength(1)
    const left = await count(`SELECT load, count() AS rows FROM ${cube.table} GROUP BY load`)
    expect(left.map(({ load, rows }) => [Number(load), Number(rows)])).toEqual([
      [visible[0]!.load_id, countRows(formats.length)],
    ])
    expect(await count('SELECT DISTINCT load FROM load_faults')).toEqual([])
    expect(await store.selectFrom('retired_loads').selectAll().execute()).toEqual([])
    expect(await store.selectFrom('loads').select('id').where('state', '=', 'loading').execute()).toEqual([])
    await engine.close()
    expect(await findVersion()).toBe(newest)

    const exited = once(server.child, 'exit')
    server.child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(await readdir(spool)).toEqual([])
    expect(await readdir(join(folder, 'engine'))).toEqual(['data'])
    // Whatever was started, by whomever, has the folder in its environment.
    const processes = execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    expect(processes.split('\n').filter((line) => line.includes(folder))).toEqual([])
  },
)
