import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { createKey, deleteKey } from '../../../src/access/keys.ts'
import { findMembership } from '../../../src/access/memberships.ts'
import { createPerson } from '../../../src/access/people.ts'
import { openSession } from '../../../src/access/sessions.ts'
import { findCube } from '../../../src/catalog/cubes.ts'
import { addDays, dayOf } from '../../../src/query/day.ts'
import { insertAccount, updateAccount } from '../../../src/store/accounts.ts'
import { operator } from '../../../src/store/audit.ts'
import { openStore, type Store } from '../../../src/store/open-store.ts'
import type { Role } from '../../../src/store/tables.ts'
import { atEnd } from '../../setup/at-end.ts'
import { makeKey } from '../../setup/make-key.ts'
import type { openFolder } from '../../setup/serve.ts'

/**
 * `victim` never sends a request, and no answer may contain anything of it. `watched` is the customer whose answers are
 * measured, and `attacker` a customer who attacks with queries.
 */
const accounts = ['asker', 'narrow', 'disabled', 'people', 'victim', 'watched', 'attacker'] as const
/** People of the account `people` who send requests. */
export type SignedIn = 'administrator' | 'member' | 'leaver'
export type AccountName = (typeof accounts)[number]

/** A marker in the names, facts, keys and addresses of an account, and nowhere else. */
const markerOf = (account: AccountName): string => `quokka-${account}-zebra`
export const markers = accounts.map((account) => ({ account, marker: markerOf(account) }))

/** A few more than ten jobs, but not so many that reports take all of the machine. */
export const askerRateFactor = 3
const rateFactors: Partial<Record<AccountName, number>> = { watched: 1_000, attacker: 20 }

const rowsADay = 20
const days = Array.from({ length: 14 }, (_, back) => addDays(dayOf(Date.now()), -back))
/** Some values are long, for patterns that take long to match. */
const nameOf = (account: AccountName, row: number): string =>
  `${markerOf(account)} ${row % 7} ${'a~'.repeat(account === 'attacker' && row === 0 ? 480 : 0)}`
const amountOf = (account: AccountName, row: number): number => 100 * (accounts.indexOf(account) + 1) + row

/** Loads two weeks of each cube for each account. */
async function writeFacts(folder: string): Promise<{ readonly alias: string; readonly file: string }[]> {
  const counts = { auctions: 'auctions', 'platform-performance': 'ad_requests' }
  return Promise.all(
    Object.entries(counts).map(async ([alias, count]) => {
      const lines = accounts.flatMap((account) =>
        days.flatMap((day) =>
          Array.from({ length: rowsADay }, (_, row) =>
            [account, day, nameOf(account, row), `C${row % 3}`, amountOf(account, row), `d${row}`].join(','),
          ),
        ),
      )
      const file = join(folder, `${alias}.csv`)
      await writeFile(file, [`account,day,app_name,country,${count},device_id`, ...lines].join('\n'))
      return { alias, file }
    }),
  )
}

/** A query with a known answer. */
export const knownQuery = { start: days.at(-1), end: days[0], dimensions: [], metrics: ['Auctions', 'Uniques'] }
export const knownAnswer = (account: AccountName) => [
  {
    Auctions:
      days.length * Array.from({ length: rowsADay }, (_, row) => amountOf(account, row)).reduce((a, b) => a + b),
    Uniques: rowsADay,
  },
]

export type World = Awaited<ReturnType<typeof makeWorld>>

