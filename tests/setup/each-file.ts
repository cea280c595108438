import { afterAll } from 'vitest'
import { cleanUp } from './at-end.ts'

// This runs for each file of tests, also where files share what they import.
afterAll(cleanUp)
