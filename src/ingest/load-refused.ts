import type { FileFault, Findings } from '../store/loads.ts'

/** Of more, only the number is told. */
export const faultsShown = 20

export const noFindings: Findings = { count: 0, first: [] }

export const addFindings = (a: Findings, b: Findings): Findings => ({
  count: a.count + b.count,
  first: [...a.first, ...b.first].slice(0, faultsShown),
})

/** Says in a few words what is wrong with a file, to whoever knows which it is. */
export class UnreadableFile extends Error {}

/** The files are not as they must be: nothing of them was loaded. */
export class LoadRefused extends Error {
  /** The first of them. */
  readonly faults: readonly FileFault[]
  readonly count: number

  constructor(all: readonly FileFault[], count = all.length) {
    const faults = all.slice(0, faultsShown)
    const rest = count - faults.length
    super(
      [
        `${count.toLocaleString('en-US')} ${count === 1 ? 'fault' : 'faults'}; nothing was loaded.`,
        ...faults.map((fault) => `  ${describeFault(fault)}`),
        ...(rest > 0 ? [`  and ${rest.toLocaleString('en-US')} more`] : []),
      ].join('\n'),
    )
    this.name = 'LoadRefused'
    this.faults = faults
    this.count = count
  }
}

/** What is wrong with a file as a whole. */
export const fileFault = (file: string, reason: string): FileFault => ({ file, row: null, column: null, reason })

export const describeFault = ({ file, row, column, reason }: FileFault): string =>
  [file, ...(row === null ? [] : [`row ${row.toLocaleString('en-US')}`]), ...(column === null ? [] : [column])]
    .map(withoutControls)
    .join(', ') + `: ${reason}`

/** Names may hold anything, and a terminal obeys some of it. */
const withoutControls = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
