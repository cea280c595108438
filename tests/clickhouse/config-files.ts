import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type User = { readonly name: string; readonly password: string }

/** Prefix of the databases of the tests. Each test file can create its own. */
export const databasePrefix = 'adcube'

/** The grants of docs/settings.md. */
const writerGrants = [
  `SELECT, INSERT, CREATE, ALTER ADD COLUMN, ALTER DELETE ON ${databasePrefix}*.*`,
  'TABLE ENGINE ON MergeTree',
  // Needed by input(), with which facts are inserted.
  'CREATE TEMPORARY TABLE ON *.*',
  'SELECT ON system.processes',
]
const readerGrants = [`SELECT ON ${databasePrefix}*.*`]

/** Writes the server's configuration and returns the path of its main file. */
export async function writeConfigFiles(folder: string, users: { writer: User; reader: User }): Promise<string> {
  const usersFile = join(folder, 'users.xml')
  const configFile = join(folder, 'config.xml')
  await writeFile(usersFile, usersXml(users))
  await writeFile(configFile, configXml(usersFile))
  return configFile
}

/** The number of background threads of a server by default; the library has two. */
const configXml = (usersFile: string): string => `<clickhouse>
  <log-level>warning</log-level>
  <user_directories><users_xml><path>${usersFile}</path></users_xml></user_directories>
  <background_pool_size>16</background_pool_size>
  <background_schedule_pool_size>64</background_schedule_pool_size>
</clickhouse>
`

/** The library's own session runs as `default`, which has no other rights. */
const usersXml = ({ writer, reader }: { writer: User; reader: User }): string => `<clickhouse>
  <profiles>
    <default/>
    <reader><readonly>2</readonly></reader>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password/>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT SYSTEM LISTEN ON *.*</query>
        <query>GRANT SELECT ON system.numbers</query>
      </grants>
    </default>
    ${userXml(writer, 'default', writerGrants)}
    ${userXml(reader, 'reader', readerGrants)}
  </users>
</clickhouse>
`

const userXml = ({ name, password }: User, profile: string, grants: readonly string[]): string => `<${name}>
      <password_sha256_hex>${createHash('sha256').update(password).digest('hex')}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>${profile}</profile>
      <quota>default</quota>
      <grants>${grants.map((grant) => `<query>GRANT ${grant}</query>`).join('')}</grants>
    </${name}>`
