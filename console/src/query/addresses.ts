import { defaultDraft } from './default-draft.ts'
import { writeDraft, type QueryDraft } from './draft.ts'

/** A part of a draft. The rest is as in the explorer's default. */
type Wanted = Pick<QueryDraft, 'cube'> & Partial<QueryDraft>

const write = (wanted: Wanted): string => writeDraft({ ...defaultDraft(wanted.cube), ...wanted })

/** The address of a query in the explorer. */
export const explorerAddress = (wanted: Wanted, { isCompared = false } = {}): string =>
  `/explorer?${write(wanted)}${isCompared ? '&compare=1' : ''}`

/** The address of a new report with this query. */
export const reportAddress = (wanted: Wanted): string => `/reports/new?${write(wanted)}`
