import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createKey } from '../src/access/create-key.ts'
import { cubes } from '../src/catalog/cubes.ts'
import type { Cube } from '../src/catalog/cube.ts'
import { loadFacts } from '../src/ingest/load-facts.ts'
import { addDays, dayOf, type Day } from '../src/query/day.ts'
import { operator } from '../src/store/audit.ts'
import type { RestartFigures } from './loads-text.ts'
import { say, secondsSince } from './progress.ts'
import type { Bench } from './run-bench.ts'

/** Facts of an account's day. */
const factsEach = 4

/** Fills so many days of so many accounts, starts a server on them, and asks it. */
export async function measureRestart(
  bench: Bench,
  { days, accounts }: { readonly days: number; readonly accounts: number },
): Promise<RestartFigures> {
  const { engine, store, folder, signal } = bench
  const today = dayOf(Date.now())
  const filled = Array.from({ length: days }, (_, index) => addDays(today, index + 1 - days))
  const ids = Array.from({ length: accounts }, (_, index) => `account-${index + 1}`)
  let rows = 0
  for (const cube of cubes) {
    say(`filling ${cube.alias}: ${days} days of ${accounts} accounts`)
    const content = { name: 'fill', stream: Readable.from(facts(cube, ids, filled)) }
    rows += (await loadFacts({ engine, store, now: Date.now }, cube, content, { mayCreateAccounts: true, signal })).rows
  }
  const created = await createKey(store, { accountId: ids[0] ?? '', name: 'bench', actor: operator, now: Date.now() })
  if ('refusal' in created) throw new Error(created.refusal)
  await bench.stopEngine()

  say('starting a server')
  const startMs = performance.now()
  const main = join(import.meta.dirname, '../src/cli/main.ts')
  const server = spawn(process.execPath, [main, 'serve', '--data-dir', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ADCUBE_RATE_LIMITS: 'off' },
    signal,
  })
  try {
    const url = await readUrl(server.stdout)
    const startSeconds = secondsSince(startMs)
    say('the first query')
    const askedMs = performance.now()
    const response = await fetch(new URL(`/v2/data/synchronous?cube=${cubes[0]?.alias}`, url), {
      method: 'POST',
      headers: { 'x-api-key': created.key, 'content-type': 'application/json' },
      body: JSON.stringify({
        start: addDays(today, -13),
        end: today,
        dimensions: ['Day'],
        metrics: ['Auctions', 'Net Revenue'],
      }),
      signal,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`The API answered ${response.status}: ${text}`)
    return { days, accounts, rows, startSeconds, firstQuerySeconds: secondsSince(askedMs) }
  } finally {
    const exited = once(server, 'exit')
    server.kill('SIGTERM')
    await exited
  }
}

async function readUrl(output: Readable): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /http:\/\/[^\s/]+/.exec(line)?.[0]
    if (url) return url
  }
  throw new Error('The server ended before it was up.')
}

function* facts({ measures }: Cube, ids: readonly string[], days: readonly Day[]): Generator<string> {
  const columns = ['account', 'day', 'country', ...measures.map(({ column }) => column), 'device_id']
  yield `${columns.join(',')}\n`
  for (const day of days) {
    const rows = ids.flatMap((id) =>
      Array.from(
        { length: factsEach },
        (_, index) => `${id},${day},C${index},${measures.map(() => 9).join(',')},d${index}\n`,
      ),
    )
    yield rows.join('')
  }
}
