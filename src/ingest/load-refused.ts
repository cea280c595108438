import { faultsShown } from '../engine/intake.ts'

export type FileFault = {
  readonly file: string
  readonly row: number | null
  readonly column: string | null
  readonly reason: string
}

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
  [file, ...(row === null ? [] : [`row ${row.toLocaleString('en-US')}`]), ...(column === null ? [] : [column])].join(
    ', ',
  ) + `: ${reason}`
