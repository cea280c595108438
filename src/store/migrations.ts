import { sql, type Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isPostgres } from './postgres.ts'

/**
 * A step in SQL for both databases. SERIAL is a number that is never used twice, not even after its row is deleted:
 * otherwise facts of a failed load could be taken for those of another.
 */
const run = (statements: string): Migration => ({
  async up(db) {
    const serial = `integer PRIMARY KEY ${isPostgres(db) ? 'GENERATED ALWAYS AS IDENTITY' : 'AUTOINCREMENT'}`
    for (const statement of statements.replaceAll('SERIAL', serial).split(/;$/m).slice(0, -1)) {
      await sql.raw(statement).execute(db)
    }
  },
})

/** Run in the order of their names. A released migration never changes. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-control-data': run(`
    CREATE TABLE accounts (
      id text PRIMARY KEY, name text NOT NULL, cubes text NOT NULL, rate_factor integer NOT NULL,
      created_at bigint NOT NULL, disabled_at bigint);
    CREATE TABLE api_keys (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES accounts (id), name text NOT NULL,
      selector text NOT NULL UNIQUE, verifier text NOT NULL, last_four text NOT NULL,
      created_at bigint NOT NULL, expires_at bigint NOT NULL, last_used_at bigint, deleted_at bigint);
    CREATE INDEX api_keys_of_account ON api_keys (account_id);
    CREATE TABLE loads (
      id SERIAL, cube text NOT NULL, state text NOT NULL, started_at bigint NOT NULL, finished_at bigint, rows bigint);
    CREATE TABLE visible_loads (
      cube text NOT NULL, account_id text NOT NULL REFERENCES accounts (id), day text NOT NULL,
      load_id integer NOT NULL REFERENCES loads (id),
      CONSTRAINT visible_loads_key PRIMARY KEY (account_id, cube, day, load_id));
    CREATE TABLE people (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES accounts (id), email text NOT NULL UNIQUE,
      role text NOT NULL, password_hash text, invitation_selector text UNIQUE, invitation_verifier text,
      invitation_expires_at bigint, created_at bigint NOT NULL, last_signed_in_at bigint);
    CREATE INDEX people_of_account ON people (account_id);
    CREATE TABLE sessions (
      selector text PRIMARY KEY, verifier text NOT NULL,
      person_id text NOT NULL REFERENCES people (id) ON DELETE CASCADE,
      created_at bigint NOT NULL, last_seen_at bigint NOT NULL);
    CREATE INDEX sessions_of_person ON sessions (person_id);
    CREATE TABLE audit (
      id SERIAL, account_id text NOT NULL REFERENCES accounts (id), at bigint NOT NULL, actor text NOT NULL,
      action text NOT NULL, subject text NOT NULL);
    CREATE INDEX audit_of_account ON audit (account_id, id);
    CREATE TABLE access_revision (id integer PRIMARY KEY, revision bigint NOT NULL);
    CREATE TABLE rate_states (
      account_id text PRIMARY KEY REFERENCES accounts (id), version bigint NOT NULL, state text NOT NULL);`),
  '002-jobs': run(`
    CREATE TABLE jobs (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES accounts (id), cube text NOT NULL, body text NOT NULL,
      idempotency_key text, state text NOT NULL, created_at bigint NOT NULL, deadline_at bigint NOT NULL,
      available_at bigint NOT NULL, attempts integer NOT NULL, worker text, lease_until bigint, started_at bigint,
      finished_at bigint, progress double precision NOT NULL, file text, rows bigint, bytes bigint, checksum text,
      failure_reason text, expires_at bigint, removed_at bigint);
    CREATE INDEX jobs_of_account ON jobs (account_id, created_at);
    CREATE INDEX jobs_by_state ON jobs (state, available_at);
    CREATE TABLE secrets (name text PRIMARY KEY, value text NOT NULL);`),
  '003-loads': run(`
    ALTER TABLE loads ADD COLUMN mode text NOT NULL DEFAULT 'replace';
    ALTER TABLE loads ADD COLUMN loaded_by text NOT NULL DEFAULT '';
    ALTER TABLE loads ADD COLUMN files text NOT NULL DEFAULT '[]';
    ALTER TABLE loads ADD COLUMN alive_at bigint NOT NULL DEFAULT 0;
    ALTER TABLE loads ADD COLUMN accounts integer;
    ALTER TABLE loads ADD COLUMN first_day text;
    ALTER TABLE loads ADD COLUMN last_day text;
    ALTER TABLE loads ADD COLUMN fingerprint text;
    ALTER TABLE loads ADD COLUMN failure_reason text;
    ALTER TABLE loads ADD COLUMN swept_at bigint;
    CREATE INDEX loads_by_state ON loads (state);
    CREATE INDEX loads_by_fingerprint ON loads (fingerprint);
    CREATE INDEX visible_loads_by_day ON visible_loads (day);
    CREATE TABLE retired_loads (
      cube text NOT NULL, account_id text NOT NULL REFERENCES accounts (id), day text NOT NULL,
      load_id integer NOT NULL REFERENCES loads (id), retired_at bigint NOT NULL,
      CONSTRAINT retired_loads_key PRIMARY KEY (account_id, cube, day, load_id));`),
  '004-appended-files': run(`
    DROP INDEX loads_by_fingerprint;
    ALTER TABLE loads DROP COLUMN fingerprint;
    CREATE TABLE appended_files (
      checksum text NOT NULL, load_id integer NOT NULL REFERENCES loads (id),
      CONSTRAINT appended_files_key PRIMARY KEY (checksum, load_id));
    CREATE INDEX visible_loads_by_load ON visible_loads (load_id);`),
  '005-days-of-jobs': run(`
    ALTER TABLE jobs ADD COLUMN start_day text NOT NULL DEFAULT '';
    ALTER TABLE jobs ADD COLUMN end_day text NOT NULL DEFAULT '';`),
  // Facts that were loaded before are in an engine that is no longer there, or count devices by another hash.
  '006-facts-in-files': run(`
    DELETE FROM visible_loads;
    DELETE FROM retired_loads;
    DELETE FROM appended_files;
    UPDATE loads SET state = 'failed', failure_reason = 'Loaded by an earlier version; load it again.'
      WHERE state = 'visible';`),
  '007-leases': run(`
    CREATE TABLE leases (name text PRIMARY KEY, holder text NOT NULL, until bigint NOT NULL);`),
  // A claim is the job and the number of the attempt; the worker's name is not needed.
  '008-claims': run(`
    ALTER TABLE jobs DROP COLUMN worker;
    ALTER TABLE jobs ADD COLUMN excused integer NOT NULL DEFAULT 0;
    ALTER TABLE jobs ADD COLUMN waits_for text;
    CREATE INDEX jobs_by_deadline ON jobs (state, deadline_at);
    CREATE INDEX jobs_by_expiry ON jobs (expires_at);`),
  '009-report-blocks': run(`
    ALTER TABLE jobs ADD COLUMN blocks text;`),
  // Indexes for each sweep. Appended files are deleted with their load from now on.
  '010-retention': run(`
    CREATE INDEX loads_by_sweep ON loads (cube, state, swept_at);
    CREATE INDEX loads_by_end ON loads (finished_at);
    CREATE INDEX retired_loads_by_day ON retired_loads (cube, day);
    CREATE INDEX retired_loads_by_load ON retired_loads (load_id);
    CREATE INDEX appended_files_by_load ON appended_files (load_id);
    CREATE INDEX api_keys_by_expiry ON api_keys (expires_at);
    CREATE INDEX audit_by_time ON audit (at);
    CREATE INDEX sessions_by_use ON sessions (last_seen_at);
    CREATE INDEX people_by_invitation ON people (invitation_expires_at);
    DELETE FROM appended_files WHERE load_id NOT IN (SELECT load_id FROM visible_loads);`),
  // Earlier counts have another form, and count for a minute at most.
  '011-rate-slots': run(`
    DELETE FROM rate_states;
    ALTER TABLE rate_states DROP COLUMN version;`),
  '012-fact-files': run(`
    ALTER TABLE visible_loads ADD COLUMN bytes bigint;
    ALTER TABLE visible_loads ADD COLUMN checksum text;
    ALTER TABLE visible_loads ADD COLUMN rows bigint;`),
  '013-figures': run(`
    CREATE INDEX jobs_by_end ON jobs (state, finished_at);
    CREATE INDEX visible_loads_by_cube ON visible_loads (cube, day);`),
  '014-console': run(`
    CREATE TABLE views (
      id text PRIMARY KEY, person_id text NOT NULL REFERENCES people (id) ON DELETE CASCADE,
      name text NOT NULL, search text NOT NULL, created_at bigint NOT NULL);
    CREATE INDEX views_of_person ON views (person_id);
    ALTER TABLE loads ADD COLUMN warnings text;`),
  '015-rollups': run(`
    ALTER TABLE visible_loads ADD COLUMN rollup_bytes bigint;
    ALTER TABLE visible_loads ADD COLUMN rollup_checksum text;
    ALTER TABLE visible_loads ADD COLUMN rollup_rows bigint;
    ALTER TABLE visible_loads ADD COLUMN rollup_lacks text;`),
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
  // The newest record is the last time that is known to have been right. Days that were retired by age keep all of
  // their record, so that they can become visible again.
  '019a-deletion-hold': run(`
    CREATE TABLE clock_checks (
      id integer PRIMARY KEY, trusted_at bigint, held_since bigint, checked_at bigint NOT NULL);
    INSERT INTO clock_checks (id, trusted_at, checked_at)
      SELECT 1, max(at), coalesce(max(at), 0) FROM (
        SELECT max(at) AS at FROM audit UNION ALL SELECT max(alive_at) FROM loads
        UNION ALL SELECT max(last_used_at) FROM api_keys UNION ALL SELECT max(last_seen_at) FROM sessions) AS newest;
    ALTER TABLE retired_loads ADD COLUMN by_age integer NOT NULL DEFAULT 0;
    ALTER TABLE retired_loads ADD COLUMN bytes bigint;
    ALTER TABLE retired_loads ADD COLUMN checksum text;
    ALTER TABLE retired_loads ADD COLUMN rows bigint;
    ALTER TABLE retired_loads ADD COLUMN rollup_bytes bigint;
    ALTER TABLE retired_loads ADD COLUMN rollup_checksum text;
    ALTER TABLE retired_loads ADD COLUMN rollup_rows bigint;
    ALTER TABLE retired_loads ADD COLUMN rollup_has text;
    DROP INDEX retired_loads_by_day;
    CREATE INDEX retired_loads_by_time ON retired_loads (cube, retired_at, day);
    CREATE INDEX retired_loads_by_age ON retired_loads (day) WHERE by_age = 1;`),
  // Begun jobs become due again at available_at. The others wait in their order.
  '019b-job-turns': run(`
    ALTER TABLE jobs ADD COLUMN turn integer NOT NULL DEFAULT 0;
    DROP INDEX jobs_by_state;
    CREATE INDEX jobs_waiting ON jobs (state, turn, created_at, id, account_id) WHERE attempts = 0;
    CREATE INDEX jobs_begun ON jobs (state, available_at) WHERE attempts > 0;`),
  '019c-staged-days': run(`
    CREATE TABLE staged_days (
      load_id integer NOT NULL, account_id text NOT NULL, day text NOT NULL, bytes bigint, checksum text, rows bigint,
      rollup_bytes bigint, rollup_checksum text, rollup_rows bigint, rollup_has text,
      CONSTRAINT staged_days_key PRIMARY KEY (load_id, account_id, day));`),
  '020-file-checks': run(`
    CREATE TABLE file_checks (
      name text PRIMARY KEY, account_id text NOT NULL, cube text NOT NULL, day text NOT NULL,
      bytes bigint NOT NULL, bytes_due bigint NOT NULL, counted_at bigint NOT NULL, checked_at bigint NOT NULL);
    CREATE TABLE damaged_files (
      place text PRIMARY KEY, cube text NOT NULL, account_id text NOT NULL, day text NOT NULL, load_id integer NOT NULL,
      reason text NOT NULL, found_at bigint NOT NULL, checked_at bigint NOT NULL);
    CREATE INDEX damaged_files_by_check ON damaged_files (checked_at);`),
  '021-memberships': {
    async up(db: Kysely<unknown>) {
      await run(memberships).up(db)
      const triggers = isPostgres(db) ? postgresMembershipTriggers : sqliteMembershipTriggers
      for (const statement of triggers) await sql.raw(statement).execute(db)
    },
  },
  '022-backups': run(`
    CREATE TABLE backups (folder text PRIMARY KEY, finished_at bigint NOT NULL);`),
}

/**
 * Until now a row of `people` belonged to one account. The columns for it stay, because processes of an earlier version
 * read and write them during an upgrade. Open invitations can only be accepted through their membership.
 */
