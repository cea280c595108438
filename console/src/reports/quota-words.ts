import type { JobsAnswer } from '../../../src/contract/console.ts'
import { formatUntil } from '../parts/format-until.ts'
import { formatTime } from '../parts/format.ts'

type Quota = JobsAnswer['quota']

export const isUsedUp = (quota: Quota): boolean => quota.next_free_at !== null

/** Describes how many reports can still be started. The window slides, so they do not reset at midnight. */
export function describeQuota({ limit, used, next_free_at: nextFreeAt }: Quota, now: number): string {
  const count = `${used} of ${limit} reports started in the last 24 hours`
  if (nextFreeAt === null) return `${count}.`
  return `${count}. You can start the next one ${formatUntil(nextFreeAt, now)}, at ${formatTime(nextFreeAt)}.`
}
