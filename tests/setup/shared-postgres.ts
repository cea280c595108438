import type { TestProject } from 'vitest/node'
import { openPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real PostgreSQL, as a user who may make databases. Add the name of one. */
    postgresUrl: string
  }
}

/** One server for all test files; each makes databases of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await openPostgres()
  project.provide('postgresUrl', postgres.url)
  return () => postgres.remove()
}
