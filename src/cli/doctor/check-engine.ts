import { resolve } from 'node:path'
import { inspectFacts } from '../../facts/inspect-facts.ts'
import type { Settings } from '../settings.ts'
import { inspectControlData } from './check-control-data.ts'
import { worst, type Finding } from './finding.ts'

export async function checkEngine(settings: Settings): Promise<Finding> {
  const inspected = await inspectControlData(settings)
  const owner = 'condition' in inspected ? inspected.condition?.owner : undefined
  const findings = await inspectFacts({
    folder: resolve(settings.dataDir),
    owner,
    clickhouseUrl: settings.clickhouseUrl,
    clickhouseReaderUrl: settings.clickhouseReaderUrl,
    queryMemoryMb: settings.queryMemoryMb,
  })
  return worst(findings)
}
