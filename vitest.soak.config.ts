import { defineConfig } from 'vitest/config'

/** Proofs that take longer than a change should wait for: `npm run test:soak`. */
export default defineConfig({
  test: { include: ['tests/soak/**/*.test.ts'], testTimeout: 3_600_000, hookTimeout: 300_000 },
})
