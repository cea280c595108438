import type { FileFault, Findings } from '../store/loads.ts'

/** Further faults are only counted. */
export const faultsShown = 20

export const addFindings = (...all: readonly Findings[]): Findings => ({
  count: all.reduce((sum, { count }) => sum + count, 0),
  first: all.flatMap(({ first }) => first).slice(0, faultsShown),
})

export const noFindings: Findings = { count: 0, first: [] }

/** A fault of a file as a whole. */
export const fileFault = (file: string, reason: string): Findings => ({
  count: 1,
  first: [{ file, row: null, column: null, reason }],
})

/** A file cannot be read. The message is the reason; the caller knows the file. */
export class UnreadableFile extends Error {}

/** The files have faults, so nothing was loaded. */
export class LoadRefused extends Error {
  readonly faults: readonly FileFault[]
  readonly count: number

  constructor({ first, count }: Findings) {
    const rest = count - first.length
    super(
      [
        `${count.toLocaleString('en-US')} ${count === 1 ? 'fault' : 'faults'}; nothing was loaded.`,
        ...first.map((fault) => `  ${describeFault(fault)}`),
        ...(rest > 0 ? [`  and ${rest.toLocaleString('en-US')} more`] : []),
      ].join('\n'),
    )
    this.name = 'LoadRefused'
    this.faults = first
    this.count = count
  }
}

export const describeFault = ({ file, row, column, reason }: FileFault): string =>
  [file, ...(row === null ? [] : [`row ${row.toLocaleString('en-US')}`]), ...(column === null ? [] : [column])]
    .map(escapeControls)
    .join(', ') + `: ${reason}`

/** Names may hold control characters, which a terminal would obey. */
const escapeControls = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
