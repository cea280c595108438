/**
 * The process that answers API queries. It is one of its own because a query blocks a thread of the runtime's pool, and
 * because a crash or a lack of memory must cost the queries in flight and not the server.
 */
import { setPriority } from 'node:os'
import { openDuckdb, type DuckdbOptions } from '../../duckdb/open-duckdb.ts'
import { endWithParent } from '../../processes/end-with-parent.ts'
import type { Statement } from '../compile.ts'
import { gatherRows, type GatheredRows } from '../gather-rows.ts'
import { QueryConnection } from './query-connection.ts'

/** Above loads and reports, which have 10 and 19. */
const niceOfQueries = 5

/** A statement that reads one row more than the limit. */
export type Asked = Statement & { readonly limit: number }

export type Question = ({ readonly id: number } & Asked) | { readonly cancel: number }

export type Answer =
  | { readonly isReady: true }
  | ({ readonly id: number; readonly memoryMb: number } & (
      | { readonly rows: GatheredRows }
      | { readonly error: string }
    ))

endWithParent()
// The server itself goes first: it has little to do, and probes and refusals must not wait for queries. Before any
// thread is made, so that all of them have it.
setPriority(niceOfQueries)
// A parent that is gone is heard of elsewhere.
const tell = (answer: Answer): void => void process.send?.(answer, () => {})

const duckdb = await openDuckdb(JSON.parse(process.argv[2] ?? '') as DuckdbOptions)
/** One query at a time on a connection. */
const idle = [new QueryConnection(duckdb.connection)]
const running = new Map<number, QueryConnection | Promise<QueryConnection>>()

async function answer({ id, ...asked }: { readonly id: number } & Asked): Promise<void> {
  const connecting = idle.pop() ?? connect()
  running.set(id, connecting)
  const connection = await connecting
  const outcome = await run(connection, asked)
  running.delete(id)
  // One that was interrupted too is as good as new: each statement forgets the interruptions before it.
  idle.push(connection)
  tell({ id, memoryMb: process.memoryUsage.rss() / 2 ** 20, ...outcome })
}

const connect = async () => new QueryConnection(await duckdb.connect())

async function run(connection: QueryConnection, { limit, ...statement }: Asked) {
  try {
    return { rows: gatherRows(await connection.readRows(statement), limit) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** An interruption that comes while a query is still being planned is lost, so it is said again until it is heard. */
const interruptMs = 50

async function cancel(id: number): Promise<void> {
  const connection = await running.get(id)
  // It may have ended meanwhile, and its connection with it.
  if (!connection || !running.has(id)) return
  connection.interrupt()
  setTimeout(() => void cancel(id), interruptMs)
}

process.on('message', (question: Question) => {
  if ('cancel' in question) void cancel(question.cancel)
  else void answer(question)
})
tell({ isReady: true })
