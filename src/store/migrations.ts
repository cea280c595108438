import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** In the order of their names. A released one never changes. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-accounts-keys-loads': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('accounts')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('cubes', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('api_keys')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull().unique())
        .addColumn('last_four', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addColumn('deleted_at', 'bigint')
        .execute()
      await db.schema
        .createTable('loads')
        // Ids are never used twice, so that facts of a load that failed can never be taken for another's.
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('cube', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('started_at', 'bigint', (column) => column.notNull())
        .addColumn('finished_at', 'bigint')
        .addColumn('rows', 'bigint')
        .execute()
      await db.schema
        .createTable('visible_loads')
        .addColumn('cube', 'text', (column) => column.notNull())
        .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
        .addColumn('day', 'text', (column) => column.notNull())
        .addColumn('load_id', 'integer', (column) => column.notNull().references('loads.id'))
        .addPrimaryKeyConstraint('visible_loads_key', ['account_id', 'cube', 'day', 'load_id'])
        .execute()
    },
  },
}
