import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    setupFiles: ['tests/setup/each-file.ts'],
    // Long enough for a busy machine; no test here measures time.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'console',
          // As long as a busy machine takes to draw a page.
          expect: { poll: { timeout: 20_000 } },
          include: ['tests/console/**/*.test.ts'],
          globalSetup: ['tests/console/setup/shared-console.ts'],
        },
      },
      // The files of the next three share the code that they read: a sixth of their time was reading it again.
      {
        extends: true,
        test: {
          name: 'control',
          isolate: false,
          include: ['tests/control/**/*.test.ts'],
          globalSetup: ['tests/setup/shared-postgres.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          isolate: false,
          include: ['tests/*.test.ts', 'tests/conformance/**/*.test.ts'],
          globalSetup: ['tests/setup/shared-store.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'unit', isolate: false, include: ['src/**/*.test.ts', 'console/src/**/*.test.ts'] },
      },
      // Every answer of /v2, byte for byte.
      { extends: true, test: { name: 'record', include: ['tests/record/**/*.test.ts'] } },
      // Every code block, link and table of README and docs.
      { extends: true, test: { name: 'docs', include: ['tests/docs/**/*.test.ts'] } },
    ],
  },
})