/** Fills a data folder with accounts, facts, valid and invalid keys, people and sessions. */
export async function makeWorld({ folder, run }: Awaited<ReturnType<typeof openFolder>>) {
  const store = await openStore({ folder })
  atEnd(() => store.destroy())
  const now = Date.now()
  for (const id of accounts) {
    const auctions = findCube('auctions')
    const only = id === 'narrow' && auctions ? { cubes: [auctions] } : {}
    const rateFactor = rateFactors[id] ?? askerRateFactor
    await insertAccount(store, { id, name: markerOf(id), createdAt: now, rateFactor, ...only })
  }
  for (const { alias, file } of await writeFacts(folder)) {
    expect(await run(['load', alias, file, '--json'])).toMatchObject({ code: 0 })
  }
  const keys = {
    asker: await makeKey(store, 'asker', now),
    narrow: await makeKey(store, 'narrow', now),
    disabled: await makeKey(store, 'disabled', now),
    victim: await makeKey(store, 'victim', now),
    watched: await makeKey(store, 'watched', now),
    attacker: await makeKey(store, 'attacker', now),
    expired: await makeKey(store, 'asker', now - 200 * 86_400_000),
    deleted: await makeDeletedKey(store, now),
  }
  await updateAccount(store, 'disabled', { disabledAt: now })

  const password = 'a password of quokkas'
  const emailOf = (account: AccountName, name: string) => `${markerOf(account)}-${name}@fuzz.example`
  const addPerson = async (accountId: AccountName, role: Role, name: string) => {
    const email = emailOf(accountId, name)
    const person = await createPerson(store, { accountId, email, role, password, actor: operator, now })
    if ('refusal' in person) throw new Error(person.refusal)
    return { id: person.id, personId: person.personId }
  }
  const people = {
    administrator: await addPerson('people', 'administrator', 'administrator'),
    member: await addPerson('people', 'member', 'member'),
    /** A person who ends their own sessions, and is removed by others. */
    leaver: await addPerson('people', 'administrator', 'leaver'),
    victim: await addPerson('victim', 'administrator', 'victim'),
  }
  const sessions = {
    administrator: '',
    member: '',
    leaver: '',
    victim: await openSession(store, people.victim.personId, now),
  }
  /** Restores removed people, and signs in people whose session has ended. */
  const renew = async (name: SignedIn): Promise<void> => {
    if (!(await findMembership(store, people[name].id))) people[name] = await addPerson('people', 'member', name)
    // A request may have removed the person in between. Then the next one that needs the session tries again.
    sessions[name] = await openSession(store, people[name].personId, Date.now()).catch(() => '')
  }
  const renewing = new Map<SignedIn, Promise<void>>()
  /** One at a time, because many requests find at once that their session has ended. */
  const renewSession = (name: SignedIn): Promise<void> => {
    const underWay = renewing.get(name) ?? renew(name).finally(() => renewing.delete(name))
    renewing.set(name, underWay)
    return underWay
  }
  for (const name of ['administrator', 'member', 'leaver'] as const) await renewSession(name)

  const victimKey = await store
    .selectFrom('apiKeys')
    .select('id')
    .where('accountId', '=', 'victim')
    .executeTakeFirstOrThrow()
  const reports = { asker: '', victim: '' }
  /** Ids from answers: jobs, keys and people that requests may delete. */
  const made: string[] = []
  const noteMade = (body: string): void => {
    const id = /"(?:job_)?id":"((?:job|key|per)_[0-9a-f]{32})"/.exec(body)?.[1]
    if (id !== undefined) made.push(id)
    if (made.length > 50) made.shift()
  }
  return {
    store,
    keys,
    people,
    /** The address of a person who exists. */
    email: emailOf('people', 'administrator'),
    sessions,
    renewSession,
    made,
    noteMade,
    password,
    victimKey: victimKey.id,
    reports,
    secrets: [...Object.values(keys), password, sessions.victim],

    /** Makes a report for two accounts, so that there are jobs and downloads to attack. */
    async makeReports(url: string): Promise<void> {
      for (const account of ['asker', 'victim'] as const) {
        const headers = { 'x-api-key': keys[account], 'content-type': 'application/json' }
        const body = JSON.stringify({ ...knownQuery, dimensions: ['Day', 'App Name'] })
        const started = await fetch(`${url}/v2/data/asynchronous?cube=auctions`, { method: 'POST', headers, body })
        expect(started.status).toBe(202)
        // Not by HTTP, because the rate limits may be on.
        await vi.waitFor(
          async () => {
            const jobs = await store.selectFrom('jobs').select('state').where('accountId', '=', account).execute()
            expect(jobs).toEqual([{ state: 'SUCCESS' }])
          },
          { timeout: 60_000, interval: 100 },
        )
        const [job] = (await (await fetch(`${url}/v2/data/status`, { headers })).json()) as Record<string, string>[]
        reports[account] = new URL(job?.output_url ?? '').pathname + new URL(job?.output_url ?? '').search
      }
    },

    /** Checks that everything of the victim still exists. */
    async countVictim() {
      const count = async (table: 'apiKeys' | 'memberships' | 'jobs' | 'visibleLoads') =>
        (await store.selectFrom(table).select('accountId').where('accountId', '=', 'victim').execute()).length
      return {
        keys: await count('apiKeys'),
        people: await count('memberships'),
        jobs: await count('jobs'),
        days: await count('visibleLoads'),
      }
    },
  }
}

async function makeDeletedKey(store: Store, now: number): Promise<string> {
  const created = await createKey(store, { accountId: 'asker', name: 'deleted', actor: operator, now })
  if ('refusal' in created) throw new Error(created.refusal)
  await deleteKey(store, { id: created.id, accountId: 'asker', actor: operator, now })
  return created.key
}
