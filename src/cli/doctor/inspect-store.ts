import { stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { migrations } from '../../store/migrations.ts'
import { storeFile } from '../../store/open-store.ts'
import { readOnlyUrl } from '../../store/snapshot-store.ts'
import type { Settings } from '../settings.ts'

const connectMsMax = 5_000

type Ask = (sql: string) => Promise<readonly Record<string, unknown>[]>

export type StoreCondition = NonNullable<Awaited<ReturnType<typeof inspectStore>>>

/** Reads the condition of the control database without changing it; undefined if there is none yet. */
export async function inspectStore({ dataDir, databaseUrl }: Settings) {
  return databaseUrl === undefined ? inspectFile(storeFile(dataDir)) : inspectServer(databaseUrl)
}

async function inspectFile(file: string) {
  const found = await stat(file).catch(() => undefined)
  if (!found) return undefined
  const database = new DatabaseSync(readOnlyUrl(file), { readOnly: true, timeout: connectMsMax })
  try {
    const ask: Ask = async (sql) => database.prepare(sql).all()
    const [check] = await ask('PRAGMA quick_check(1)')
    const damage = check?.quick_check === 'ok' ? undefined : String(check?.quick_check)
    const tables = await inspectTables(ask, "SELECT name FROM sqlite_schema WHERE type = 'table'")
    return { ...tables, damage, aheadMs: undefined, isOpenToOthers: (found.mode & 0o007) !== 0 }
  } finally {
    database.close()
  }
}

async function inspectServer(connectionString: string) {
  const client = new Client({
    connectionString,
    application_name: 'adcube doctor',
    connectionTimeoutMillis: connectMsMax,
    query_timeout: connectMsMax,
  })
  // If a connection breaks, the current query fails with the error.
  client.on('error', () => {})
  try {
    await client.connect()
    const ask: Ask = async (sql) => (await client.query<Record<string, unknown>>(sql)).rows
    await ask('BEGIN READ ONLY')
    const askedAt = Date.now()
    const [clock] = await ask('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
    // PostgreSQL read its clock between the question and the answer.
    const aheadMs = Number(clock?.now) - (askedAt + Date.now()) / 2
    const listTables = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = ANY (current_schemas(false))'
    return { ...(await inspectTables(ask, listTables)), damage: undefined, aheadMs, isOpenToOthers: false }
  } finally {
    await client.end().catch(() => {})
  }
}

async function inspectTables(ask: Ask, listTables: string) {
  const tables = new Set((await ask(listTables)).map(({ name }) => name))
  const read = async (table: string, sql: string) => (tables.has(table) ? ask(sql) : [])
  const steps = await read('kysely_migration', 'SELECT name FROM kysely_migration')
  const applied = steps.map(({ name }) => String(name))
  const times = [
    ...(await read('audit', 'SELECT max(at) AS at FROM audit')),
    ...(await read('loads', 'SELECT max(started_at) AS at FROM loads')),
  ].map(({ at }) => Number(at ?? 0))
  const [secret] = await read('secrets', "SELECT value FROM secrets WHERE name = 'engine-owner'")
  return {
    /** Migrations that the next start runs. */
    pending: Object.keys(migrations).filter((step) => !applied.includes(step)),
    /** Migrations of a newer version. */
    unknown: applied.filter((step) => !(step in migrations)),
    /** The time of the last change or load. */
    newestAt: Math.max(0, ...times) || undefined,
    /** The mark of the facts that belong to this control data. */
    owner: secret && String(secret.value),
  }
}
