import type { TestProject } from 'vitest/node'
import '../setup/provided.ts'
import { startServer } from './start-server.ts'

/** Starts one real server for all test files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer()
  project.provide('clickhouse', { url: server.url, readerUrl: server.readerUrl })
  return () => server.stop()
}
