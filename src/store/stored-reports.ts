import type { Store } from './open-store.ts'

/** A report that a job has; size and checksum are of the CSV in it. */
export type StoredReport = {
  readonly id: string
  readonly file: string
  readonly bytes: number | null
  readonly checksum: string | null
}

/** Few enough to be read at once. */
const reportsAtOnce = 1_000

/** Every report that a job has, in the order of the jobs' ids. */
export async function* listReports(store: Store): AsyncGenerator<StoredReport> {
  for (let after = ''; ;) {
    const rows = await store
      .selectFrom('jobs')
      .select(['id', 'file', 'bytes', 'checksum'])
      .where('id', '>', after)
      .where('file', 'is not', null)
      .orderBy('id')
      .limit(reportsAtOnce)
      .execute()
    for (const { file, ...row } of rows) if (file !== null) yield { ...row, file }
    const last = rows.at(-1)
    if (!last) return
    after = last.id
  }
}

export async function countReports(store: Store): Promise<number> {
  const { count } = await store
    .selectFrom('jobs')
    .select((sql) => sql.fn.countAll<number>().as('count'))
    .where('file', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}
