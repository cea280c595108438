import type { Cube } from '../../../src/catalog/cube.ts'
import { findCube } from '../../../src/catalog/cubes.ts'
import { addDays, isDay, type Day } from '../../../src/query/day.ts'
import { findField } from '../../../src/query/parse-fields.ts'
import { operators, type QueryBody } from '../../../src/query/query.ts'
import { fitCube } from './change-draft.ts'
import type { Dates, FilterDraft, QueryDraft, SortDraft } from './query-draft.ts'

export type { Dates, FilterDraft, QueryDraft, SortDraft }

/** A request body whose fields are arrays. */
export type DraftBody = QueryBody & { readonly dimensions: readonly string[]; readonly metrics: readonly string[] }

/** The limit of saved views; some proxies refuse longer addresses too. */
export const addressCharactersMax = 4_000

/** More than the 13 months of data that are kept. */
const lastDaysMax = 400
const limitMax = 1_000_000_000

/** Reads a draft from the query part of an address. What is missing or malformed comes from `defaults` or is left out. */
export function readDraft(search: string, defaults: QueryDraft): QueryDraft {
  const given = new URLSearchParams(search)
  const cube = findCube(given.get('cube') ?? '') ?? defaults.cube
  const base = fitCube(defaults, cube)
  return {
    cube,
    dates: readDates(given) ?? base.dates,
    dimensions: readNames(given.get('d'), cube.dimensions) ?? base.dimensions,
    metrics: readNames(given.get('m'), cube.metrics) ?? base.metrics,
    filters: given.getAll('f').flatMap((text) => readFilter(text, cube) ?? []),
    sort: (given.get('sort') ?? '').split(',').flatMap((text) => readSort(text, cube) ?? []),
    limit: readNumber(given.get('limit'), limitMax),
  }
}

/** Writes the draft as the query part of an address: ASCII, without the question mark. */
export function writeDraft({ cube, dates, dimensions, metrics, filters, sort, limit }: QueryDraft): string {
  const given = new URLSearchParams({ cube: cube.alias })
  if ('last' in dates) given.set('last', String(dates.last))
  else {
    given.set('start', dates.start)
    given.set('end', dates.end)
  }
  given.set('d', dimensions.join(','))
  given.set('m', metrics.join(','))
  for (const { field, operator, values } of filters) given.append('f', [field, operator, ...values.map(hide)].join(','))
  if (sort.length > 0) given.set('sort', sort.map(({ field, order }) => (order === 'asc' ? '' : '-') + field).join(','))
  if (limit !== undefined) given.set('limit', String(limit))
  return given.toString().replaceAll('%2C', ',')
}

/** The request body for the draft. */
export function toBody(draft: QueryDraft, today: Day): DraftBody {
  const { dates, dimensions, metrics, filters, limit } = draft
  const sort = sortOf(draft)
  return {
    ...rangeOf(dates, today),
    dimensions,
    metrics,
    ...(filters.length > 0 && { filters: filters.map(filterToBody) }),
    ...(sort.length > 0 && { sort }),
    ...(limit !== undefined && { limit }),
  }
}

export const rangeOf = (dates: Dates, today: Day): { readonly start: Day; readonly end: Day } =>
  'last' in dates ? { start: addDays(today, -dates.last), end: addDays(today, -1) } : dates

/** The chosen order. Without one, rows by day or hour stay in the server's order, which is by time; others start with the largest. */
export function sortOf({ dimensions, metrics, sort }: QueryDraft): readonly SortDraft[] {
  const [metric] = metrics
  const isOverTime = dimensions.some((name) => name === 'Day' || name === 'Time')
  if (sort.length > 0 || metric === undefined || dimensions.length === 0 || isOverTime) return sort
  return [{ field: metric, order: 'desc' }]
}

const filterToBody = ({ field, operator, values }: FilterDraft) =>
  operator === '=' || operator === 'like' ? { field, operator, value: values[0] ?? '' } : { field, operator, values }

function readDates(given: URLSearchParams): Dates | undefined {
  const [start, end] = [given.get('start') ?? '', given.get('end') ?? '']
  if (isDay(start) && isDay(end)) return { start, end }
  const last = readNumber(given.get('last'), lastDaysMax)
  return last === undefined ? undefined : { last }
}

function readNames(text: string | null, fields: readonly { readonly name: string }[]): readonly string[] | undefined {
  if (text === null) return undefined
  if (text === '') return []
  const names = text.split(',').flatMap((name) => findField(name, fields)?.name ?? [])
  return names.length > 0 ? [...new Set(names)] : undefined
}

function readFilter(text: string, cube: Cube): FilterDraft | undefined {
  const [name = '', word, ...hidden] = text.split(',')
  const field = findField(name, cube.dimensions)?.name
  const operator = operators.find((each) => each === word)
  if (field === undefined || operator === undefined || hidden.length === 0) return undefined
  const values = hidden.map(reveal)
  return { field, operator, values: operator === '=' || operator === 'like' ? values.slice(0, 1) : values }
}

function readSort(text: string, cube: Cube): SortDraft | undefined {
  const isDescending = text.startsWith('-')
  const field = findField(isDescending ? text.slice(1) : text, [...cube.dimensions, ...cube.metrics])?.name
  return field === undefined ? undefined : { field, order: isDescending ? 'desc' : 'asc' }
}

function readNumber(text: string | null, max: number): number | undefined {
  const number = Number(text)
  return text !== null && /^\d+$/.test(text) && number >= 1 && number <= max ? number : undefined
}

/** Commas separate the values of a filter, so a comma within a value is escaped. */
const hide = (value: string): string => value.replaceAll('*', '*0').replaceAll(',', '*1')
const reveal = (text: string): string => text.replaceAll('*1', ',').replaceAll('*0', '*')