const memberships = `
  CREATE TABLE memberships (
    id text PRIMARY KEY, person_id text NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    account_id text NOT NULL REFERENCES accounts (id), role text NOT NULL, invitation_selector text UNIQUE,
    invitation_verifier text, invitation_expires_at bigint, created_at bigint NOT NULL, last_signed_in_at bigint,
    CONSTRAINT memberships_key UNIQUE (person_id, account_id));
  CREATE INDEX memberships_of_account ON memberships (account_id);
  CREATE INDEX memberships_by_invitation ON memberships (invitation_expires_at);
  INSERT INTO memberships
    SELECT id, id, account_id, role, invitation_selector, invitation_verifier, invitation_expires_at, created_at,
      last_signed_in_at FROM people;
  UPDATE people SET invitation_selector = NULL, invitation_verifier = NULL, invitation_expires_at = NULL;
  ALTER TABLE views ADD COLUMN membership_id text REFERENCES memberships (id) ON DELETE CASCADE;
  UPDATE views SET membership_id = person_id;
  CREATE INDEX views_of_membership ON views (membership_id);
  CREATE TABLE sign_in_addresses (
    digest text PRIMARY KEY, person_id text NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    signed_in_at bigint NOT NULL);
  CREATE INDEX sign_in_addresses_of_person ON sign_in_addresses (person_id, signed_in_at);
  CREATE INDEX sign_in_addresses_by_time ON sign_in_addresses (signed_in_at);`

