import type { Writable } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ExportOptions, Facts, MadeCsv } from '../../src/facts/facts.ts'

const csv = 'Day\r\n2026-11-14\r\n'

/** Writes a report successfully. */
export async function writeShortReport(target: Writable): Promise<MadeCsv> {
  await pipeline(Readable.from([csv]), target)
  return { rows: 1, bytes: csv.length, checksum: 'of-a-little-csv', blocks: '' }
}

/** An engine whose exports end as a test decides. Tests of jobs need no facts. */
export function scriptFacts(
  writeCsv: (target: Writable, options: ExportOptions) => Promise<MadeCsv> = writeShortReport,
): Facts & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    distinctCountError: 0,
    start: async () => {},
    readRows: async () => ({ json: Buffer.of(), count: 0, isTruncated: false, readFrom: [] }),
    writeCsv: (_query, _scope, target, options) => writeCsv(target, options),
    addLoad: async () => {},
    mergeDays: async () => {},
    findDamage: undefined,
    removeLoads: async () => {},
    removePortions: async () => {},
    check: async () => {},
    isUp: async () => asked.push('isUp') > 0,
    stats: () => undefined,
    close: async () => {},
  }
}
