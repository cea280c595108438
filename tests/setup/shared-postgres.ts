import type { TestProject } from 'vitest/node'
import { openPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a real PostgreSQL, without the name of a database, for a user who can create databases. */
    postgresUrl: string
  }
}

/** Starts one server for all test files. Each creates its own databases. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await openPostgres()
  project.provide('postgresUrl', postgres.url)
  return () => postgres.remove()
}
