import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { inject } from 'vitest'
import { openClickhouseFacts, type ClickhouseSettings } from '../../src/facts/clickhouse/clickhouse-facts.ts'
import { defaultTimeouts, type Timeouts } from '../../src/facts/clickhouse/server.ts'
import type { Facts } from '../../src/facts/facts.ts'
import { atEnd } from '../setup/at-end.ts'
import { databasePrefix } from './config-files.ts'

export const log = pino({ level: 'silent' })

export type Addresses = Pick<ClickhouseSettings, 'url'> & { readonly readerUrl: string }

/** URLs of a new database in the server of this run. */
export function ownDatabase(): Addresses {
  const { url, readerUrl } = inject('clickhouse') ?? { url: '', readerUrl: '' }
  const name = `${databasePrefix}_${randomUUID().replaceAll('-', '')}`
  const within = (address: string): string => new URL(`/${name}`, address).href
  return { url: within(url), readerUrl: within(readerUrl) }
}

/** Changes the port of these URLs. */
export function atPort({ url, readerUrl }: Addresses, port: number): Addresses {
  const change = (address: string): string => Object.assign(new URL(address), { port: String(port) }).href
  return { url: change(url), readerUrl: change(readerUrl) }
}

export async function openFactsAt(
  addresses: Addresses,
  settings: Partial<ClickhouseSettings> = {},
  timeouts: Timeouts = defaultTimeouts,
): Promise<Facts> {
  const limits = { owner: 'tests', queryMsMax: 120_000, queryMemoryMb: 1_024, exportMemoryMb: 1_024 }
  const facts = await openClickhouseFacts({ ...addresses, ...limits, ...settings }, log, timeouts)
  atEnd(() => facts.close())
  return facts
}
