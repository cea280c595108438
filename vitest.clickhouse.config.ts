import { defineConfig } from 'vitest/config'
import { isEmulated } from './tests/clickhouse/is-emulated.ts'

/** The tests of ClickHouse, and those of both engines on ClickHouse: `npm run test:clickhouse`. */
export default defineConfig({
  test: {
    setupFiles: ['tests/setup/each-file.ts'],
    include: ['tests/clickhouse/**/*.test.ts', 'tests/conformance/**/*.test.ts'],
    // In this order: the second one says that facts are in a server.
    globalSetup: ['tests/setup/shared-store.ts', 'tests/clickhouse/setup.ts'],
    testTimeout: isEmulated ? 600_000 : 120_000,
    hookTimeout: isEmulated ? 600_000 : 120_000,
    maxWorkers: 2,
  },
})
