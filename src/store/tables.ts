import type { ColumnType, Generated } from 'kysely'

/** Times are milliseconds since 1970, days are yyyy-MM-DD: both databases store and compare them alike. */
export type Tables = {
  readonly accounts: AccountsTable
  readonly api_keys: ApiKeysTable
  readonly loads: LoadsTable
  readonly visible_loads: VisibleLoadsTable
}

type AccountsTable = {
  readonly id: string
  readonly name: string
  /** The names of the cubes it may use, with commas between them. */
  readonly cubes: string
  readonly created_at: number
}

type ApiKeysTable = {
  readonly id: string
  readonly account_id: string
  readonly name: string
  /** SHA-256 of the key, in hex; the key itself is stored nowhere. */
  readonly hash: string
  readonly last_four: string
  readonly created_at: number
  readonly expires_at: number
  readonly deleted_at: number | null
}

type LoadsTable = {
  readonly id: Generated<number>
  readonly cube: string
  readonly state: ColumnType<'loading' | 'visible'>
  readonly started_at: number
  readonly finished_at: number | null
  readonly rows: number | null
}

/** Which loads make up a day of an account's cube. What is not named here does not exist for any reader. */
type VisibleLoadsTable = {
  readonly cube: string
  readonly account_id: string
  readonly day: string
  readonly load_id: number
}
