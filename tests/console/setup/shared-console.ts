import type { TestProject } from 'vitest/node'
import { buildConsole } from './build-console.ts'
import { findChromium } from './find-chromium.ts'
import { serveConsole } from './serve-console.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A browser and a server with sample data; undefined if there is no browser. */
    console: { readonly chromium: string; readonly folder: string; readonly dataFolder: string } | undefined
  }
}

/** Days of sample data: today, and the two fortnights that the overview compares. */
const days = 29

/** Starts one server for all test files while other tests run. Each file creates its own accounts and people. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = findChromium()
  if (chromium === undefined) {
    project.vitest.logger.warn(
      'Found no Chromium on the PATH or in ADCUBE_CHROMIUM: the tests of the console are skipped.',
    )
    project.provide('console', undefined)
    return async () => {}
  }
  await buildConsole()
  const { stop, ...server } = await serveConsole(days)
  project.provide('console', { chromium, ...server })
  return stop
}
