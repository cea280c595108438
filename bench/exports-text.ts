import type { Run } from './run-bench.ts'
import type { Quantiles } from './measure.ts'
import { joinSections, machineLines, showCount, table, verdict } from './text.ts'
import type { Use } from './watch.ts'
import { exportMemoryBytes } from './reports.ts'

export type Report = Use & {
  readonly seconds: number
  readonly bytes: number
  readonly rows: number
  readonly isSorted: boolean
  readonly hasRightSums: boolean
  readonly hasRightChecksum: boolean
}

type Round = Quantiles & { readonly samples: number }

export type Beside = { readonly without: Round; readonly beside: Round }

/** Steps that were left out have no figures. */
export type Figures = {
  readonly rows: number
  readonly filledSeconds: number
  readonly report: Report | undefined
  readonly curlSeconds: number | undefined
  readonly beside: Beside | undefined
}

const nodeGrowthMbMax = 150
const curlRatioMax = 1.15
const besideRatioMax = 3

export function toText(figures: Figures & Run): string {
  const { at, machine, rows, filledSeconds, report, curlSeconds, beside } = figures
  return joinSections([
    [`Reports, ${at}`, ...machineLines(machine)],
    [`Filled in ${filledSeconds.toFixed(1)} s; reports of ${showCount(rows)} rows, 10 dimensions and 10 metrics`],
    ...(report ? [reportLines(report, rows)] : []),
    ...(report && curlSeconds !== undefined ? [curlLines(report.seconds, curlSeconds)] : []),
    ...(beside ? [besideLines(beside)] : []),
  ])
}

const reportLines = (report: Report, rows: number): string[] => [
  `A report: ${report.seconds.toFixed(1)} s, ${showCount(Math.round(report.bytes / 1e6))} MB of CSV, ` +
    `${report.nodeCpuSeconds.toFixed(1)} s of processor time in Node`,
  verdict(report.rows === rows, `whole: ${showCount(report.rows)} of ${showCount(rows)} rows`),
  verdict(report.isSorted, 'sorted as asked, in a total order'),
  verdict(report.hasRightSums, "its sums are the engine's own"),
  verdict(report.hasRightChecksum, 'its checksum is the one of the record'),
  verdict(
    report.nodeGrowthMb < nodeGrowthMbMax,
    `the memory of Node rose by ${report.nodeGrowthMb.toFixed(0)} MB, less than ${nodeGrowthMbMax} allowed`,
  ),
  verdict(
    report.enginePeakMb * 2 ** 20 <= exportMemoryBytes,
    `the engine used ${report.enginePeakMb.toFixed(0)} MB for it, ${exportMemoryBytes / 2 ** 20} allowed`,
  ),
]

function curlLines(seconds: number, curlSeconds: number): string[] {
  const ratio = seconds / curlSeconds
  return [
    `The same answer to a file with curl: ${curlSeconds.toFixed(1)} s`,
    verdict(ratio <= curlRatioMax, `the report took ${ratio.toFixed(2)} times as long, ${curlRatioMax} allowed`),
  ]
}

function besideLines({ without, beside }: Beside): string[] {
  const row = (name: string, { samples, p50Ms, p99Ms }: Round): string[] => [
    name,
    String(samples),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ]
  const ratio = beside.p99Ms / without.p99Ms
  return [
    'Synchronous queries through the API, in ms',
    ...table(['', 'n', 'p50', 'p99'], [row('alone', without), row('beside two reports', beside)], 1),
    verdict(ratio <= besideRatioMax, `p99 is ${ratio.toFixed(2)} times as long, ${besideRatioMax} allowed`),
  ]
}
