const cleanups: (() => unknown)[] = []

/** Runs a function after all tests of the file, in reverse order. Can be called within a test. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup)
}

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
}
