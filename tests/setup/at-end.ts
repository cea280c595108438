import { afterAll } from 'vitest'

const cleanups: (() => unknown)[] = []

// Here, once for each file: a hook that is set up while a test runs is never called.
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Has something done when the file's tests are over, the last first. May be called within a test. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup)
}