/** Each is a table, an event, a condition and statements. */
const membershipTriggers = [
  // An earlier version adds a person. This version leaves the role of the row empty.
  [
    'people',
    'INSERT',
    `NEW.role <> ''`,
    `INSERT INTO memberships
       VALUES (NEW.id, NEW.id, NEW.account_id, NEW.role, NEW.invitation_selector, NEW.invitation_verifier,
         NEW.invitation_expires_at, NEW.created_at, NEW.last_signed_in_at);
     UPDATE people SET invitation_selector = NULL, invitation_verifier = NULL, invitation_expires_at = NULL
       WHERE id = NEW.id;`,
  ],
  // Either version changes a role.
  [
    'people',
    'UPDATE OF role',
    `NEW.role <> ''`,
    `UPDATE memberships SET role = NEW.role WHERE person_id = NEW.id AND account_id = NEW.account_id;`,
  ],
  [
    'memberships',
    'UPDATE OF role',
    `NEW.role <> OLD.role`,
    `UPDATE people SET role = NEW.role
       WHERE id = NEW.person_id AND account_id = NEW.account_id AND role <> '' AND role <> NEW.role;`,
  ],
  // An earlier version saves a view.
  [
    'views',
    'INSERT',
    `NEW.membership_id IS NULL`,
    `UPDATE views SET membership_id = (
         SELECT memberships.id FROM memberships JOIN people ON people.id = person_id
         WHERE people.id = NEW.person_id AND memberships.account_id = people.account_id)
       WHERE id = NEW.id;`,
  ],
  // A person leaves an account. Without any other, nothing of them stays; with invitations only, the password goes too.
  [
    'memberships',
    'DELETE',
    'true',
    `DELETE FROM people
       WHERE id = OLD.person_id AND NOT EXISTS (SELECT 1 FROM memberships WHERE person_id = OLD.person_id);
     UPDATE people SET role = '', account_id = (
         SELECT account_id FROM memberships WHERE person_id = OLD.person_id
         ORDER BY invitation_expires_at IS NOT NULL, account_id LIMIT 1)
       WHERE id = OLD.person_id AND account_id = OLD.account_id;
     UPDATE people SET password_hash = NULL
       WHERE id = OLD.person_id AND NOT EXISTS (
         SELECT 1 FROM memberships WHERE person_id = OLD.person_id AND invitation_expires_at IS NULL);
     DELETE FROM sessions
       WHERE person_id IN (SELECT id FROM people WHERE id = OLD.person_id AND password_hash IS NULL);`,
  ],
] as const

const sqliteMembershipTriggers = membershipTriggers.map(
  ([table, event, condition, statements]) => `
    CREATE TRIGGER ${table}_${event.toLowerCase().replaceAll(' ', '_')} AFTER ${event} ON ${table}
    WHEN ${condition} BEGIN ${statements} END`,
)

const postgresMembershipTriggers = membershipTriggers.flatMap(([table, event, condition, statements]) => {
  const name = `${table}_${event.toLowerCase().replaceAll(' ', '_')}`
  // Two accounts can lose the same person at the same time, and each would find the other's membership.
  const lock = event === 'DELETE' ? 'PERFORM 1 FROM people WHERE id = OLD.person_id FOR UPDATE;' : ''
  return [
    `CREATE FUNCTION after_${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${lock} ${statements} RETURN NULL; END $$`,
    `CREATE TRIGGER ${name} AFTER ${event} ON ${table}
      FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION after_${name}()`,
  ]
})

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

/** Each change of an account's visible loads gives it a revision that it never had before. */
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

/** Run for each statement, because a load may change hundreds of days. */
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
