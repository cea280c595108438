import { post, type Step } from '../step.ts'

const query = { start: '2026-11-08', end: '2026-11-14', dimensions: ['OS', 'Day'], metrics: ['Clicks'] }
const ask = post('synchronous', query)

/** Answers while the engine is away. */
export const away: readonly Step[] = [
  ask('a query that is remembered, before'),
  { stopEngine: true },
  ask('a query that is remembered'),
  ask('a query', { metrics: ['Cleared'] }),
  ask('a query without loaded days', { start: '2026-11-05', end: '2026-11-05' }),
  ask('an invalid query', { metrics: [] }),
  { name: 'ranges', url: '/v2/data' },
  post('asynchronous', query, { key: 'exporter' })('a job is accepted all the same'),
  { cancelJobs: 'exporter' },
]
