import { expect, test } from 'vitest'
import type { Job } from '../api/calls.ts'
import { toBody } from '../query/draft.ts'
import { draftOfJob, withItsOrder } from './job-draft.ts'

const job: Job = {
  job_id: 'job_1',
  job_status: 'SUCCESS',
  output_url: 'https://adcube.example/reports/job_1/x.csv',
  cube: 'publisher_auctions_cube',
  created_at: '2026-11-19T12:00:00.000Z',
  started_at: null,
  finished_at: null,
  progress: 1,
  rows: 1,
  bytes: 1,
  checksum: null,
  expires_at: null,
  failure_reason: null,
  start: '2025-11-01',
  end: '2025-11-30',
  query: { start: '2025-11-01', end: '2025-11-30', dimensions: ['Day', 'Country'], metrics: ['eCPM'] },
}

test('a job that was sent with names in any case and lists as text is asked again in the spelling of the catalog', () => {
  const draft = draftOfJob({
    ...job,
    query: {
      start: '2025-11-01',
      end: '2025-11-30',
      dimensions: 'day,COUNTRY',
      metrics: 'ecpm',
      filters: [{ field: 'os', operator: 'IN', values: ['iOS'] }],
      sort: [{ field: 'ecpm', order: 'Desc' }],
      limit: 5,
    },
  })
  expect(draft && toBody(draft, '2026-12-24')).toEqual({
    start: '2025-11-01',
    end: '2025-11-30',
    dimensions: ['Day', 'Country'],
    metrics: ['eCPM'],
    filters: [{ field: 'OS', operator: 'in', values: ['iOS'] }],
    sort: [{ field: 'eCPM', order: 'desc' }],
    limit: 5,
  })
})

test('rows without an order of their own keep the order of the dimensions', () => {
  const draft = draftOfJob({ ...job, query: { ...job.query!, dimensions: ['Country', 'OS'] } })
  expect(draft?.sort).toEqual([])
  expect(draft && withItsOrder(draft).sort).toEqual([{ field: 'Country', order: 'asc' }])
})

test('a job from months ago can still be read', () => {
  expect(draftOfJob(job)?.dates).toEqual({ start: '2025-11-01', end: '2025-11-30' })
})

test('a query that is too long for the list, or of a cube that there is not, cannot be asked again', () => {
  expect(draftOfJob({ ...job, query: null })).toBeUndefined()
  expect(draftOfJob({ ...job, cube: 'gone' })).toBeUndefined()
})
