import { readFile } from 'node:fs/promises'

const readProc = (path: string): Promise<string> => readFile(`/proc/${path}`, 'utf8').catch(() => '')

type Process = {
  readonly pid: number
  readonly name: string
  /** Processor time of all threads. Linux counts in hundredths of a second. */
  readonly cpuSeconds: number
  readonly memoryMb: number
  readonly peakMb: number
}

/** Lists the descendants of a process by the names of their scripts. Linux only. */
export async function listProcesses(parent = process.pid): Promise<readonly Process[]> {
  const pids = (await readProc(`${parent}/task/${parent}/children`)).split(' ').filter(Boolean)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [, user, system] = /\) \S (?:\S+ ){10}(\d+) (\d+)/.exec(await readProc(`${pid}/stat`)) ?? []
      const [, script, word = ''] = /([\w-]+)\.[jt]s(?:\0(\w+)\0)?/.exec(await readProc(`${pid}/cmdline`)) ?? []
      if (user === undefined || script === undefined) return []
      const status = await readProc(`${pid}/status`)
      const mbOf = (field: string): number => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024
      const memory = { memoryMb: mbOf('VmRSS'), peakMb: mbOf('VmHWM') }
      const cpuSeconds = (Number(user) + Number(system)) / 100
      const own = { pid: Number(pid), name: `${script} ${word}`.trim(), cpuSeconds, ...memory }
      return [own, ...(await listProcesses(own.pid))]
    }),
  )
  return found.flat()
}

export type Usage = Pick<Process, 'name' | 'cpuSeconds' | 'peakMb'>

/** Samples all processes until stopped. The last sample of a process that ends meanwhile may be missing. */
export async function watchProcesses(): Promise<() => Promise<readonly Usage[]>> {
  const before = new Map((await listProcesses()).map(({ pid, cpuSeconds }) => [pid, cpuSeconds]))
  const seen = new Map<number, Usage>()
  const sample = async (): Promise<void> => {
    for (const { pid, name, cpuSeconds, peakMb } of await listProcesses())
      seen.set(pid, { name, cpuSeconds: cpuSeconds - (before.get(pid) ?? 0), peakMb })
  }
  const timer = setInterval(() => void sample(), 100)
  return async () => {
    clearInterval(timer)
    await sample()
    return addUp([...seen.values()])
  }
}

/** Merges processes of the same name, without idle ones. The memory is that of the busiest one. */
export const addUp = (usage: readonly Usage[]): readonly Usage[] =>
  [...Map.groupBy(usage, ({ name }) => name).values()].flatMap((all) => {
    const [busiest] = all.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
    const cpuSeconds = all.reduce((sum, each) => sum + each.cpuSeconds, 0)
    return cpuSeconds < 0.1 ? [] : [{ ...busiest!, cpuSeconds }]
  })
