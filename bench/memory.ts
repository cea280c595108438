import { readFile } from 'node:fs/promises'

export type Memory = { readonly rssMb: number; readonly peakMb: number }

/** The resident memory of a process now and at its most, or undefined where the system does not tell. */
export async function readMemory(pid: number | undefined): Promise<Memory | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  const memory = { rssMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') }
  return Number.isNaN(memory.rssMb) ? undefined : memory
}
