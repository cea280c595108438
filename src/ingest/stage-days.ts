import { sql } from 'kysely'
import { chunksOf } from '../store/chunks-of.ts'
import type { Store } from '../store/open-store.ts'
import type { FactFile } from './split-stage.ts'
import type { RollupFile } from './write-rollup.ts'

/** A day of an account, and what is recorded about its file. */
export type FiledDay = Pick<FactFile, 'account' | 'day'> &
  Partial<Pick<FactFile, 'bytes' | 'checksum' | 'rows'>> & { readonly rollup?: Omit<RollupFile, 'path'> | undefined }

/** Columns that visible and retired days have in common. */
export const sharedColumns = sql.raw('cube, account_id, day, load_id')
/** Columns with the record of a day's files, in the tables of staged, visible and retired days. */
export const fileColumns = sql.raw('bytes, checksum, rows, rollup_bytes, rollup_checksum, rollup_rows, rollup_has')

/** Few enough for a statement that holds the write lock for milliseconds. */
const rowsAtOnce = 400

/** Stores the days that a load is about to make visible, in small steps, so that making them visible takes little time. */
export async function stageDays(store: Store, id: number, days: readonly FiledDay[]): Promise<void> {
  await dropStaged(store, id)
  for (const some of chunksOf(days, rowsAtOnce)) {
    const rows = some.map(({ account, day, bytes = null, checksum = null, rows = null, rollup }) => ({
      loadId: id,
      accountId: account,
      day,
      bytes,
      checksum,
      rows,
      rollupBytes: rollup?.bytes ?? null,
      rollupChecksum: rollup?.checksum ?? null,
      rollupRows: rollup?.rows ?? null,
      rollupHas: rollup?.has ?? null,
    }))
    await store.insertInto('stagedDays').values(rows).execute()
  }
}

/** Deletes the staged days of a load, in small steps, each of whole accounts. */
export async function dropStaged(store: Store, id: number, throwIfOver: () => void = () => {}): Promise<void> {
  for (;;) {
    throwIfOver()
    const last = await store
      .selectFrom('stagedDays')
      .select('accountId')
      .where('loadId', '=', id)
      .orderBy('accountId')
      .offset(rowsAtOnce)
      .limit(1)
      .executeTakeFirst()
    await store
      .deleteFrom('stagedDays')
      .where('loadId', '=', id)
      .$if(last !== undefined, (some) => some.where('accountId', '<=', last?.accountId ?? ''))
      .execute()
    if (!last) return
  }
}

/** Deletes the staged days of loads that have ended, because their loader was killed. */
export async function sweepStaged(store: Store, throwIfOver: () => void): Promise<void> {
  let last = 0
  for (;;) {
    const { id } = await store
      .selectFrom('stagedDays')
      .select(({ fn }) => fn.min<number | null>('loadId').as('id'))
      .where('loadId', '>', last)
      .executeTakeFirstOrThrow()
    if (id === null) return
    const load = await store.selectFrom('loads').select('state').where('id', '=', id).executeTakeFirst()
    if (load?.state !== 'loading') await dropStaged(store, id, throwIfOver)
    last = id
  }
}
