import { useInfiniteQuery } from '@tanstack/react-query'
import { calls } from '../api/calls.ts'

export const peopleKey = ['people']

/** The people of the account, by their addresses, in parts. */
export const usePeople = () =>
  useInfiniteQuery({
    queryKey: peopleKey,
    queryFn: ({ pageParam, signal }) => calls.people(pageParam === null ? {} : { after: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
