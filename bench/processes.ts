import { readFile } from 'node:fs/promises'

const readProc = (path: string): Promise<string> => readFile(`/proc/${path}`, 'utf8').catch(() => '')

type Process = {
  readonly pid: number
  readonly name: string
  /** Of all its threads. Linux counts hundredths. */
  readonly cpuSeconds: number
  readonly memoryMb: number
  readonly peakMb: number
}

/** The processes that a process has started, and those that they have, by the names of their scripts; on Linux alone. */
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

/** Follows all processes until it is told to stop. Of those that end meanwhile, what they took last may be missing. */
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

/** Processes of the same name as one, without those that did next to nothing. The memory is that of the busiest. */
export const addUp = (usage: readonly Usage[]): readonly Usage[] =>
  [...Map.groupBy(usage, ({ name }) => name).values()].flatMap((all) => {
    const [busiest] = all.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
    const cpuSeconds = all.reduce((sum, each) => sum + each.cpuSeconds, 0)
    return cpuSeconds < 0.1 ? [] : [{ ...busiest!, cpuSeconds }]
  })
