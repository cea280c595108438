import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Buckets from an answer from memory to a query that times out. */
export const querySeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Returns functions that add metrics to a registry. */
export const metricsOf = (registry: Registry) => ({
  gauge: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] }),
  counter: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] }),
  histogram: <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name, help, buckets: [...buckets], labelNames, registers: [registry] }),
})
