import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { addDays, dayOf } from '../../src/query/day.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { openStore } from '../../src/store/open-store.ts'
import { atEnd } from '../setup/at-end.ts'
import { makeFolder } from '../setup/installation.ts'
import { makeKey } from '../setup/make-key.ts'
import { openFolder } from '../setup/serve.ts'

const account = 'busy'
const [replaced, added] = [-2, -1].map((back) => addDays(dayOf(Date.now()), back)) as [string, string]
const env = { ADCUBE_RATE_LIMITS: 'off', ADCUBE_EXPORT_FREE_MB: '0' }
const query = { start: replaced, end: added, dimensions: ['Day', 'Site'], metrics: ['Auctions'], limit: 1_000 }

/** Loads one row in a separate process. */
async function load(begin: Awaited<ReturnType<typeof openFolder>>['begin'], row: readonly unknown[], flags: string[]) {
  const { child, ended } = begin(['load', 'auctions', '-', '--json', ...flags], env)
  child.stdin.end(`account,day,site,auctions\n${account},${row.join(',')}\n`)
  expect(await ended).toMatchObject({ code: 0 })
}

async function openBusy() {
  const { folder, serve, begin } = await openFolder()
  const store = await openStore({ folder })
  atEnd(() => store.destroy())
  await insertAccount(store, { id: account, name: account, rateFactor: 1_000, createdAt: Date.now() })
  const headers = { 'x-api-key': await makeKey(store, account, Date.now()), 'content-type': 'application/json' }
  const post = async (url: string, path: string) => {
    const init = { method: 'POST', headers, body: JSON.stringify(query) }
    const response = await fetch(`${url}/v2/data/${path}?cube=auctions`, init)
    return { status: response.status, body: (await response.json()) as any }
  }
  return { folder, serve, begin, post, store }
}

it(
  'a backup during loads and reports contains every load that was acknowledged before it',
  { timeout: 300_000 },
  async () => {
    const { folder, serve, begin, post, store } = await openBusy()
    const url = await serve([], env).address()
    const backup = await makeFolder()

    /** Acknowledged loads: the sum of each appended load, and the newest version of the replaced day. */
    const sums = new Map<string, number>()
    let newest = 0
    const over = new AbortController()
    const repeat = async (work: (round: number) => Promise<unknown>): Promise<void> => {
      for (let round = 1; !over.signal.aborted; round++) await work(round)
    }
    const working = [
      repeat(async (round) => {
        await load(begin, [added, `site-${round}`, round], ['--append'])
        sums.set(`site-${round}`, round)
      }),
      repeat(async (round) => {
        await load(begin, [replaced, 'all', round], [])
        newest = round
      }),
      repeat(async () => {
        expect((await post(url, 'asynchronous')).status).toBe(202)
        await vi.waitFor(async () => {
          const open = await store.selectFrom('jobs').select('id').where('state', '=', 'PROCESSING').execute()
          expect(open).toEqual([])
        }, 60_000)
      }),
    ]
    const made: { restored: string; sums: ReadonlyMap<string, number>; newest: number }[] = []
    for (const least of [2, 10]) {
      // The second backup finds days with many loads, and the earlier backup.
      await vi.waitFor(() => expect(Math.min(sums.size, newest * 5)).toBeGreaterThanOrEqual(least), 200_000)
      const acknowledged = { sums: new Map(sums), newest }
      expect(await begin(['backup', backup], env).ended).toMatchObject({ code: 0 })
      const restored = join(await makeFolder(), 'restored')
      const options = { ...env, ADCUBE_DATA_DIR: restored }
      expect(await begin(['restore', backup, '--data-dir', restored], options).ended).toMatchObject({ code: 0 })
      made.push({ restored, ...acknowledged })
      for (const place of [folder, restored, backup]) {
        const { code, stdout } = await begin(['verify', '--json', '--data-dir', place], env).ended
        expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, count: 0, findings: [], unrecorded: 0 })
        expect(JSON.parse(stdout).reports).toBeGreaterThan(0)
      }
    }
    over.abort()
    await Promise.all(working)

    for (const { restored, sums, newest } of made) {
      const again = serve(['--data-dir', restored], env)
      const { body } = await post(await again.address(), 'synchronous')
      const rows = new Map<string, number>(body.data.map((row: any) => [`${row.Day} ${row.Site}`, row.Auctions]))
      expect(rows.get(`${replaced} all`)).toBeGreaterThanOrEqual(newest)
      for (const [site, sum] of sums) expect(rows.get(`${added} ${site}`), site).toBe(sum)
      // Every other load is there completely or not at all.
      for (const [name, sum] of rows) if (name.startsWith(added)) expect(name).toBe(`${added} site-${sum}`)
      const exited = once(again.child, 'exit')
      again.child.kill('SIGTERM')
      await exited
    }
  },
)
