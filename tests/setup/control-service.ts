import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { atEnd } from './at-end.ts'
import { operator } from '../../src/store/audit.ts'
import { invitePerson } from '../../src/access/people.ts'
import { countInMemory, type RateLimiter } from '../../src/access/rate-limiter.ts'
import { FactsError } from '../../src/facts/errors.ts'
import type { Facts } from '../../src/facts/facts.ts'
import { accountHeader } from '../../src/contract/account-header.ts'
import { buildApp } from '../../src/http/app.ts'
import type { Deps } from '../../src/http/services.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import type { Clock } from '../../src/store/clock.ts'
import type { Store } from '../../src/store/open-store.ts'
import type { Role } from '../../src/store/tables.ts'
import { makeKey } from './make-key.ts'
import { makePerson, password } from './make-person.ts'
import { openReports } from './reports.ts'

const isAway = async (): Promise<never> => {
  throw new FactsError('away')
}

/** An engine that is down, because these tests need no facts. */
export const noFacts: Facts = {
  distinctCountError: 0,
  start: async () => {},
  readRows: isAway,
  writeCsv: isAway,
  addLoad: isAway,
  mergeDays: isAway,
  findDamage: undefined,
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

/** Starts the HTTP service on a store, with a clock that the test controls. */
export async function openControlService(
  store: Store,
  rateLimiter: RateLimiter = countInMemory(),
  {
    trustProxy = false,
    connections = {},
    clock: given,
    ...more
  }: Pick<Deps, 'trustProxy' | 'connections' | 'consoleFolder' | 'allowedOrigins' | 'tls'> & {
    readonly clock?: Pick<Clock, 'now'>
  } = {},
) {
  const clock = { now: start }
  const now = given?.now ?? (() => clock.now)
  const logged: string[] = []
  const { folder: reportsFolder, storage, reports } = await openReports({ facts: noFacts, store, now })
  const app = buildApp({
    facts: noFacts,
    store,
    log: pino({ level: 'trace' }, { write: (line) => logged.push(line) }),
    now,
    rateLimiter,
    ...reports,
    trustProxy,
    connections,
    ...more,
  })
  const routes: { readonly method: string; readonly url: string }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.push({ method: each, url })
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
    /** All routes of the service, once it is ready. */
    routes,
    /** Listens on a free port, for tests that need real connections. */
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    /** Number of authenticated requests, including those whose body has not arrived. */
    countBegun: () => begun,
    /** Sends a request with an API key. */
    ask: (key: string, method: InjectOptions['method'], url: string) =>
      send({ method: method!, url, headers: { 'x-api-key': key } }),
    /** Sends a request with a session's cookie, for the only account of the person or a given one. */
    click: (cookie: string, method: InjectOptions['method'], path: string, payload?: object, account?: string) => {
      const headers = { cookie, ...(account !== undefined && { [accountHeader]: account }) }
      return send({ method: method!, url: `/console/api${path}`, headers, ...(payload && { payload }) })
    },
    /** Creates an account with a key. */
    makeAccount: async (rateFactor = 1) => {
      const id = `account-${process.pid}-${made++}`
      await insertAccount(store, { id, name: id, rateFactor, createdAt: now() })
      return { id, key: await makeKey(store, id, now()) }
    },
    /** Creates a person and signs them in. Returns the cookie. */
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

/** Returns the cookies as a browser sends them. */
export const cookieOf = (headers: Record<string, unknown>): string =>
  String(headers['set-cookie']).split(';', 1)[0] ?? ''
