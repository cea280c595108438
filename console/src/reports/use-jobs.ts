import { useInfiniteQuery } from '@tanstack/react-query'
import { calls } from '../api/calls.ts'

export const jobsKey = ['jobs']

const runningMs = 1_500
/** Interval for noticing that another job can be started. */
const fullMs = 30_000

/** Loads the jobs of the account page by page, newest first. Polls only while something is about to change. */
export const useJobs = () =>
  useInfiniteQuery({
    queryKey: jobsKey,
    queryFn: ({ pageParam, signal }) => calls.jobs(pageParam === null ? {} : { before: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // Others start jobs too, and links to reports are valid for a day.
    staleTime: 0,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? []
      if (pages.some(({ data }) => data.some((job) => job.job_status === 'PROCESSING'))) return runningMs
      return pages[0]?.quota.next_free_at ? fullMs : false
    },
  })
