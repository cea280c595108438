import type { Registry } from 'prom-client'
import { metricsOf } from './metrics-of.ts'

/** Counts runs of chores that failed. Each chore starts at 0, so that Prometheus sees its first failure. */
export function countChores(registry: Registry, names: readonly string[]): (name: string) => void {
  const failures = metricsOf(registry).counter('adcube_chore_failures_total', 'Runs of a chore that failed.', 'chore')
  for (const chore of names) failures.inc({ chore }, 0)
  return (chore) => failures.inc({ chore })
}
