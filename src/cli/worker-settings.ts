import type { WorkerSettings } from '../reports/workers.ts'
import type { Settings } from './settings.ts'

export const workerSettings = (settings: Settings): WorkerSettings => ({
  slots: settings.exports,
  freeBytesMin: settings.exportFreeMb * 1024 * 1024,
  keepMs: settings.reportDays * 86_400_000,
})
