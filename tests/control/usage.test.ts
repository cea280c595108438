import { describe, expect, it } from 'vitest'
import { countInStore } from '../../src/access/count-in-store.ts'
import { countInMemory, noLimits, type RateLimiter } from '../../src/access/rate-limiter.ts'
import { rateRules } from '../../src/access/rate-rules.ts'
import type { UsageRecord } from '../../src/contract/console.ts'
import { submitJob } from '../../src/reports/submit-job.ts'
import { findAccount } from '../../src/store/accounts.ts'
import type { Store } from '../../src/store/open-store.ts'
import { openControlService } from '../setup/control-service.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const limiters: readonly (readonly [string, (store: Store) => RateLimiter])[] = [
  ['memory', countInMemory],
  ['the store', countInStore],
]

describe.each(databases)('usage, with the control data in %s', async (database) => {
  const store = await openStoreAt(await makePlace(database))

  describe.each(limiters)('and counts in %s', async (_, openLimiter) => {
    const { ask, click, clock, makeAccount, signIn } = await openControlService(store, openLimiter(store))
    const readUsage = async (cookie: string): Promise<readonly UsageRecord[]> =>
      (await click(cookie, 'GET', '/usage')).body.data
    /** Converts the headers of an answer to the console's form, for each rule. */
    const readHeaders = (headers: Record<string, unknown>) => {
      const policies = String(headers['ratelimit-policy']).split(', ')
      return String(headers.ratelimit)
        .split(', ')
        .map((standing, index) => {
          const [, name, remaining, seconds] = /^"(.+)";r=(\d+);t=(\d+)$/.exec(standing)!
          const [, quota, window] = /;q=(\d+);w=(\d+)$/.exec(policies[index]!)!
          return {
            name,
            window_seconds: Number(window),
            quota: Number(quota),
            used: Number(quota) - Number(remaining),
            resets_at: new Date(clock.now + Number(seconds) * 1_000).toISOString(),
          }
        })
    }

    it('lists every rule in order, and the jobs', async () => {
      const { cookie } = await signIn((await makeAccount()).id, 'member')
      const jobs = {
        name: 'jobs',
        description: 'Asynchronous jobs',
        method: 'POST',
        path: '/data/asynchronous',
        window_seconds: 86_400,
        quota: 10,
      }
      const rules = rateRules.map(({ windowSeconds, ...rule }) => ({ ...rule, window_seconds: windowSeconds }))
      expect(await readUsage(cookie)).toEqual([...rules, jobs].map((rule) => ({ ...rule, used: 0, resets_at: null })))
    })

    it.each([1, 3])('agrees with the rate limit headers at %i times the usual limits', async (factor) => {
      const { id, key } = await makeAccount(factor)
      const { cookie } = await signIn(id, 'member')
      const urls = ['/v2/data', '/v2/nothing', '/v2/data', '/v2/line-items', '/v2/data/status', '/v2/data'] as const
      for (const url of urls) {
        const { headers } = await ask(key, 'GET', url)
        const said = readHeaders(headers)
        expect(said.length).toBeGreaterThan(0)
        const usage = await readUsage(cookie)
        for (const standing of said) expect(usage.find(({ name }) => name === standing.name)).toMatchObject(standing)
        clock.now += 1_000
      }
      clock.now += 60_000
      expect((await readUsage(cookie)).filter((each) => each.used > 0)).toEqual([])
    })

    it('does not count its own requests', async () => {
      const { id, key } = await makeAccount()
      const { cookie } = await signIn(id, 'member')
      await ask(key, 'GET', '/v2/data')
      const first = await readUsage(cookie)
      for (let count = 0; count < 20; count++) expect(await readUsage(cookie)).toEqual(first)
      const { headers } = await ask(key, 'GET', '/v2/data')
      expect(headers.ratelimit).toBe('"get";r=1078;t=60, "data-get";r=8;t=60')
    })

    it('does not include refused requests', async () => {
      const { id, key } = await makeAccount()
      const { cookie } = await signIn(id, 'member')
      for (let count = 0; count < 15; count++) await ask(key, 'GET', '/v2/data')
      const used = (await readUsage(cookie)).filter((each) => each.used > 0)
      expect(used).toMatchObject([
        { name: 'get', quota: 1_080, used: 10 },
        { name: 'data-get', quota: 10, used: 10 },
      ])
    })

    it('is only that of the own account', async () => {
      const { key } = await makeAccount()
      const { cookie } = await signIn((await makeAccount()).id, 'administrator')
      await ask(key, 'GET', '/v2/data')
      expect((await readUsage(cookie)).filter((each) => each.used > 0)).toEqual([])
    })
  })

  it('has the number of jobs that count, and when the first of them leaves the window', async () => {
    const { click, clock, makeAccount, signIn } = await openControlService(store)
    const { id } = await makeAccount(2)
    const account = (await findAccount(store, id))!
    const { cookie } = await signIn(id, 'member')
    const submit = () =>
      submitJob(store, {
        account,
        cube: 'auctions_and_bids',
        start: '2026-11-14',
        end: '2026-11-14',
        body: {},
        idempotencyKey: undefined,
        deadlineMs: 3_600_000,
        now: clock.now,
      })
    const startedAt = clock.now
    for (let count = 0; count < 3; count++) {
      expect(await submit()).toHaveProperty('job')
      clock.now += 60_000
    }
    const readJobs = async () => (await click(cookie, 'GET', '/usage')).body.data.at(-1)
    const dayMs = 86_400_000
    expect(await readJobs()).toMatchObject({
      name: 'jobs',
      quota: 20,
      used: 3,
      resets_at: new Date(startedAt + dayMs).toISOString(),
    })
    while (clock.now < startedAt + dayMs) {
      clock.now = Math.min(clock.now + 11 * 3_600_000, startedAt + dayMs)
      await click(cookie, 'GET', '/session')
    }
    expect(await readJobs()).toMatchObject({ used: 2, resets_at: new Date(startedAt + 60_000 + dayMs).toISOString() })
  })

  it('has only the jobs while rate limits are off', async () => {
    const { click, makeAccount, signIn } = await openControlService(store, noLimits)
    const { cookie } = await signIn((await makeAccount()).id, 'member')
    expect((await click(cookie, 'GET', '/usage')).body.data).toMatchObject([{ name: 'jobs', used: 0 }])
  })

  it('needs a session, and refuses other methods and parameters', async () => {
    const { click, makeAccount, signIn } = await openControlService(store)
    const { cookie } = await signIn((await makeAccount()).id, 'member')
    expect((await click('', 'GET', '/usage')).body).toMatchObject({ status: 401, code: 'sign_in_needed' })
    expect(await click(cookie, 'POST', '/usage')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    expect((await click(cookie, 'GET', '/usage?x=1')).body).toMatchObject({ status: 400, code: 'invalid_parameter' })
  })
})
