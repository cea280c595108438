const cleanups: (() => unknown)[] = []

/** Has something done when the file's tests are over, the last first. May be called within a test. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup)
}

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
}
