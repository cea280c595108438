import { pino } from 'pino'
import { inject } from 'vitest'
import type { Facts } from '../../src/facts/facts.ts'
import { openFacts, type FactsSettings } from '../../src/facts/open-facts.ts'
import { atEnd } from './at-end.ts'
import './provided.ts'

/** Opens the engine of this run on the shared data folder, as another server would. */
export async function openTestFacts(settings: Partial<FactsSettings> = {}): Promise<Facts> {
  const clickhouse = inject('clickhouse')
  const facts = await openFacts(
    {
      folder: inject('dataFolder'),
      owner: 'tests',
      clickhouseUrl: clickhouse?.url,
      clickhouseReaderUrl: clickhouse?.readerUrl,
      queryMsMax: 120_000,
      queryMemoryMb: 1_024,
      exportMemoryMb: 1_024,
      ...settings,
    },
    pino({ level: 'silent' }),
  )
  atEnd(() => facts.close())
  await facts.start()
  return facts
}
