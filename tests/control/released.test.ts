import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { createKey, listKeys } from '../../src/access/keys.ts'
import { auctions } from '../../src/catalog/auctions.ts'
import { beginLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import { findJob } from '../../src/reports/job.ts'
import { listAccounts } from '../../src/store/accounts.ts'
import { findVisibleLoads } from '../../src/store/loads.ts'
import { storeFile, type StorePlace } from '../../src/store/open-store.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

/** Control data with a little of everything, as the code of that time made them after a migration (tests/released). */
const released = ['012', '016', '018']
/** Tables that a later migration removes, because nobody reads them any more. */
const removed = new Set(['access_revision'])
const invitation = ['invitation_selector', 'invitation_verifier', 'invitation_expires_at']
/** Replaced by a trigger with each change of visible loads, or moved to another table. */
const changing = new Set(['loads_revision', ...invitation])

type Row = Readonly<Record<string, unknown>>
type Ask = (sql: string) => Promise<readonly Row[]>

/** Asks a database without our code. */
async function withDatabase<Result>({ folder, databaseUrl }: StorePlace, work: (ask: Ask) => Promise<Result>) {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(storeFile(folder))
    try {
      return await work(async (sql) => {
        if (/^(?:SELECT|EXPLAIN|PRAGMA)/.test(sql)) return database.prepare(sql).all()
        database.exec(sql)
        return []
      })
    } finally {
      database.close()
    }
  }
  const client = new Client(databaseUrl)
  await client.connect()
  try {
    return await work(async (sql) => (await client.query<Row>(sql)).rows)
  } finally {
    await client.end()
  }
}

/** Reads all rows of all tables. */
const readAll = (place: StorePlace) =>
  withDatabase(place, async (ask) => {
    const tables = await ask(
      place.databaseUrl === undefined
        ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    )
    const all = new Map<string, readonly Row[]>()
    for (const { name } of tables) {
      if (!String(name).startsWith('kysely_')) all.set(String(name), await ask(`SELECT * FROM ${String(name)}`))
    }
    return all
  })

const textsOf = (rows: readonly Row[], columns: readonly string[]): readonly string[] =>
  rows.map((row) => JSON.stringify(columns.map((column) => row[column]))).toSorted()

describe.each(databases)('released control data in %s', (database) => {
  it.each(released)('of migration %s open with all their data', async (step) => {
    const place = await makePlace(database)
    const dump = await readFile(`tests/released/${step}-${database.toLowerCase()}.sql`, 'utf8')
    await withDatabase(place, (ask) => ask(dump))
    const before = await readAll(place)
    const store = await openStoreAt(place)
    const after = await readAll(place)
    for (const [table, rows] of before) {
      if (removed.has(table)) continue
      expect(rows.length, table).toBeGreaterThan(0)
      const columns = Object.keys(rows[0]!).filter((column) => !changing.has(column))
      expect(textsOf(after.get(table) ?? [], columns), table).toEqual(textsOf(rows, columns))
    }

    expect(textsOf(after.get('memberships')!, invitation)).toEqual(textsOf(before.get('people')!, invitation))

    // Today's code reads and changes them.
    expect((await listAccounts(store)).map(({ id }) => id)).toEqual(['harbor-news', 'closed'])
    expect((await listKeys(store, 'harbor-news')).map(({ name }) => name)).toContain('Nightly')
    expect(await findJob(store, 'job_1')).toMatchObject({ state: 'SUCCESS', rows: 30, file: 'job_1_1.csv.gz' })
    const [account, cube, now] = ['harbor-news', auctions.name, Date.UTC(2026, 9, 2)]
    const find = () => findVisibleLoads(store, { cube, account, start: '2026-09-30' })
    const rollupHas = {
      '012': null,
      '016': expect.stringMatching(/^ad_size (?!.*app_id).*country/),
      '018': 'country site',
    }
    expect(await find()).toEqual([
      expect.objectContaining({ load: 1, rollupHas: rollupHas[step as keyof typeof rollupHas] }),
    ])
    const id = await beginLoad(store, { cube, now })
    await publishLoad(store, { id, cube, days: [{ account, day: '2026-09-30' }], rows: 1, now })
    expect(await find()).toMatchObject([{ load: id }])
    expect(await createKey(store, { accountId: account, actor: 'operator', name: 'New', now })).toHaveProperty('key')
  })
})

/** Makes numbered parameters out of question marks. */
function numberParameters(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}

describe.each(databases)('after the upgrade of control data in %s', async (database) => {
  const place = await makePlace(database)
  await openStoreAt(place)
  const lines = (await readFile('tests/released/018-statements.sql', 'utf8')).trim().split('\n')
  const statements = lines.flatMap((line) => {
    const [, only, sql = ''] = /^(?:-- (SQLite|PostgreSQL) -- )?(.*)$/.exec(line)!
    return only === undefined || only === database ? [sql] : []
  })

  it('processes of the version before can run all their statements', async () => {
    expect(statements.length).toBeGreaterThan(50)
    const broken = await withDatabase(place, async (ask) => {
      const faults: string[] = []
      for (const sql of statements) {
        // Plans the statement, with the unique index of ON CONFLICT, and does not run it.
        const plan = database === 'SQLite' ? `EXPLAIN ${sql}` : `EXPLAIN (GENERIC_PLAN) ${numberParameters(sql)}`
        await ask(plan).catch((error: Error) => faults.push(`${error.message}: ${sql}`))
      }
      return faults
    })
    expect(broken).toEqual([])
  })

  it('rows that the version before inserts have a value in every required column', async () => {
    const isRequired = await withDatabase(place, async (ask) => {
      const columns = await ask(
        database === 'SQLite'
          ? `SELECT schema.name AS "table", info.name AS "column" FROM sqlite_schema AS schema, pragma_table_info(schema.name) AS info
              WHERE schema.type = 'table' AND info."notnull" = 1 AND info.dflt_value IS NULL`
          : `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
              WHERE table_schema = 'public' AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'`,
      )
      return Map.groupBy(columns, ({ table }) => table)
    })
    const inserts = statements.flatMap((sql) => {
      const [, table = '', columns = ''] = /^insert into "(\w+)" \(([^)]*)\)/i.exec(sql) ?? []
      return table === '' ? [] : [{ table, columns: columns.replaceAll('"', '').split(', ') }]
    })
    expect(inserts.length).toBeGreaterThan(10)
    const missing = inserts.flatMap(({ table, columns }) =>
      (isRequired.get(table) ?? []).filter(({ column }) => !columns.includes(String(column))),
    )
    expect(missing).toEqual([])
  })
})
