import { pino, type Logger } from 'pino'

/** Several lines at a time and beside the requests: who reads the log slowly, or not at all, keeps none waiting. */
const destination = { fd: 2, sync: false, minLength: 4_096, periodicFlush: 100, maxLength: 2 ** 24 }

export const openLog = (level: string, base: { readonly pid: number } | null): Logger =>
  pino({ level, base }, pino.destination(destination))
