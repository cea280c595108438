import type { Cube } from '../catalog/cube.ts'
import { findCube } from '../catalog/cubes.ts'
import { asynchronousLimits, commonLimits, type QueryBounds } from '../catalog/limits.ts'
import type { Day } from './day.ts'
import { Faults, isObject, kindOf, quote, refuseUnknownMembers, type Fault } from './faults.ts'
import { parseFields } from './parse-fields.ts'
import { parseFilters } from './parse-filters.ts'
import { parseRange } from './parse-range.ts'
import { parseSorts } from './parse-sorts.ts'
import { pointToReport } from './point-to-report.ts'
import type { Query } from './query.ts'

type Context = {
  readonly cube: Cube
  readonly limits: QueryBounds
  readonly today: Day
}

type Parsed = { readonly query: Query } | { readonly faults: readonly Fault[] }

const members = ['start', 'end', 'dimensions', 'metrics', 'filters', 'sort', 'limit', 'dataset']

/** Checks a request body against a cube and the limits of an endpoint. Returns the query, or all faults together. */
export function parseQuery(body: unknown, { cube, limits, today }: Context): Parsed {
  const faults = new Faults()
  if (!isObject(body)) {
    faults.add(`The body must be a JSON object, not ${kindOf(body)}.`)
    return { faults: faults.list }
  }

  refuseUnknownMembers(body, members, faults)
  checkDataset(body.dataset, cube, faults.at('dataset'))
  const range = parseRange(body.start, body.end, limits, today, faults)
  const dimensions = parseFields('dimensions', body.dimensions, { cube, limits }, faults)
  const metrics = parseFields('metrics', body.metrics, { cube, limits }, faults)
  const filters = parseFilters(body.filters, cube, faults.at('filters'))
  const sorts = parseSorts(body.sort, cube, dimensions, faults.at('sort'))
  const limit = parseLimit(body.limit, limits, faults.at('limit'))

  if (faults.list.length > 0 || !range || !dimensions || !metrics) return { faults: faults.list }
  return { query: { cube, ...range, dimensions, metrics, filters, sorts, limit } }
}

/** The specification shows `dataset` without a definition. It may name the cube of the request, and has no effect. */
function checkDataset(dataset: unknown, cube: Cube, faults: Faults): void {
  if (dataset === undefined) return
  if (typeof dataset !== 'string') return faults.add(`Must be a string, not ${kindOf(dataset)}.`)
  const named = findCube(dataset)
  if (named && named !== cube) {
    faults.add(`Names the cube ${quote(dataset)}, but the request is for the cube "${cube.name}".`)
  }
}

function parseLimit(limit: unknown, limits: QueryBounds, faults: Faults): number {
  const { rowsMax } = limits
  if (limit === undefined) return commonLimits.rowsDefault
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= rowsMax) return limit
  const given = typeof limit === 'number' ? String(limit) : kindOf(limit)
  const most = asynchronousLimits.rowsMax
  const fitsReport = typeof limit === 'number' && limit > rowsMax && limit <= most
  const report = pointToReport(limits, fitsReport, `can have ${formatRows(most)} rows`)
  faults.add(`Must be a whole number from 1 to ${formatRows(rowsMax)}, not ${given}.${report}`)
  return commonLimits.rowsDefault
}

const formatRows = (rows: number): string => rows.toLocaleString('en-US')
