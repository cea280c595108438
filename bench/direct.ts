import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { openScratch, spawnScript } from './adcube.ts'
import { quote } from './plain-sql.ts'

export type DirectOptions = { readonly threads: number; readonly memoryMb: number; readonly spillFolder: string }

type Outcome = { readonly rows: readonly (readonly unknown[])[]; readonly ms: number }

/** Starts DuckDB in a process of its own, for SQL over the same files. */
export type Direct = AsyncDisposable & { readonly run: (sql: string) => Promise<Outcome> }

export async function openDirect({ threads = availableParallelism(), memoryMb = 2_048 } = {}): Promise<Direct> {
  const options: DirectOptions = { threads, memoryMb, spillFolder: openScratch() }
  const child = spawnScript('./direct-child.ts', [JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // A query blocks a thread of the pool while it runs.
    env: { UV_THREADPOOL_SIZE: '64' },
  })
  const pending = new Map<number, PromiseWithResolvers<Outcome>>()
  child.on('message', ({ id, error, ...outcome }: Outcome & { id: number; error?: string }) => {
    if (error === undefined) pending.get(id)?.resolve(outcome)
    else pending.get(id)?.reject(new Error(error))
    pending.delete(id)
  })
  const ended = once(child, 'exit').then(() => pending.forEach(({ reject }) => reject(new Error('DuckDB ended.'))))
  let lastId = 0
  return {
    run: (sql) => {
      const asked = Promise.withResolvers<Outcome>()
      pending.set(++lastId, asked)
      child.send({ id: lastId, sql })
      return asked.promise
    },
    [Symbol.asyncDispose]: () => {
      child.disconnect()
      return ended
    },
  }
}

export const writeParquet = (duckdb: Direct, select: string, path: string, options = ''): Promise<Outcome> =>
  duckdb.run(`COPY (${select}) TO ${quote(path)} (FORMAT parquet${options})`)
