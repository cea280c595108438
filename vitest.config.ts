import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // An emulated engine takes a second for what takes milliseconds; no test here measures time.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    // They run in the order of their names: the longest file is begun early.
    projects: [
      {
        extends: true,
        test: {
          name: 'control',
          include: ['tests/control/**/*.test.ts'],
          globalSetup: ['tests/setup/shared-postgres.ts'],
        },
      },
      {
        extends: true,
        // With an engine of their own: they would keep the others' busy.
        test: { name: 'loads', include: ['tests/loads.test.ts'], globalSetup: ['tests/setup/shared-engine.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['tests/*.test.ts'],
          exclude: ['tests/loads.test.ts'],
          globalSetup: ['tests/setup/shared-engine.ts'],
        },
      },
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts'] } },
    ],
  },
})
