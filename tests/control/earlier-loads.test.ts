import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { expect, it } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { columnsOfLoad, firstTables, listColumns } from '../../src/facts/stored-columns.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { findVisibleLoads } from '../../src/store/loads.ts'
import { migrations } from '../../src/store/migrations.ts'
import { createStore, storeFile } from '../../src/store/open-store.ts'
import { createPostgresDialect } from '../../src/store/postgres.ts'
import { createSqliteDialect } from '../../src/store/sqlite.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const { name } = auctions

it.each(databases)(
  'rollups of an earlier version in %s are known by the dimensions that they have',
  async (database) => {
    const place = await makePlace(database)
    const { databaseUrl } = place
    const dialect = databaseUrl ? createPostgresDialect(databaseUrl) : createSqliteDialect(storeFile(place.folder))
    const earlier = createStore(dialect)
    const provider = { getMigrations: async () => ({ ...migrations }) }
    await new Migrator({ db: earlier, provider }).migrateTo('016-load-revisions')
    await insertAccount(earlier, { id: 'old', name: 'Old', createdAt: 0 })
    await sql`INSERT INTO loads (cube, state, mode, loaded_by, files, started_at, alive_at)
    VALUES (${name}, 'visible', 'replace', '', '[]', 0, 0)`.execute(earlier)
    const lacking = { '2026-11-12': null, '2026-11-13': '', '2026-11-14': 'creative_id site app_name' }
    for (const [day, lacks] of Object.entries(lacking)) {
      await sql`INSERT INTO visible_loads (cube, account_id, day, load_id, rollup_lacks)
      VALUES (${name}, 'old', ${day}, 1, ${lacks})`.execute(earlier)
    }
    await earlier.destroy()

    const store = await openStoreAt(place)
    const found = await findVisibleLoads(store, { cube: name, account: 'old', start: '2026-11-01' })
    const { dimensions: first } = firstTables.find((table) => table.name === name)!
    const dimensions = first.map(({ column }) => column)
    const few = dimensions.filter((column) => !['creative_id', 'site', 'app_name'].includes(column))
    expect(found.map(({ rollupHas }) => rollupHas)).toEqual([null, dimensions.join(' '), few.join(' ')])
    // The facts have the columns of that version, even if the catalog has more.
    expect(columnsOfLoad({ ...auctions, dimensions: [] }, found[0]?.columns)).toBe(listColumns(firstTables[0]!))
  },
)
