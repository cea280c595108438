import { startPlainService, startServer } from './adcube.ts'
import { query } from './api.ts'
import type { Data } from './data.ts'
import { p99 } from './measure.ts'
import { demandSameRows, rowsOf } from './questions.ts'
import { askFrom, tablesOf, alternateSides } from './rates.ts'
import { atLeast, atMost, type Outcome } from './table.ts'
import { makeTraffic, take } from './traffic.ts'

const timesPlainMin = 5
const clients = 8
const turns = 4
const requestsATurn = 300
const requestsCompared = 20

/** Sends traffic of all accounts, half of it repeated, to the plain service and to Adcube. */
export async function mixed(data: Data): Promise<Outcome> {
  await using plain = await startPlainService(data.adcube)
  await using server = await startServer(data.adcube, { env: {} })
  const [toPlain, toAdcube] = [makeTraffic(data, plain.url), makeTraffic(data, server.url)]
  for (const { body, ...caller } of take(toAdcube, requestsCompared)) {
    const { text } = await query(toPlain.next().value, body)
    demandSameRows(JSON.stringify(body), (await query(caller, body)).text, rowsOf(text))
  }
  // Each turn continues where the last one ended. The first one is a warm-up and is not measured.
  const sides = {
    'plain service': () => askFrom({ requests: take(toPlain, requestsATurn), clients }),
    Adcube: () => askFrom({ requests: take(toAdcube, requestsATurn), clients }),
  }
  await alternateSides(1, sides)
  const [theirs, ours] = await alternateSides(turns, sides)
  return {
    figures: [
      atLeast('requests/s beside the plain service', ours!.perSecond / theirs!.perSecond, timesPlainMin, 'times'),
      atMost('p99 beside the plain service', p99(ours!.ms) / p99(theirs!.ms), 1, 'times'),
    ],
    tables: tablesOf([theirs!, ours!]),
    plot: { title: 'Mixed traffic of 100 accounts', unit: 'ms', columns: ['p50', 'p90', 'p99'] },
  }
}
