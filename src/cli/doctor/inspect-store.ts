import { stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Client } from 'pg'
import { migrations } from '../../store/migrations.ts'
import { storeFile, type StorePlace } from '../../store/open-store.ts'

/** The control database as it is, without opening it for good: no table is made and no step is taken. */
export type StoreCondition = {
  /** Steps that the next process to open it will take, and steps of which this version knows nothing. */
  readonly pending: readonly string[]
  readonly unknown: readonly string[]
  /** What SQLite found wrong with the file; undefined where nothing is. */
  readonly damage: string | undefined
  /** The newest time in it, of a change or a load. */
  readonly newestAt: number | undefined
  /** How far its own clock is ahead of ours, where it has one. */
  readonly aheadMs: number | undefined
  /** The mark that facts of this control data have. */
  readonly owner: string | undefined
  /** Whether other users of the machine can read it. */
  readonly isOpenToOthers: boolean
}

const connectMsMax = 5_000

type Ask = (sql: string) => Promise<readonly Record<string, unknown>[]>

/** Undefined where there is none yet. Throws where it cannot be read. */
export async function inspectStore(place: StorePlace): Promise<StoreCondition | undefined> {
  return place.databaseUrl === undefined ? inspectFile(storeFile(place.folder)) : inspectServer(place.databaseUrl)
}

async function inspectFile(file: string): Promise<StoreCondition | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (!found) return undefined
  const url = pathToFileURL(file)
  // Even a reader would make the files of a log that is not there, and leave them behind.
  if (!(await stat(`${file}-wal`).catch(() => undefined))) url.searchParams.set('immutable', '1')
  const database = new DatabaseSync(url, { readOnly: true, timeout: connectMsMax })
  try {
    const ask: Ask = async (sql) => database.prepare(sql).all()
    const [check] = await ask('PRAGMA quick_check(1)')
    const damage = check?.quick_check === 'ok' ? undefined : String(check?.quick_check)
    const tables = (await ask("SELECT name FROM sqlite_schema WHERE type = 'table'")).map(({ name }) => String(name))
    const isOpenToOthers = (found.mode & 0o007) !== 0
    return { ...(await inspectTables(ask, tables)), damage, aheadMs: undefined, isOpenToOthers }
  } finally {
    database.close()
  }
}

async function inspectServer(connectionString: string): Promise<StoreCondition> {
  const client = new Client({
    connectionString,
    application_name: 'adcube doctor',
    connectionTimeoutMillis: connectMsMax,
    query_timeout: connectMsMax,
  })
  // A connection that breaks later is the error of the query under way.
  client.on('error', () => {})
  try {
    await client.connect()
    const ask: Ask = async (sql) => (await client.query<Record<string, unknown>>(sql)).rows
    await ask('BEGIN READ ONLY')
    const names = await ask('SELECT tablename AS name FROM pg_tables WHERE schemaname = ANY (current_schemas(false))')
    const askedAt = Date.now()
    const [clock] = await ask('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
    // It looked at its clock some time between question and answer.
    const aheadMs = Number(clock?.now) - (askedAt + Date.now()) / 2
    const condition = await inspectTables(
      ask,
      names.map(({ name }) => String(name)),
    )
    return { ...condition, damage: undefined, aheadMs, isOpenToOthers: false }
  } finally {
    await client.end().catch(() => {})
  }
}

async function inspectTables(ask: Ask, tables: readonly string[]) {
  const read = async (table: string, sql: string) => (tables.includes(table) ? ask(sql) : [])
  const steps = await read('kysely_migration', 'SELECT name FROM kysely_migration')
  const applied = new Set(steps.map(({ name }) => String(name)))
  const known = Object.keys(migrations)
  const times = [
    ...(await read('audit', 'SELECT max(at) AS at FROM audit')),
    ...(await read('loads', 'SELECT max(started_at) AS at FROM loads')),
  ].map(({ at }) => Number(at ?? 0))
  const [secret] = await read('secrets', "SELECT value FROM secrets WHERE name = 'engine-owner'")
  const newestAt = Math.max(0, ...times)
  return {
    pending: known.filter((step) => !applied.has(step)),
    unknown: [...applied].filter((step) => !known.includes(step)),
    newestAt: newestAt === 0 ? undefined : newestAt,
    owner: secret === undefined ? undefined : String(secret.value),
  }
}
