import { PostgresAdapter, sql, type ColumnDefinitionBuilder, type Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder

const key: Column = (column) => column.primaryKey()
const required: Column = (column) => column.notNull()
const account: Column = (column) => column.notNull().references('accounts.id')

const isPostgres = (db: Kysely<unknown>): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** A number that is never given twice, not even after its row is gone. */
const serial =
  (db: Kysely<unknown>): Column =>
  (column) =>
    isPostgres(db) ? column.primaryKey().generatedAlwaysAsIdentity() : column.primaryKey().autoIncrement()

/** In the order of their names. A released one never changes. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-control-data': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('accounts')
        .addColumn('id', 'text', key)
        .addColumn('name', 'text', required)
        .addColumn('cubes', 'text', required)
        .addColumn('rate_factor', 'integer', required)
        .addColumn('created_at', 'bigint', required)
        .addColumn('disabled_at', 'bigint')
        .execute()
      await db.schema
        .createTable('api_keys')
        .addColumn('id', 'text', key)
        .addColumn('account_id', 'text', account)
        .addColumn('name', 'text', required)
        .addColumn('selector', 'text', (column) => column.notNull().unique())
        .addColumn('verifier', 'text', required)
        .addColumn('last_four', 'text', required)
        .addColumn('created_at', 'bigint', required)
        .addColumn('expires_at', 'bigint', required)
        .addColumn('last_used_at', 'bigint')
        .addColumn('deleted_at', 'bigint')
        .execute()
      await db.schema.createIndex('api_keys_of_account').on('api_keys').column('account_id').execute()
      await db.schema
        .createTable('loads')
        // Were an id used again, facts of a load that failed could be taken for another's.
        .addColumn('id', 'integer', serial(db))
        .addColumn('cube', 'text', required)
        .addColumn('state', 'text', required)
        .addColumn('started_at', 'bigint', required)
        .addColumn('finished_at', 'bigint')
        .addColumn('rows', 'bigint')
        .execute()
      await db.schema
        .createTable('visible_loads')
        .addColumn('cube', 'text', required)
        .addColumn('account_id', 'text', account)
        .addColumn('day', 'text', required)
        .addColumn('load_id', 'integer', (column) => column.notNull().references('loads.id'))
        .addPrimaryKeyConstraint('visible_loads_key', ['account_id', 'cube', 'day', 'load_id'])
        .execute()
      await db.schema
        .createTable('people')
        .addColumn('id', 'text', key)
        .addColumn('account_id', 'text', account)
        .addColumn('email', 'text', (column) => column.notNull().unique())
        .addColumn('role', 'text', required)
        .addColumn('password_hash', 'text')
        .addColumn('invitation_selector', 'text', (column) => column.unique())
        .addColumn('invitation_verifier', 'text')
        .addColumn('invitation_expires_at', 'bigint')
        .addColumn('created_at', 'bigint', required)
        .addColumn('last_signed_in_at', 'bigint')
        .execute()
      await db.schema.createIndex('people_of_account').on('people').column('account_id').execute()
      await db.schema
        .createTable('sessions')
        .addColumn('selector', 'text', key)
        .addColumn('verifier', 'text', required)
        .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
        .addColumn('created_at', 'bigint', required)
        .addColumn('last_seen_at', 'bigint', required)
        .execute()
      await db.schema.createIndex('sessions_of_person').on('sessions').column('person_id').execute()
      await db.schema
        .createTable('audit')
        .addColumn('id', 'integer', serial(db))
        .addColumn('account_id', 'text', account)
        .addColumn('at', 'bigint', required)
        .addColumn('actor', 'text', required)
        .addColumn('action', 'text', required)
        .addColumn('subject', 'text', required)
        .execute()
      await db.schema.createIndex('audit_of_account').on('audit').columns(['account_id', 'id']).execute()
      await db.schema
        .createTable('access_revision')
        .addColumn('id', 'integer', key)
        .addColumn('revision', 'bigint', required)
        .execute()
      await db.schema
        .createTable('rate_states')
        .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
        .addColumn('version', 'bigint', required)
        .addColumn('state', 'text', required)
        .execute()
    },
  },
  '002-jobs': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('jobs')
        .addColumn('id', 'text', key)
        .addColumn('account_id', 'text', account)
        .addColumn('cube', 'text', required)
        .addColumn('body', 'text', required)
        .addColumn('idempotency_key', 'text')
        .addColumn('state', 'text', required)
        .addColumn('created_at', 'bigint', required)
        .addColumn('deadline_at', 'bigint', required)
        .addColumn('available_at', 'bigint', required)
        .addColumn('attempts', 'integer', required)
        .addColumn('worker', 'text')
        .addColumn('lease_until', 'bigint')
        .addColumn('started_at', 'bigint')
        .addColumn('finished_at', 'bigint')
        .addColumn('progress', 'double precision', required)
        .addColumn('file', 'text')
        .addColumn('rows', 'bigint')
        .addColumn('bytes', 'bigint')
        .addColumn('checksum', 'text')
        .addColumn('failure_reason', 'text')
        .addColumn('expires_at', 'bigint')
        .addColumn('removed_at', 'bigint')
        .execute()
      await db.schema.createIndex('jobs_of_account').on('jobs').columns(['account_id', 'created_at']).execute()
      await db.schema.createIndex('jobs_by_state').on('jobs').columns(['state', 'available_at']).execute()
      await db.schema
        .createTable('secrets')
        .addColumn('name', 'text', key)
        .addColumn('value', 'text', required)
        .execute()
    },
  },
  '003-loads': {
    async up(db: Kysely<unknown>) {
      const add = (name: string, type: 'text' | 'bigint' | 'integer', column: Column = (plain) => plain) =>
        // SQLite takes one column at a time.
        db.schema.alterTable('loads').addColumn(name, type, column).execute()
      await add('mode', 'text', (column) => column.notNull().defaultTo('replace'))
      await add('loaded_by', 'text', (column) => column.notNull().defaultTo(''))
      await add('files', 'text', (column) => column.notNull().defaultTo('[]'))
      await add('alive_at', 'bigint', (column) => column.notNull().defaultTo(0))
      await add('accounts', 'integer')
      await add('first_day', 'text')
      await add('last_day', 'text')
      await add('fingerprint', 'text')
      await add('failure_reason', 'text')
      await add('swept_at', 'bigint')
      await db.schema.createIndex('loads_by_state').on('loads').column('state').execute()
      await db.schema.createIndex('loads_by_fingerprint').on('loads').column('fingerprint').execute()
      await db.schema.createIndex('visible_loads_by_day').on('visible_loads').column('day').execute()
      await db.schema
        .createTable('retired_loads')
        .addColumn('cube', 'text', required)
        .addColumn('account_id', 'text', account)
        .addColumn('day', 'text', required)
        .addColumn('load_id', 'integer', (column) => column.notNull().references('loads.id'))
        .addColumn('retired_at', 'bigint', required)
        .addPrimaryKeyConstraint('retired_loads_key', ['account_id', 'cube', 'day', 'load_id'])
        .execute()
    },
  },
  '004-appended-files': {
    async up(db: Kysely<unknown>) {
      await db.schema.dropIndex('loads_by_fingerprint').execute()
      await db.schema.alterTable('loads').dropColumn('fingerprint').execute()
      await db.schema
        .createTable('appended_files')
        .addColumn('checksum', 'text', required)
        .addColumn('load_id', 'integer', (column) => column.notNull().references('loads.id'))
        .addPrimaryKeyConstraint('appended_files_key', ['checksum', 'load_id'])
        .execute()
      await db.schema.createIndex('visible_loads_by_load').on('visible_loads').column('load_id').execute()
    },
  },
  '005-days-of-jobs': {
    async up(db: Kysely<unknown>) {
      for (const column of ['start_day', 'end_day']) {
        await db.schema
          .alterTable('jobs')
          .addColumn(column, 'text', (day) => day.notNull().defaultTo(''))
          .execute()
      }
    },
  },
  '006-facts-in-files': {
    // Facts that were loaded before are in an engine that is no longer there, or count devices by another hash.
    async up(db: Kysely<unknown>) {
      for (const table of ['visible_loads', 'retired_loads', 'appended_files']) {
        await sql`DELETE FROM ${sql.table(table)}`.execute(db)
      }
      const reason = 'Loaded by an earlier version; load it again.'
      await sql`UPDATE loads SET state = 'failed', failure_reason = ${reason} WHERE state = 'visible'`.execute(db)
    },
  },
  '007-leases': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('leases')
        .addColumn('name', 'text', key)
        .addColumn('holder', 'text', required)
        .addColumn('until', 'bigint', required)
        .execute()
    },
  },
  '008-claims': {
    async up(db: Kysely<unknown>) {
      // A claim is the job and the number of the attempt; nothing needs to know who has it.
      await db.schema.alterTable('jobs').dropColumn('worker').execute()
      await db.schema
        .alterTable('jobs')
        .addColumn('excused', 'integer', (column) => column.notNull().defaultTo(0))
        .execute()
      await db.schema.alterTable('jobs').addColumn('waits_for', 'text').execute()
      await db.schema.createIndex('jobs_by_deadline').on('jobs').columns(['state', 'deadline_at']).execute()
      await db.schema.createIndex('jobs_by_expiry').on('jobs').column('expires_at').execute()
    },
  },
  '009-report-blocks': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('jobs').addColumn('blocks', 'text').execute()
    },
  },
  '010-retention': {
    async up(db: Kysely<unknown>) {
      // What each sweep looks for is found without reading the whole table.
      const addIndex = (name: string, table: string, ...columns: string[]) =>
        db.schema.createIndex(name).on(table).columns(columns).execute()
      await addIndex('loads_by_sweep', 'loads', 'cube', 'state', 'swept_at')
      await addIndex('loads_by_end', 'loads', 'finished_at')
      await addIndex('retired_loads_by_day', 'retired_loads', 'cube', 'day')
      await addIndex('retired_loads_by_load', 'retired_loads', 'load_id')
      await addIndex('appended_files_by_load', 'appended_files', 'load_id')
      await addIndex('api_keys_by_expiry', 'api_keys', 'expires_at')
      await addIndex('audit_by_time', 'audit', 'at')
      await addIndex('sessions_by_use', 'sessions', 'last_seen_at')
      await addIndex('people_by_invitation', 'people', 'invitation_expires_at')
      // From now on they go when their load does.
      await sql`DELETE FROM appended_files WHERE load_id NOT IN (SELECT load_id FROM visible_loads)`.execute(db)
    },
  },
  '011-rate-slots': {
    // What counted before is in another form, and counts for a minute at most.
    async up(db: Kysely<unknown>) {
      await sql`DELETE FROM rate_states`.execute(db)
      await db.schema.alterTable('rate_states').dropColumn('version').execute()
    },
  },
  '012-fact-files': {
    async up(db: Kysely<unknown>) {
      const add = (name: string, type: 'text' | 'bigint') =>
        db.schema.alterTable('visible_loads').addColumn(name, type).execute()
      await add('bytes', 'bigint')
      await add('checksum', 'text')
      await add('rows', 'bigint')
    },
  },
  '013-figures': {
    async up(db: Kysely<unknown>) {
      await db.schema.createIndex('jobs_by_end').on('jobs').columns(['state', 'finished_at']).execute()
      await db.schema.createIndex('visible_loads_by_cube').on('visible_loads').columns(['cube', 'day']).execute()
    },
  },
  '014-console': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('views')
        .addColumn('id', 'text', key)
        .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
        .addColumn('name', 'text', required)
        .addColumn('search', 'text', required)
        .addColumn('created_at', 'bigint', required)
        .execute()
      await db.schema.createIndex('views_of_person').on('views').column('person_id').execute()
      await db.schema.alterTable('loads').addColumn('warnings', 'text').execute()
    },
  },
  '015-rollups': {
    async up(db: Kysely<unknown>) {
      const add = (name: string, type: 'text' | 'bigint') =>
        db.schema.alterTable('visible_loads').addColumn(name, type).execute()
      await add('rollup_bytes', 'bigint')
      await add('rollup_checksum', 'text')
      await add('rollup_rows', 'bigint')
      await add('rollup_lacks', 'text')
    },
  },
  '016-load-revisions': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .alterTable('accounts')
        .addColumn('loads_revision', 'text', (column) => column.notNull().defaultTo(''))
        .execute()
      // By triggers, because processes of an earlier version load and sweep, too, while the others are upgraded.
      for (const statement of isPostgres(db) ? postgresTriggers : sqliteTriggers) await sql.raw(statement).execute(db)
    },
  },
  '017-columns-of-loads': {
    async up(given: Kysely<any>) {
      const db = given.withoutPlugins()
      await db.schema.alterTable('loads').addColumn('columns', 'text').execute()
      await db.schema.alterTable('visible_loads').addColumn('rollup_has', 'text').execute()
      // Until now a rollup recorded what it lacked of the dimensions of that time. The old column stays, because
      // processes of an earlier version write it: their rollups have no record for later versions, and are not read.
      const rollups = db.selectFrom('visible_loads').select(['cube', 'rollup_lacks']).distinct()
      for (const { cube, rollup_lacks } of await rollups.where('rollup_lacks', 'is not', null).execute()) {
        const dimensions = (dimensionsUntil017[cube] ?? '').trim().split(/\s+/)
        const has = dimensions.filter((column) => !rollup_lacks.split(' ').includes(column))
        await db
          .updateTable('visible_loads')
          .set({ rollup_has: has.join(' ') })
          .where('cube', '=', cube)
          .where('rollup_lacks', '=', rollup_lacks)
          .execute()
      }
    },
  },
  '018-keys-are-read': {
    // Each request reads its key and account, so that nothing has to announce a change of them.
    async up(db: Kysely<unknown>) {
      await db.schema.dropTable('access_revision').execute()
    },
  },
}

const dimensionsUntil017: Readonly<Record<string, string>> = {
  publisher_auctions_cube: `
    ad_size adgroup_id adgroup_name adgroup_priority adomain adunit_id adunit_name age_range app_version app_name app_id
    adunit_format bidder_name buyer_seat consent_status consent_status_details country creative_id creative_mraid
    creative_video_served device gender global_aid has_device_id has_location impression_latency
    interstitial_playables_enabled inventory_package os os_version order_advertiser order_id order_name price_floor
    publisher publisher_id request_video_duration response_deal_id response_video_duration sdk_version site time
    video_inventory_enabled viewability_vendors_response winning_creative_ad_size`,
  publisher_platform_performance_cube: `
    account_key publisher_name app_id app_name adgroup_type adgroup_network_type adgroup_id adgroup_name adunit_id
    adunit_name adunit_format country os order_id order_advertiser order_name nr_network_type sdk_version`,
}

/** Whatever changes an account's visible loads gives it a revision that no state of them had before. */
const sqliteTriggers = (
  [
    ['INSERT', 'NEW.account_id'],
    ['UPDATE', 'OLD.account_id, NEW.account_id'],
    ['DELETE', 'OLD.account_id'],
  ] as const
).map(
  ([change, ids]) => `
    CREATE TRIGGER loads_revision_${change.toLowerCase()} AFTER ${change} ON visible_loads BEGIN
      UPDATE accounts SET loads_revision = hex(randomblob(16)) WHERE id IN (${ids});
    END`,
)

/** For each statement: a load may change hundreds of days. */
const postgresTriggers = [
  `CREATE FUNCTION renew_loads_revision() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE accounts SET loads_revision = gen_random_uuid() WHERE id IN (SELECT account_id FROM changed);
      RETURN NULL;
    END $$`,
  ...(
    [
      ['INSERT', 'NEW'],
      ['UPDATE', 'OLD'],
      ['UPDATE', 'NEW'],
      ['DELETE', 'OLD'],
    ] as const
  ).map(
    ([change, rows]) => `
      CREATE TRIGGER loads_revision_${change.toLowerCase()}_${rows.toLowerCase()} AFTER ${change} ON visible_loads
      REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_loads_revision()`,
  ),
]
