import { readDraft, writeDraft, type QueryDraft } from '../query/draft.ts'

/** Everything that the page shows is in its address. */
export type ExplorerState = {
  readonly draft: QueryDraft
  /** True if the previous period is shown for comparison. */
  readonly compares: boolean
  /** The metric that the chart shows. */
  readonly charted: string | undefined
}

export function readState(search: string, defaults: QueryDraft): ExplorerState {
  const given = new URLSearchParams(search)
  const draft = readDraft(search, defaults)
  return {
    draft,
    compares: given.get('compare') === '1',
    charted: draft.metrics.find((name) => name === given.get('chart')) ?? draft.metrics[0],
  }
}

export function writeState({ draft, compares, charted }: ExplorerState): string {
  const extras = new URLSearchParams()
  if (compares) extras.set('compare', '1')
  if (charted !== undefined && draft.metrics.indexOf(charted) > 0) extras.set('chart', charted)
  return extras.size === 0 ? writeDraft(draft) : `${writeDraft(draft)}&${extras.toString()}`
}
