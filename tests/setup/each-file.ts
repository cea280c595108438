import { afterAll } from 'vitest'
import { cleanUp } from './at-end.ts'

// Runs for each test file, even if files share their imports.
afterAll(cleanUp)
