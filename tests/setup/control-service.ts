import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { atEnd } from './at-end.ts'
import { operator } from '../../src/store/audit.ts'
import { invitePerson } from '../../src/access/create-person.ts'
import { countInMemory, type RateLimiter } from '../../src/access/rate-limiter.ts'
import { FactsError } from '../../src/facts/errors.ts'
import type { Facts } from '../../src/facts/facts.ts'
import { buildApp } from '../../src/http/app.ts'
import type { Deps } from '../../src/http/services.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import type { Store } from '../../src/store/open-store.ts'
import type { Role } from '../../src/store/tables.ts'
import { makeKey } from './make-key.ts'
import { makePerson, password } from './make-person.ts'
import { openReports } from './reports.ts'

const isAway = async (): Promise<never> => {
  throw new FactsError('away')
}

/** Who may ask does not hang on the facts, so these tests do without: the engine is away, as it can be. */
export const noFacts: Facts = {
  distinctCountError: 0,
  start: async () => {},
  readRows: isAway,
  writeCsv: isAway,
  addLoad: isAway,
  mergeDays: isAway,
  removeLoads: isAway,
  removePortions: isAway,
  check: isAway,
  isUp: async () => false,
  stats: () => undefined,
  close: async () => {},
}

export { password }
const start = Date.parse('2026-11-14T12:00:00Z')
let made = 0

/** The HTTP service on a store of the test's choosing, with a clock that the test moves. */
export async function openControlService(
  store: Store,
  rateLimiter: RateLimiter = countInMemory(),
  { trustProxy = false, connections = {}, ...more }: Pick<Deps, 'trustProxy' | 'connections' | 'consoleFolder'> = {},
) {
  const clock = { now: start }
  const logged: string[] = []
  const { folder: reportsFolder, storage, reports } = await openReports({ facts: noFacts, store, now: () => clock.now })
  const app = buildApp({
    facts: noFacts,
    store,
    log: pino({ level: 'trace' }, { write: (line) => logged.push(line) }),
    now: () => clock.now,
    rateLimiter,
    ...reports,
    trustProxy,
    connections,
    ...more,
  })
  let begun = 0
  app.addHook('preParsing', async () => {
    begun++
  })
  atEnd(() => app.close())

  const send = async (request: InjectOptions) => {
    const { statusCode: status, headers, body } = await app.inject(request)
    return { status, headers, body: body === '' ? undefined : JSON.parse(body), text: body }
  }
  return {
    app,
    clock,
    logged,
    storage,
    reportsFolder,
    send,
    /** For what cannot be shown with whole requests alone. */
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    /** How many requests have been let past the door, whether or not their body has arrived. */
    countBegun: () => begun,
    /** A request with an API key. */
    ask: (key: string, method: InjectOptions['method'], url: string) =>
      send({ method: method!, url, headers: { 'x-api-key': key } }),
    /** A request with a session's cookie. */
    click: (cookie: string, method: InjectOptions['method'], path: string, payload?: object) =>
      send({ method: method!, url: `/console/api${path}`, headers: { cookie }, ...(payload && { payload }) }),
    /** An account of its own, with a key. */
    makeAccount: async (rateFactor = 1) => {
      const id = `account-${process.pid}-${made++}`
      await insertAccount(store, { id, name: id, rateFactor, createdAt: clock.now })
      return { id, key: await makeKey(store, id, clock.now) }
    },
    /** Somebody who has signed in, and the cookie that shows it. */
    signIn: async (accountId: string, role: Role) => {
      const { id, email } = await makePerson(store, { accountId, role, now: clock.now })
      const { headers } = await send({ method: 'POST', url: '/console/api/session', payload: { email, password } })
      return { id, email, cookie: cookieOf(headers) }
    },
    invite: async (accountId: string, role: Role) => {
      const email = `${role}-${made++}@${accountId}.example`
      const invited = await invitePerson(store, { accountId, email, role, actor: operator, now: clock.now })
      if ('refusal' in invited) throw new Error(invited.refusal)
      return invited
    },
  }
}

/** What a browser would send back. */
export const cookieOf = (headers: Record<string, unknown>): string =>
  String(headers['set-cookie']).split(';', 1)[0] ?? ''
