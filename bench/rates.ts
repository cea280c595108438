import { once } from 'node:events'
import { say, spawnScript } from './adcube.ts'
import type { Body, Caller } from './api.ts'
import { median, p99, quantile } from './measure.ts'
import { addUp, watchProcesses, type Usage } from './processes.ts'
import { show, type Table } from './table.ts'

export type Asked = Caller & { readonly body: Body }

/** Requests that clients send in turn, for a number of seconds or once each. */
export type Orders = { readonly requests: readonly Asked[]; readonly clients: number; readonly seconds?: number }

/** Times of each answer and of all together, and the number of answers by status. */
export type Answers = {
  readonly ms: readonly number[]
  readonly seconds: number
  readonly statuses: Readonly<Record<string, number>>
}

/** Runs clients that send the next request as soon as they have an answer, in a process of their own. */
export async function askFrom(orders: Orders, core?: number): Promise<Answers> {
  const child = spawnScript('./clients-child.ts', [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], core })
  child.send(orders)
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The clients ended without an answer.')))
  const [answers] = (await Promise.race([once(child, 'message'), ended])) as [Answers]
  return answers
}

/** Counts a single measured step as one answer. */
export const answerOf = (ms: number): Answers => ({ ms: [ms], seconds: ms / 1_000, statuses: { 200: 1 } })

/** The sum of all turns of a side. */
export type Run = {
  readonly name: string
  readonly ms: readonly number[]
  readonly perSecond: number
  readonly usage: readonly Usage[]
}

/** Lets the sides take turns, forwards and backwards, so that changes of the machine's speed affect all of them. */
export async function alternateSides(
  turns: number,
  sides: Readonly<Record<string, () => Promise<Answers>>>,
): Promise<readonly Run[]> {
  const taken: (Answers & { readonly name: string; readonly usage: readonly Usage[] })[] = []
  for (let turn = 0; turn < turns; turn++) {
    const order = turn % 2 === 0 ? Object.entries(sides) : Object.entries(sides).toReversed()
    for (const [name, ask] of order) {
      say(name)
      const stop = await watchProcesses()
      const answers = await ask()
      taken.push({ name, ...answers, usage: await stop() })
      if (answers.statuses[200] === answers.ms.length) continue
      throw new Error(`${name} answered with ${JSON.stringify(answers.statuses)}.`)
    }
  }
  return [...Map.groupBy(taken, ({ name }) => name)].map(([name, all]) => {
    const ms = all.flatMap((turn) => turn.ms)
    const seconds = all.reduce((sum, turn) => sum + turn.seconds, 0)
    return { name, ms, perSecond: ms.length / seconds, usage: addUp(all.flatMap(({ usage }) => usage)) }
  })
}

/** Times of each side, and processor time and memory of its processes. */
export function tablesOf(runs: readonly Run[]): readonly Table[] {
  const head = ['side', 'per second', 'fastest', 'p50', 'p90', 'p99', 'samples']
  const rows = runs.map(({ name, ms, perSecond }) => {
    return [name, perSecond, Math.min(...ms), median(ms), quantile(ms, 0.9), p99(ms), ms.length]
  })
  return [{ title: 'Times in ms', head, rows }, processTable(runs)]
}

export const processTable = (runs: readonly Pick<Run, 'name' | 'usage'>[]): Table => ({
  title: 'Processes',
  head: ['side: process', 'CPU', 'highest memory'],
  rows: runs.flatMap(({ name: side, usage }) =>
    usage.map(({ name, cpuSeconds, peakMb }) => [`${side}: ${name}`, show(cpuSeconds, 's'), show(peakMb, 'MB')]),
  ),
})
