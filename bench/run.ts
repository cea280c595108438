/** Runs all parts of the benchmark, or the named ones, one after the other. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { canPin, say } from './adcube.ts'
import { cached } from './cached.ts'
import { openData, type Data } from './data.ts'
import { exports } from './exports.ts'
import { flood } from './flood.ts'
import { growth } from './growth.ts'
import { loads } from './loads.ts'
import { mixed } from './mixed.ts'
import { drawPlot } from './plot.ts'
import { steady } from './steady.ts'
import { synchronous } from './synchronous.ts'
import { printFigures, printTable, show, type Figure, type Outcome } from './table.ts'

type Part = (data: Data) => Promise<Outcome>
const parts: Readonly<Record<string, Part>> = { synchronous, cached, mixed, flood, exports, loads, growth, steady }
/** Number of facts that the targets are for. With fewer, targets are only shown. */
const rowsWanted = '30000000'

const flag = { type: 'string' } as const
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { ...flag, default: rowsWanted },
    data: flag,
    results: { ...flag, default: 'bench/results' },
  },
})
// Not included: `steady` takes an hour.
const chosen = positionals.length > 0 ? positionals : Object.keys(parts).filter((name) => name !== 'steady')
if (chosen.some((name) => !(name in parts))) throw new Error(`The parts are ${Object.keys(parts).join(', ')}.`)

const data = await openData(values.data, Number(values.rows))
const [processor] = cpus()
const machine = { processors: availableParallelism(), model: processor?.model, memoryGb: totalmem() / 2 ** 30, canPin }
const note = { at: new Date().toISOString(), rows: data.rows, machine }
mkdirSync(values.results, { recursive: true })
const all: Figure[] = []
for (const name of chosen) {
  say(`part ${name}`)
  const outcome = await parts[name]!(data).catch((error: unknown) => say(`${name} failed: ${String(error)}`))
  if (!outcome) {
    process.exitCode = 1
    continue
  }
  printFigures(name, outcome.figures)
  outcome.tables.forEach(printTable)
  writeFileSync(join(values.results, `${name}.json`), `${JSON.stringify({ ...note, ...outcome }, null, 2)}\n`)
  writeFileSync(join(values.results, `${name}.svg`), drawPlot(outcome))
  all.push(...outcome.figures.map((figure) => ({ ...figure, name: `${name}: ${figure.name}` })))
}
printFigures(`${show(data.rows)} facts, ${machine.processors} processors`, all)
say('done')
if (values.rows === rowsWanted && all.some(({ isMet }) => isMet === false)) process.exitCode = 1
process.exit()
