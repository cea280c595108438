import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { explore, type Question } from './explore.ts'

/** Long enough to wait for the next click, short enough not to be noticed. */
const pauseMs = 250

/** Runs the query once it has not changed for a moment, and keeps the previous answer until the new one arrives. */
export function useExploration(question: Question, isValid: boolean) {
  const queryClient = useQueryClient()
  const key = JSON.stringify([question.cube.alias, question.body, question.previous])
  const [settled] = useDebouncedValue(key, pauseMs)
  const queryKey = ['explore', settled]
  const { data, error, fetchStatus, isPlaceholderData, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => explore(question, signal),
    enabled: isValid && settled === key,
    placeholderData: keepPreviousData,
  })
  // Not only "fetching": while the browser is offline it is "paused".
  const isRunning = fetchStatus !== 'idle'
  return {
    exploration: data,
    error,
    isRunning,
    /** True if the answer belongs to an earlier query. */
    isOld: isPlaceholderData || settled !== key,
    /** True if the user cancelled the query. */
    isCancelled: isValid && settled === key && !isRunning && !error && (isPlaceholderData || data === undefined),
    cancel: () => void queryClient.cancelQueries({ queryKey }),
    run: () => void refetch(),
  }
}
