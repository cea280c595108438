import { useInfiniteQuery } from '@tanstack/react-query'
import { calls } from '../api/calls.ts'

export const peopleKey = ['people']

/** Loads the people of the account page by page, sorted by e-mail address. */
export const usePeople = () =>
  useInfiniteQuery({
    queryKey: peopleKey,
    queryFn: ({ pageParam, signal }) => calls.people(pageParam === null ? {} : { after: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
