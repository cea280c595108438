import { setTimeout as delay } from 'node:timers/promises'
import { startServer } from './adcube.ts'
import { query, send, synchronousPath } from './api.ts'
import { big, small, type Data } from './data.ts'
import { median } from './measure.ts'
import { watchProcesses } from './processes.ts'
import { questionsAbout } from './questions.ts'
import { askFrom, processTable } from './rates.ts'
import { atMost, type Outcome } from './table.ts'

const queries = 200
const smallMsMax = 500
const probeMsMax = 100
const pauseMs = 50
/** Warms up a server, whose code is compiled while it runs. */
const warmUps = 200
const memoryMbMax = Number(process.env.ADCUBE_QUERY_MEMORY_MB ?? 2_048)

/** Sends many heavy queries of one account at once, beside small queries of another account and health probes. */
export async function flood({ adcube, keys, days }: Data): Promise<Outcome> {
  await using server = await startServer(adcube)
  const bodyOf = (wanted: string) => questionsAbout(days).find(({ name }) => name.startsWith(wanted))!.body
  const [light, heavy] = [bodyOf('Country'), bodyOf('Creative ID, Country')]
  const caller = { url: server.url, key: keys[small]! }
  for (let warmUp = 0; warmUp < warmUps; warmUp++) await query(caller, light)

  const stop = await watchProcesses()
  const over = new AbortController()
  let failures = 0
  const askBeside = async (path: string, body?: object): Promise<readonly [string, ...number[]]> => {
    const taken: number[] = []
    while (!over.signal.aborted) {
      const { status, ms } = await send(caller, path, body)
      if (status !== 200) failures++
      taken.push(ms)
      await delay(pauseMs)
    }
    return [path, median(taken), Math.max(...taken), taken.length]
  }
  const beside = [askBeside(synchronousPath, light), askBeside('/healthz'), askBeside('/readyz')]
  const requests = Array.from({ length: queries }, (_, index) => {
    const filters = [{ field: 'OS Version', operator: 'not in', values: [`os_version ${index}`] }]
    return { ...caller, key: keys[big]!, body: { ...heavy, filters } }
  })
  const { statuses, seconds } = await askFrom({ requests, clients: queries })
  over.abort()
  const rows = await Promise.all(beside)
  const usage = await stop()
  const [smallMs = NaN, ...probeMs] = rows.map(([, , slowest]) => slowest!)
  const peakMb = usage.find(({ name }) => name === 'query-child')!.peakMb
  const [answered = 0, refused = 0] = [statuses[200], statuses[503]]
  const title = `Beside ${queries} heavy queries of another account`
  return {
    figures: [
      atMost('slowest small query of another account', smallMs, smallMsMax, 'ms'),
      atMost('highest memory of the query process', peakMb, memoryMbMax, 'MB'),
      atMost('slowest probe', Math.max(...probeMs), probeMsMax, 'ms'),
      atMost('heavy queries without 200 or 503, others without 200', queries - answered - refused + failures, 0, ''),
      { name: `heavy queries of ${queries} answered with 200`, value: answered, unit: '' },
      { name: 'until all of them had an answer', value: seconds, unit: 's' },
    ],
    tables: [{ title, head: ['asked', 'p50', 'slowest', 'samples'], rows }, processTable([{ name: 'all', usage }])],
    plot: { title, unit: 'ms', columns: ['p50', 'slowest'] },
  }
}
