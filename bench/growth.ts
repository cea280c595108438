/**
 * What grows with time: whether a server with thirteen months of fifty accounts starts and answers as fast as one with a
 * single day, and what many small appended loads cost a query.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import { auctions } from '../src/catalog/auctions.ts'
import { openData } from '../src/cli/open-data.ts'
import { readSettings } from '../src/cli/settings.ts'
import type { Closers } from '../src/cli/until-stopped.ts'
import { loadFacts } from '../src/ingest/load-facts.ts'
import { addDays, dayOf } from '../src/query/day.ts'
import { createKey, runAdcube, startServer } from './adcube.ts'
import { makeReport, query } from './api.ts'
import { openDirect, quote } from './direct.ts'
import { selectFacts } from './fact-sql.ts'
import { readFlags } from './flags.ts'
import { alternate, median } from './measure.ts'
import { openScratch, say } from './scratch.ts'
import { asRatio, atMost, inMs, printFigures, showCount, type Figure } from './table.ts'

type Pair = readonly [many: readonly number[], few: readonly number[]]

const slowerMax = 1.3
const slowerMsMax = 100
const appendedRatioMax = 3
const queryDays = 14
const reportDays = 31

const usage = 'node bench/growth.ts: many days, accounts and loads beside few'
const sizes = { days: 395, accounts: 50, facts: 20, rounds: 7, loads: 24, rows: 2_000, seconds: 10, reports: 5 }
const flags = readFlags(usage, sizes)
const scratch = openScratch()
const today = dayOf(Date.now())
const asked = { end: today, dimensions: ['Country'], metrics: ['Auctions', 'Cleared', 'Net Revenue', 'eCPM'] }
await using duckdb = await openDirect({ threads: 2, memoryMb: 2_048, spillFolder: join(scratch, 'spill') })

await measureStart()
await measureAppends()

async function measureStart(): Promise<void> {
  const { days, accounts, facts, rounds } = flags
  const rows = days * accounts * facts
  say(`loading ${days} days of ${accounts} accounts, ${showCount(rows)} facts`)
  const account = `'account-' || i % ${accounts}`
  const day = `DATE '${addDays(today, 1 - days)}' + (i // ${accounts * facts})::INTEGER`
  const all = await write(selectFacts(auctions, { account, day, from: 0, rows, devices: 1_000 }), 'all')
  const one = `SELECT * FROM ${quote(all)} WHERE account = 'account-0' AND day = DATE '${today}'`
  const folders: { readonly dataDir: string; readonly key: string }[] = []
  for (const file of [all, await write(one, 'one')]) {
    const dataDir = `${file}-data`
    await runAdcube(dataDir, 'load', 'auctions', file, '--create-accounts')
    folders.push({ dataDir, key: await createKey(dataDir, 'account-0') })
  }
  const firsts: number[][] = [[], []]
  const answers: string[] = []
  const sides = folders.map(({ dataDir, key }, side) => async () => {
    await using server = await startServer(dataDir)
    const { ms, text } = await query({ url: server.url, key }, 'auctions', { ...asked, start: today })
    firsts[side]?.push(ms)
    answers[side] = rowsOf(text)
    return server.startMs
  })
  const starts = await alternate([sides[0]!, sides[1]!], { seconds: Infinity, samples: rounds })
  demandSame(answers)
  const compare = (name: string, [many, few]: Pair): Figure => {
    const max = Math.max(slowerMax * median(few), median(few) + slowerMsMax)
    return atMost(`${name}, beside ${inMs(median(few))}`, median(many), max, inMs)
  }
  printFigures(`${days} days of ${accounts} accounts beside one day of one account, medians of ${rounds}`, [
    compare('start until ready', starts),
    compare('first query', [firsts[0]!, firsts[1]!]),
  ])
}

async function measureAppends(): Promise<void> {
  const { loads, rows, seconds, reports } = flags
  say(`${showCount(loads * reportDays)} appended loads of ${showCount(rows)} facts, and the same in one load`)
  const dataDir = join(scratch, 'appended')
  const first = addDays(today, 1 - reportDays)
  const day = `DATE '${first}' + (i // ${loads * rows})::INTEGER`
  const closers: Closers = []
  // Not by the command: its start would take longer than such a load.
  const data = await openData(readSettings({ ADCUBE_DATA_DIR: dataDir }), pino({ level: 'silent' }), closers)
  const append = async (account: string, from: number, count: number): Promise<void> => {
    const select = selectFacts(auctions, { account: quote(account), day, from, rows: count, devices: 10_000 })
    const files = [await write(select, 'load')]
    await loadFacts({ ...data, now: Date.now }, auctions, files, { mode: 'append', mayCreateAccounts: true })
  }
  await append('once', 0, reportDays * loads * rows)
  for (let load = 0; load < reportDays * loads; load++) await append('often', load * rows, rows)
  for (const close of closers) await close()

  say('queries')
  await using server = await startServer(dataDir)
  const callers = [
    { url: server.url, key: await createKey(dataDir, 'often') },
    { url: server.url, key: await createKey(dataDir, 'once') },
  ] as const
  const answers: string[] = []
  const [askOften, askOnce] = callers.map((caller, side) => async () => {
    const { ms, text } = await query(caller, 'auctions', { ...asked, start: addDays(today, 1 - queryDays) })
    answers[side] = rowsOf(text)
    return ms
  })
  const [reportOften, reportOnce] = callers.map((caller, side) => async () => {
    const { ms, checksum } = await makeReport(caller, 'auctions', { ...asked, start: first })
    answers[side] = checksum
    return ms
  })
  const queries = await alternate([askOften!, askOnce!], { seconds, samples: 500 })
  demandSame(answers)
  const made = await alternate([reportOften!, reportOnce!], { seconds: Infinity, samples: reports })
  demandSame(answers)
  const compare = (name: string, [many, few]: Pair): Figure[] => [
    { name, value: `${inMs(median(many))} beside ${inMs(median(few))}` },
    atMost('ratio', median(many) / median(few), appendedRatioMax, asRatio),
  ]
  printFigures(`${loads} appended loads a day of ${showCount(rows)} facts beside one load a day, medians`, [
    ...compare(`query of ${queryDays} days`, queries),
    ...compare(`report of ${reportDays} days`, made),
  ])
}

async function write(select: string, name: string): Promise<string> {
  const file = join(scratch, `${name}.parquet`)
  await duckdb.run(`COPY (${select}) TO ${quote(file)} (FORMAT parquet)`)
  return file
}

function rowsOf(text: string): string {
  return text.slice(0, text.lastIndexOf('"meta"'))
}

function demandSame([one, other]: readonly string[]): void {
  if (one !== other || one === undefined) throw new Error(`The answers differ:\n${one}\n${other}`)
}
