import { readdir, readFile } from 'node:fs/promises'

const readProc = (path: string): Promise<string> => readFile(`/proc/${path}`, 'utf8').catch(() => '')

/** The child of a process whose command line contains this text. */
export async function findChild(pid: number, text: string): Promise<number | undefined> {
  for (const child of (await readProc(`${pid}/task/${pid}/children`)).trim().split(' ')) {
    if ((await readProc(`${child}/cmdline`)).includes(text)) return Number(child)
  }
  return undefined
}

/** The resident memory of a process. Where there is no /proc, this and the next are not numbers. */
export const readMemoryMb = async (pid: number | undefined, name = 'VmRSS'): Promise<number> =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(await readProc(`${pid}/status`))?.[1]) / 1_024

export const countOpenFiles = (pid: number | undefined): Promise<number> =>
  readdir(`/proc/${pid}/fd`).then(
    ({ length }) => length,
    () => Number.NaN,
  )

const sampleMs = 100

/** Follows the resident memory of a process. */
export async function watchMemory(pid: number | undefined) {
  const read = (name: string): Promise<number> => readMemoryMb(pid, name)
  const before = await read('VmRSS')
  const highest = { VmRSS: before, VmHWM: await read('VmHWM') }
  const sample = async (): Promise<void> => {
    for (const name of ['VmRSS', 'VmHWM'] as const) {
      const mb = await read(name)
      // The process may have ended meanwhile.
      if (mb > highest[name]) highest[name] = mb
    }
  }
  const timer = setInterval(() => void sample(), sampleMs)
  return {
    stop: () => {
      clearInterval(timer)
      return { growthMb: highest.VmRSS - before, peakMb: highest.VmHWM }
    },
  }
}
