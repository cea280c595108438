import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type EngineUsers = {
  readonly writer: { readonly name: string; readonly password: string }
  readonly reader: { readonly name: string; readonly password: string }
}

type Settings = {
  readonly database: string
  readonly users: EngineUsers
  readonly memoryBytesMax: number
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Writes the private engine's configuration, readable by its owner alone, and returns the main file's path. */
export async function writeConfigFiles(folder: string, settings: Settings): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const usersFile = join(folder, 'users.xml')
  const configFile = join(folder, 'config.xml')
  await writeFile(usersFile, usersXml(settings), { mode: 0o600 })
  await writeFile(configFile, configXml(usersFile, settings), { mode: 0o600 })
  return configFile
}

/**
 * The engine's own session runs as `default`, which has no password; the HTTP rules therefore answer nobody who does
 * not name a user, and `default` may do nothing but keep the server running.
 */
const configXml = (usersFile: string, { memoryBytesMax }: Settings): string => `<clickhouse>
  <log-level>warning</log-level>
  <user_directories><users_xml><path>${escapeXml(usersFile)}</path></users_xml></user_directories>
  <max_server_memory_usage>${memoryBytesMax}</max_server_memory_usage>
  <keep_alive_timeout>30</keep_alive_timeout>
  <mark_cache_size>268435456</mark_cache_size>
  <http_handlers>
    <rule>
      <url>/ping</url>
      <handler><type>ping</type></handler>
    </rule>
    <rule>
      <headers><X-ClickHouse-User>regex:adcube_.+</X-ClickHouse-User></headers>
      <handler><type>dynamic_query_handler</type><query_param_name>query</query_param_name></handler>
    </rule>
  </http_handlers>
</clickhouse>
`

/**
 * What the reader may at most ask for; the limits of each query are set with the query, below these. A list of a
 * thousand filter values is one form field, larger than the engine takes by default.
 * Standard input may pause for a while before a load goes on.
 * Where in its own code an error came up is of no use to us, and takes it longer to find out than most queries.
 */
const usersXml = ({ database, users }: Settings): string => `<clickhouse>
  <profiles>
    <default>
      <http_receive_timeout>3600</http_receive_timeout>
      <http_max_field_value_size>2097152</http_max_field_value_size>
      <calculate_text_stack_trace>0</calculate_text_stack_trace>
    </default>
    <reader>
      <readonly>2</readonly>
      <http_max_field_value_size>2097152</http_max_field_value_size>
      <calculate_text_stack_trace>0</calculate_text_stack_trace>
      <constraints>
        <max_execution_time><min>1</min><max>86400</max></max_execution_time>
        <allow_ddl><const/></allow_ddl>
        <allow_introspection_functions><const/></allow_introspection_functions>
      </constraints>
    </reader>
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
    <${users.writer.name}>
      <password_sha256_hex>${sha256(users.writer.password)}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT SELECT, INSERT, ALTER, CREATE, DROP, OPTIMIZE, SHOW ON ${database}.*</query>
        <query>GRANT TABLE ENGINE ON MergeTree</query>
        <query>GRANT TABLE ENGINE ON Null</query>
        <query>GRANT READ ON URL</query>
        <query>GRANT READ ON S3</query>
        <query>GRANT CREATE TEMPORARY TABLE ON *.*</query>
        <query>GRANT SELECT ON system.processes</query>
        <query>GRANT SELECT ON system.parts</query>
        <query>GRANT KILL QUERY ON *.*</query>
      </grants>
    </${users.writer.name}>
    <${users.reader.name}>
      <password_sha256_hex>${sha256(users.reader.password)}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>reader</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT SELECT ON ${database}.*</query>
      </grants>
    </${users.reader.name}>
  </users>
</clickhouse>
`

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
