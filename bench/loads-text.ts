import type { Run } from './run-bench.ts'
import { joinSections, machineLines, showCount, verdict } from './text.ts'

export type LoadFigures = {
  readonly rows: number
  readonly bytes: number
  readonly oursSeconds: readonly number[]
  readonly typedSeconds: readonly number[]
  readonly nodeGrowthMb: number
}

export type RestartFigures = {
  readonly days: number
  readonly accounts: number
  readonly rows: number
  readonly startSeconds: number
  readonly firstQuerySeconds: number
}

/** Steps that were left out have no figures. */
export type Figures = {
  readonly load: LoadFigures | undefined
  readonly restart: RestartFigures | undefined
}

const ratioMax = 2
const nodeGrowthMbMax = 150
const startSecondsMax = 5
const firstQuerySecondsMax = 1

export const toText = ({ at, machine, load, restart }: Figures & Run): string =>
  joinSections([
    [`Loads, ${at}`, ...machineLines(machine)],
    ...(load ? [loadLines(load)] : []),
    ...(restart ? [restartLines(restart)] : []),
  ])

function loadLines({ rows, bytes, oursSeconds, typedSeconds, nodeGrowthMb }: LoadFigures): string[] {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const ratio = sum(oursSeconds) / sum(typedSeconds)
  const seconds = (values: readonly number[]): string => values.map((value) => `${value.toFixed(1)} s`).join(' and ')
  return [
    `A Parquet file of ${showCount(rows)} rows, ${showCount(Math.round(bytes / 1e6))} MB`,
    `Loaded in ${seconds(oursSeconds)}; by the engine's own insert in ${seconds(typedSeconds)}`,
    verdict(ratio <= ratioMax, `the load took ${ratio.toFixed(2)} times as long, ${ratioMax} allowed`),
    verdict(
      nodeGrowthMb < nodeGrowthMbMax,
      `the memory of Node rose by ${nodeGrowthMb.toFixed(0)} MB, ${nodeGrowthMbMax} allowed`,
    ),
  ]
}

const restartLines = ({ days, accounts, rows, startSeconds, firstQuerySeconds }: RestartFigures): string[] => [
  `${days} days of ${accounts} accounts in both cubes, ${showCount(rows)} facts`,
  verdict(startSeconds <= startSecondsMax, `started in ${startSeconds.toFixed(1)} s, ${startSecondsMax} allowed`),
  verdict(
    firstQuerySeconds <= firstQuerySecondsMax,
    `the first query took ${firstQuerySeconds.toFixed(2)} s, ${firstQuerySecondsMax} allowed`,
  ),
]
