/**
 * The process that is the private ClickHouse: it loads the engine's library and runs it as a server on loopback until
 * its parent says stop, or is gone. It is a process of its own because an engine fault must not take the API down,
 * and because a query inside a library could not be cancelled.
 */
import { tryResolveLibchdb } from 'chdb/libchdb'
import { arrayConstructor, DataType, load, open } from 'ffi-rs'
import { askOnce, type PrivateAccess } from './ask-once.ts'

export type StartMessage = PrivateAccess & {
  readonly path: string
  readonly configFile: string
}

/** A parent that was killed cannot kill us in turn, so we do not wait for a clean end longer than this. */
const orphanStopMs = 1_500

/** The engine serves for as long as this query runs, and ends when it is killed. */
const keepAlive =
  'SELECT sleepEachRow(0.2) FROM system.numbers ' +
  'SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0 FORMAT Null'

function runEngine({ port, path, configFile }: StartMessage): void {
  const library = tryResolveLibchdb()
  if (!library) {
    process.stderr.write(
      `There is no engine library for ${process.platform}-${process.arch}: give ADCUBE_CLICKHOUSE_URL a ClickHouse ` +
        'server to use, or ADCUBE_ENGINE_NODE a Node of another processor that this machine can run.\n',
    )
    process.exit(1)
  }
  open({ library: 'chdb', path: library.path })
  // Node keeps its own signal handlers; the engine's would print a stack and abort on SIGTERM.
  load({
    library: 'chdb',
    funcName: 'chdb_set_signal_handlers_enabled',
    retType: DataType.Void,
    paramsType: [DataType.I32],
    paramsValue: [0],
  })
  const argv = [
    'clickhouse-local',
    `--path=${path}`,
    `--config-file=${configFile}`,
    '--listen_host=127.0.0.1',
    `--http_port=${port}`,
    '--tcp_port=0',
    `--query=SYSTEM START LISTEN HTTP; ${keepAlive}`,
  ]
  // The result is read as a number and never looked into: where the engine failed it is no valid string.
  const ended = load({
    library: 'chdb',
    funcName: 'chdb_query_cmdline',
    retType: DataType.I64,
    paramsType: [DataType.I32, arrayConstructor({ type: DataType.StringArray, length: argv.length })],
    paramsValue: [argv.length, argv],
    runInNewThread: true,
  })
  void ended.then(
    () => process.exit(stopping ? 0 : 1),
    () => process.exit(1),
  )
}

let stopping = false

function stop(access: PrivateAccess): void {
  if (stopping) return
  stopping = true
  // process.exit would wait for the engine's thread for ever; killing its one query lets it end by itself.
  askOnce(access, `KILL QUERY WHERE startsWith(query, '${keepAlive.slice(0, 20)}') ASYNC`).catch(() =>
    process.kill(process.pid, 'SIGKILL'),
  )
}

process.once('message', (message) => {
  const start = message as StartMessage
  process.on('message', () => stop(start))
  process.on('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), orphanStopMs)
    stop(start)
  })
  runEngine(start)
})
