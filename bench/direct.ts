import { fork } from 'node:child_process'
import { once } from 'node:events'

export type DirectOptions = { readonly threads: number; readonly memoryMb: number; readonly spillFolder: string }

type Outcome = { readonly rows: readonly (readonly unknown[])[]; readonly ms: number }

/** DuckDB as an engineer would use it: SQL over the same files, in a process of its own. */
export type Direct = AsyncDisposable & { readonly pid: number; readonly run: (sql: string) => Promise<Outcome> }

export async function openDirect(options: DirectOptions): Promise<Direct> {
  const child = fork(new URL('./direct-child.ts', import.meta.url), [JSON.stringify(options)], {
    // A query blocks a thread of the pool for as long as it runs.
    env: { ...process.env, UV_THREADPOOL_SIZE: '64' },
  })
  const pending = new Map<number, { resolve: (outcome: Outcome) => void; reject: (error: Error) => void }>()
  await once(child, 'message')
  child.on('message', ({ id, error, ...outcome }: Outcome & { id: number; error?: string }) => {
    const asked = pending.get(id)
    pending.delete(id)
    if (error === undefined) asked?.resolve(outcome)
    else asked?.reject(new Error(error))
  })
  child.once('exit', () => pending.forEach(({ reject }) => reject(new Error('DuckDB ended.'))))
  let lastId = 0
  return {
    pid: child.pid!,
    run: (sql) =>
      new Promise((resolve, reject) => {
        pending.set(++lastId, { resolve, reject })
        child.send({ id: lastId, sql })
      }),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Files as the source of a query. */
export const readFiles = (files: readonly string[]): string => `read_parquet([${files.map(quote).join(', ')}])`
