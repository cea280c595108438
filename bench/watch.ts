import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { readMemory } from './memory.ts'
import type { Bench } from './run-bench.ts'

export type Use = {
  /** By how much the resident memory of the Node process rose at its most. */
  readonly nodeGrowthMb: number
  readonly nodeCpuSeconds: number
  /** By the engine's own count, for this query alone. */
  readonly enginePeakMb: number
}

const everyMs = 250
/** Of the time; an engine that answers slowly is asked more rarely, or looking would be most of what it does. */
const lookingShare = 0.05
/** What the system counts processor time in. */
const ticksASecond = 100

/** Watches what a process of Node and the engine use until it is told to end. */
export function watch({ engine }: Bench, pid: number | undefined) {
  const peaks = new Map<string, number>()
  const ended = new AbortController()
  let rssMax = 0
  let askAt = 0
  const readBefore = Promise.all([readRss(pid), readCpuSeconds(pid)])
  const look = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      rssMax = Math.max(rssMax, await readRss(pid))
      if (performance.now() < askAt) {
        await delay(everyMs)
        continue
      }
      const startMs = performance.now()
      const result = await engine.writer().query({
        query: 'SELECT query_id AS id, toFloat64(peak_memory_usage) AS bytes FROM system.processes',
        format: 'JSONEachRow',
      })
      for (const { id, bytes } of await result.json<{ id: string; bytes: number }>()) {
        peaks.set(id, Math.max(bytes, peaks.get(id) ?? 0))
      }
      askAt = performance.now() + (performance.now() - startMs) / lookingShare
    }
  }
  const looking = readBefore.then(look)
  looking.catch(() => {})
  return {
    async end(queryPrefix: string): Promise<Use> {
      ended.abort()
      await looking
      const [rssBefore, cpuBefore] = await readBefore
      const ours = [...peaks].filter(([id]) => id.startsWith(queryPrefix)).map(([, bytes]) => bytes)
      return {
        nodeGrowthMb: rssMax - rssBefore,
        nodeCpuSeconds: (await readCpuSeconds(pid)) - cpuBefore,
        enginePeakMb: Math.max(0, ...ours) / 2 ** 20,
      }
    },
  }
}

const readRss = async (pid: number | undefined): Promise<number> => (await readMemory(pid))?.rssMb ?? NaN

/** Of all its threads, in user and kernel. */
async function readCpuSeconds(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program, in brackets, may hold anything; the fields after it are numbers.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksASecond
}
