import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { exportSettings, type ExportLimits } from '../src/engine/stream-csv.ts'
import type { Statement } from '../src/query/compile.ts'
import type { Bench } from './run-bench.ts'
import { secondsSince } from './progress.ts'

/** Has curl write the answer of the engine to a file, and returns the seconds that took. */
export async function curlToFile(
  { folder, endpoint, engine, signal }: Bench,
  { sql, params }: Statement,
  limits: ExportLimits,
  file: string,
): Promise<number> {
  const url = new URL(endpoint.url)
  url.searchParams.set('database', engine.database)
  for (const [name, value] of Object.entries(exportSettings(limits))) url.searchParams.set(name, String(value))
  for (const [name, value] of Object.entries(params)) url.searchParams.set(`param_${name}`, asParameter(value))
  const statementFile = `${folder}/statement.sql`
  await writeFile(statementFile, `${sql}\nFORMAT CSVWithNames`)

  const startMs = performance.now()
  const curl = spawn('curl', ['--config', '-'], { stdio: ['pipe', 'ignore', 'pipe'], signal })
  const { name, password } = endpoint.users.reader
  // By standard input: an argument could be read by everybody on the machine.
  curl.stdin.end(
    [
      'silent',
      'show-error',
      'fail-with-body',
      `url = "${url.href}"`,
      `header = "X-ClickHouse-User: ${name}"`,
      `header = "X-ClickHouse-Key: ${password}"`,
      `data-binary = "@${statementFile}"`,
      `output = "${file}"`,
    ].join('\n'),
  )
  let words = ''
  curl.stderr.setEncoding('utf8').on('data', (text: string) => (words += text))
  const [code] = (await once(curl, 'close')) as [number | null]
  if (code !== 0) throw new Error(`curl failed: ${words}`)
  return secondsSince(startMs)
}

const asParameter = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map((item) => (typeof item === 'string' ? `'${item}'` : String(item))).join(',')}]`
    : String(value)
