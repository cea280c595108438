import type { Step } from '../step.ts'
import { away } from './away.ts'
import { downloads } from './downloads.ts'
import { faults } from './faults.ts'
import { fields } from './fields.ts'
import { filters } from './filters.ts'
import { jobs } from './jobs.ts'
import { keys } from './keys.ts'
import { limits } from './limits.ts'
import { pathsAndMethods } from './paths.ts'
import { ranges } from './ranges.ts'
import { reports } from './reports.ts'
import { synchronous } from './synchronous.ts'

/** In this order: what takes rights away comes late, and what takes the engine away last. */
export const themes: Readonly<Record<string, readonly Step[]>> = {
  ranges,
  fields,
  synchronous,
  filters,
  faults,
  paths: pathsAndMethods,
  jobs,
  reports,
  downloads,
  limits,
  keys,
  away,
}
