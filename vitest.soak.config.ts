import { defineConfig } from 'vitest/config'

/** Tests that take longer than a change should wait for: `npm run test:soak`. */
export default defineConfig({
  test: {
    setupFiles: ['tests/setup/each-file.ts'],
    testTimeout: 7_200_000,
    hookTimeout: 300_000,
    // Each test uses the whole machine.
    maxWorkers: 1,
    projects: [
      { extends: true, test: { name: 'soak', include: ['tests/soak/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'random queries',
          include: ['tests/conformance/answers.test.ts'],
          globalSetup: ['tests/setup/shared-store.ts'],
          // For each of the two cubes.
          env: { ADCUBE_TEST_QUERIES: process.env.ADCUBE_TEST_QUERIES ?? '5000' },
        },
      },
    ],
  },
})
