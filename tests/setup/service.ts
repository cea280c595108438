import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { inject } from 'vitest'
import { atEnd } from './at-end.ts'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { openSession } from '../../src/access/sessions.ts'
import type { Facts } from '../../src/facts/facts.ts'
import { rememberAnswers } from '../../src/facts/remember-answers.ts'
import { buildApp } from '../../src/http/app.ts'
import type { ReportStorage } from '../../src/reports/storage.ts'
import type { ReportWorkers } from '../../src/reports/workers.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { openStore, type Store } from '../../src/store/open-store.ts'
import { makeKey } from './make-key.ts'
import { makePerson } from './make-person.ts'
import { openTestFacts } from './open-test-facts.ts'
import { openReports } from './reports.ts'

/** Today in the tests: a Saturday, at noon. */
export const now = Date.parse('2026-11-14T12:00:00Z')

type Answer = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: any }

export type Service = {
  readonly app: FastifyInstance
  readonly facts: Facts
  readonly draftsFolder: string
  readonly rollupFacts: number
  readonly store: Store
  /** Workers, which the test starts if it needs them. */
  readonly workers: ReportWorkers
  readonly storage: ReportStorage
  readonly reportsFolder: string
  /** Creates an account with a unique name, and a key. */
  createAccount(name: string): Promise<{ readonly id: string; readonly key: string }>
  /** Creates a Member of an account, and returns their cookie. */
  signIn(accountId: string): Promise<string>
  ask(key: string, cube: string, query: unknown): Promise<Answer>
  get(key: string, path: string): Promise<Answer>
}

/**
 * Starts the HTTP service with a fixed clock, on the shared facts and store unless a folder is given. With the shared
 * store, workers of another file may do a job, so reports are in one folder too.
 */
export async function openService(folder = inject('dataFolder')): Promise<Service> {
  const facts = await openTestFacts({ folder })
  const store = await openStore({ folder })
  const reportsFolder = join(folder, 'reports')
  const { workers, storage, reports } = await openReports({ facts, store, now: () => now }, {}, reportsFolder)
  const app = buildApp({
    facts: rememberAnswers(facts, { bytesMax: 1e7 }),
    store,
    log: pino({ level: 'silent' }),
    now: () => now,
    rateLimiter: noLimits,
    ...reports,
  })
  atEnd(async () => {
    await app.close()
    await store.destroy()
  })
  const answerOf = (response: Awaited<ReturnType<typeof app.inject>>): Answer => ({
    status: response.statusCode,
    headers: response.headers,
    body: response.body === '' ? undefined : JSON.parse(response.body),
  })
  return {
    app,
    facts,
    draftsFolder: join(folder, 'drafts'),
    rollupFacts: 240,
    store,
    workers,
    storage,
    reportsFolder,
    async createAccount(name) {
      const id = `${name}-${process.pid}-${Math.trunc(performance.now() * 1000)}`
      await insertAccount(store, { id, name, createdAt: now })
      return { id, key: await makeKey(store, id, now) }
    },
    async signIn(accountId) {
      const { id } = await makePerson(store, { accountId, role: 'member', now })
      return `adcube=${await openSession(store, id, now)}`
    },
    async ask(key, cube, query) {
      const response = await app.inject({
        method: 'POST',
        url: `/v2/data/synchronous?cube=${cube}`,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        payload: typeof query === 'string' ? query : JSON.stringify(query),
      })
      return answerOf(response)
    },
    async get(key, path) {
      return answerOf(await app.inject({ method: 'GET', url: path, headers: { 'x-api-key': key } }))
    },
  }
}
