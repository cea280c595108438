import { cpus, totalmem } from 'node:os'

export type Machine = {
  readonly processor: string
  readonly cores: number
  readonly memoryGb: number
  readonly node: string
  readonly engine: string
  /** Another Node hosts the engine, which is only ever done to emulate another processor. */
  readonly isEngineEmulated: boolean
}

export const describeMachine = (engine: string, isEngineEmulated: boolean): Machine => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  engine,
  isEngineEmulated,
})

export const machineLines = ({ processor, cores, memoryGb, node, engine, isEngineEmulated }: Machine): string[] => [
  `${processor}, ${cores} cores, ${memoryGb} GB; Node ${node}, ClickHouse ${engine}`,
  isEngineEmulated
    ? 'THE ENGINE IS EMULATED (ADCUBE_ENGINE_NODE is set): its times are some fifty times too long, and no verdict on them counts.'
    : 'The engine runs natively.',
]

/** Columns of text to the left, of numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], textColumns: number): string[] {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column < textColumns ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)]
}

export const joinSections = (sections: readonly (readonly string[])[]): string =>
  `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`

/** A target that was met, or by how much it was not. */
export const verdict = (isMet: boolean, text: string): string => `${isMet ? 'PASS  ' : 'MISSED'}  ${text}`

export const showCount = (value: number): string => value.toLocaleString('en-US')
