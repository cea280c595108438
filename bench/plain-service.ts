/**
 * A service that an engineer would write in an afternoon: keys in memory, a pool of DuckDB connections, the files of an
 * account by day, and JSON answers. It has no cache, no limits and no checks.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import fastify from 'fastify'
import type { Body } from './api.ts'
import { listFactFiles, plainSql } from './plain-sql.ts'

/** The number of threads in Node's pool. */
const connections = 4

const dataDir = process.argv[2] ?? ''
const { keys } = JSON.parse(readFileSync(join(dataDir, 'bench.json'), 'utf8')) as { keys: Record<string, string> }
const accountOf = new Map(Object.entries(keys).map(([account, key]) => [key, account]))
const filesOf = listFactFiles(dataDir)

const instance = await DuckDBInstance.create(':memory:', { memory_limit: '2GiB' })
const pool = await Promise.all(Array.from({ length: connections }, () => instance.connect()))
await pool[0]!.run('SET GLOBAL parquet_metadata_cache = true')
const waiting: ((connection: DuckDBConnection) => void)[] = []

async function ask(sql: string) {
  const connection = pool.pop() ?? (await new Promise<DuckDBConnection>((resolve) => waiting.push(resolve)))
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJS()
  } finally {
    const next = waiting.shift()
    if (next) next(connection)
    else pool.push(connection)
  }
}

const app = fastify()
app.post<{ Body: Body }>('/v2/data/synchronous', async (request, reply) => {
  const account = accountOf.get(String(request.headers['x-api-key']))
  if (account === undefined) return reply.code(401).send({ error: 'unknown key' })
  const data = await ask(plainSql(request.body, filesOf.get(account) ?? []))
  const text = JSON.stringify({ data }, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))
  return reply.type('application/json').send(text)
})
process.stdout.write(`Address ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
