import type { ExportOptions, Facts, MadeCsv, Scope } from '../facts/facts.ts'
import type { Query } from '../query/query.ts'
import type { ReportStorage } from './storage.ts'

export type Report = MadeCsv & { readonly file: string }

/** Writes the answer to a query into storage, and publishes it when it is whole. Memory does not grow with it. */
export async function exportReport(
  { facts, storage }: { readonly facts: Facts; readonly storage: ReportStorage },
  query: Query,
  scope: Scope,
  { file, ...options }: ExportOptions & { readonly file: string },
): Promise<Report> {
  const draft = await storage.draft(file)
  try {
    const made = await facts.writeCsv(query, scope, draft.stream, options)
    await draft.publish()
    return { file, ...made }
  } catch (error) {
    await draft.discard()
    throw error
  }
}
