import type { Readable, Writable } from 'node:stream'

/** A report that is being written. It is visible only after it is published, as a whole. */
type Draft = {
  readonly stream: Writable
  /** Makes it durable and visible under its name; replaces one of the same name. */
  publish(): Promise<void>
  discard(): Promise<void>
}

/** A place for reports. Files are named after the job and the attempt that made them. */
export type ReportStorage = {
  draft(name: string): Promise<Draft>
  /** The size of a report, or undefined where there is none. */
  measure(name: string): Promise<number | undefined>
  read(name: string, range?: { readonly start: number; readonly end: number }): Readable
  remove(name: string): Promise<void>
  list(): Promise<readonly string[]>
  /** Lists drafts, including those of writers that died. */
  listDrafts(): Promise<readonly string[]>
  removeDraft(name: string): Promise<void>
  freeBytes(): Promise<number>
}
