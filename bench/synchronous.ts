/**
 * Synchronous queries through the API, over HTTP, beside the same questions asked of DuckDB in SQL over the same fact
 * files. Both sides have a process of their own and two threads, and are asked in turn.
 */
import { startServer } from './adcube.ts'
import { query } from './api.ts'
import { openDirect, readFiles } from './direct.ts'
import { factFiles, fill, fillFlags, type AccountName } from './fill.ts'
import { readFlags } from './flags.ts'
import { alternate, askFor, median, quantile, type Side } from './measure.ts'
import { demandSameRows, questionsAbout, type Question } from './questions.ts'
import { openScratch, say } from './scratch.ts'
import { asRatio, inMs, printTable, verdict } from './table.ts'

type Asked = { readonly question: Question; readonly api: Side; readonly direct: Side }

const clientCounts = [8, 32]
const samplesMax = 300
const addedShareMax = 0.15
const addedMsMax = 4

const usage = 'node bench/synchronous.ts: the API beside DuckDB over the same files'
const flags = readFlags(usage, { ...fillFlags, seconds: 10 })
const { seconds } = flags
const { dataDir, days, keys } = await fill(flags)
await using server = await startServer(dataDir)
await using duckdb = await openDirect({ threads: 2, memoryMb: 2_048, spillFolder: openScratch() })
for (const account of ['small', 'big'] as const) {
  const asked: Asked[] = []
  for (const question of questionsAbout(days)) asked.push(await prepare(account, question))
  await compareLatency(account, asked)
  const light = asked.filter(({ question }) => account === 'small' || !question.isHeavy)
  await compareRates(account, light)
}

/** Makes both sides of a question, and checks that they give the same rows. */
async function prepare(account: AccountName, question: Question): Promise<Asked> {
  const { name, cube, body } = question
  const caller = { url: server.url, key: keys[account] }
  const sql = question.sql(readFiles(await factFiles(dataDir, cube, account)))
  demandSameRows(name, (await query(caller, cube, body)).text, (await duckdb.run(sql)).rows)
  const api = async (): Promise<number> => (await query(caller, cube, body)).ms
  const direct = async (): Promise<number> => (await duckdb.run(sql)).ms
  return { question, api, direct }
}

async function compareLatency(account: AccountName, asked: readonly Asked[]): Promise<void> {
  const rows: string[][] = []
  for (const { question, api, direct } of asked) {
    say(`${account} account, 1 client: ${question.name}`)
    await alternate([api, direct], { seconds: 1, samples: 20 })
    const [ours, theirs] = await alternate([api, direct], { seconds, samples: samplesMax })
    const added = median(ours) - median(theirs)
    const share = added / median(theirs)
    const figures = [median(ours), median(theirs), quantile(ours, 0.99), quantile(theirs, 0.99), added].map(inMs)
    const isMet = added <= addedMsMax || share <= addedShareMax
    rows.push([question.name, String(ours.length), ...figures, `${(100 * share).toFixed(0)} %`, verdict(isMet)])
  }
  const target = `at most ${100 * addedShareMax} % or ${addedMsMax} ms added to DuckDB's p50`
  const head = ['question', 'n', 'API p50', 'DuckDB p50', 'API p99', 'DuckDB p99', 'added', '', target]
  printTable(`${account} account, 1 client`, head, rows)
}

/** Each side has two turns, so that a drift of the machine affects both. */
async function compareRates(account: AccountName, asked: readonly Asked[]): Promise<void> {
  const rows: string[][] = []
  for (const clients of clientCounts) {
    say(`${account} account, ${clients} clients`)
    const answers = { api: 0, direct: 0 }
    for (const side of ['api', 'direct', 'direct', 'api'] as const) {
      const sides = asked.map((each) => each[side])
      const startedAt = performance.now()
      const { length } = await askFor(sides, { clients, seconds: seconds / 2 })
      answers[side] += length / ((performance.now() - startedAt) / 1_000) / 2
    }
    const { api, direct } = answers
    rows.push([String(clients), api.toFixed(1), direct.toFixed(1), asRatio(api / direct)])
  }
  const title = `${account} account, requests a second, ${asked.length} questions in turn`
  printTable(title, ['clients', 'API', 'DuckDB', 'API / DuckDB'], rows)
}
