/**
 * Loads ClickHouse as a library and runs it as a server on loopback, until this process is killed or its parent ends.
 */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export type StartMessage = { readonly port: number; readonly dataFolder: string; readonly configFile: string }

/** The functions that are used here, so that types check without the library. */
type Ffi = {
  readonly open: (library: { library: string; path: string }) => void
  readonly load: (call: object) => Promise<unknown>
  readonly arrayConstructor: (array: { type: number; length: number }) => unknown
  readonly DataType: Readonly<Record<'I32' | 'I64' | 'Void' | 'StringArray', number>>
}

/** The server runs as long as this query. */
const keepAlive =
  'SELECT sleepEachRow(0.2) FROM system.numbers ' +
  'SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0 FORMAT Null'

function runServer({ port, dataFolder, configFile }: StartMessage): void {
  const require = createRequire(import.meta.url)
  const { open, load, arrayConstructor, DataType } = require('ffi-rs') as Ffi
  const library = dirname(require.resolve('@chdb/lib-linux-x64-gnu/package.json'))
  open({ library: 'chdb', path: join(library, 'libchdb.so') })
  // Node keeps its own signal handlers; the library's would print a stack and abort on SIGTERM.
  void load({
    library: 'chdb',
    funcName: 'chdb_set_signal_handlers_enabled',
    retType: DataType.Void,
    paramsType: [DataType.I32],
    paramsValue: [0],
  })
  const argv = [
    'clickhouse-local',
    `--path=${dataFolder}`,
    `--config-file=${configFile}`,
    '--listen_host=127.0.0.1',
    `--http_port=${port}`,
    '--tcp_port=0',
    `--query=SYSTEM START LISTEN HTTP; ${keepAlive}`,
  ]
  // Treat the result as a number: after a failure it is not a valid string.
  const ended = load({
    library: 'chdb',
    funcName: 'chdb_query_cmdline',
    retType: DataType.I64,
    paramsType: [DataType.I32, arrayConstructor({ type: DataType.StringArray, length: argv.length })],
    paramsValue: [argv.length, argv],
    runInNewThread: true,
  })
  const end = (): void => process.exit(1)
  ended.then(end, end)
}

process.once('message', (message) => runServer(message as StartMessage))
// A clean exit would wait for the library's thread, and the data is not needed any more.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
