import type { Cube } from '../../../src/catalog/cube.ts'
import { runQuery, type QueryAnswer, type Row } from '../api/query.ts'
import type { DraftBody } from '../query/draft.ts'

/** One answer of the page: a query, and the same for the previous period when they are compared. */
export type Question = {
  readonly cube: Cube
  readonly body: DraftBody
  readonly previous: DraftBody | undefined
}

type Part = {
  readonly rows: readonly Row[]
  readonly meta: QueryAnswer['meta']
  /** Over all rows, including those beyond the limit. */
  readonly totals: Row | undefined
}

/** The answer together with its question, because the query in the editor may have changed since. */
export type Exploration = Part & { readonly question: Question; readonly previous: Part | undefined }

export async function explore(question: Question, signal: AbortSignal): Promise<Exploration> {
  const { cube, body, previous } = question
  const [now, before] = await Promise.all([
    askPart(cube, body, signal),
    previous ? askPart(cube, previous, signal) : undefined,
  ])
  return { question, ...now, previous: before }
}

/** The totals are a query of their own, because rates and unique devices cannot be added up. */
async function askPart(cube: Cube, body: DraftBody, signal: AbortSignal): Promise<Part> {
  const { sort: _, limit: __, ...rest } = body
  const [{ data, meta }, totals] = await Promise.all([
    runQuery(cube.alias, body, signal),
    body.dimensions.length > 0 ? runQuery(cube.alias, { ...rest, dimensions: [] }, signal) : undefined,
  ])
  return { rows: data, meta, totals: totals ? totals.data[0] : data[0] }
}
