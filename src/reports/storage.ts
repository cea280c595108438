import type { Readable, Writable } from 'node:stream'

/** A report that is being written. Nobody can see it until it is published, and then only whole. */
type Draft = {
  readonly stream: Writable
  /** Makes it durable and visible under its name; replaces one of the same name. */
  publish(): Promise<void>
  discard(): Promise<void>
}

/** Where reports are kept: a folder, or whatever can do the same. Names are ours: letters, digits, `_`, `-` and `.`. */
export type ReportStorage = {
  draft(name: string): Promise<Draft>
  /** The size of a report, or undefined where there is none. */
  measure(name: string): Promise<number | undefined>
  read(name: string, range?: { readonly start: number; readonly end: number }): Readable
  remove(name: string): Promise<void>
  list(): Promise<readonly string[]>
  /** Removes what writers that are gone have left half-written. */
  sweepDrafts(isAbandoned: (name: string) => Promise<boolean>): Promise<void>
  freeBytes(): Promise<number>
}
