import type { Readable, Writable } from 'node:stream'

/** A report that is being written. Nobody can see it until it is published, and then only whole. */
type Draft = {
  readonly stream: Writable
  /** Makes it durable and visible under its name; replaces one of the same name. */
  publish(): Promise<void>
  discard(): Promise<void>
}

/** Where reports are kept: a folder, or whatever can do the same. Names are ours, after the job. */
export type ReportStorage = {
  draft(name: string): Promise<Draft>
  /** The size of a report, or undefined where there is none. */
  measure(name: string): Promise<number | undefined>
  read(name: string, range?: { readonly start: number; readonly end: number }): Readable
  remove(name: string): Promise<void>
  list(): Promise<readonly string[]>
  /** What is being written, or was when its writer died. */
  listDrafts(): Promise<readonly string[]>
  removeDraft(name: string): Promise<void>
  freeBytes(): Promise<number>
}
