import type { Cube, Dimension } from '../catalog/cube.ts'
import { commonLimits } from '../catalog/limits.ts'
import { isObject, kindOf, parseList, quote, refuseUnknownMembers, suggest, type Faults, type Path } from './faults.ts'
import { findField } from './parse-fields.ts'
import type { Sort } from './query.ts'

/** `selected` is undefined if the dimensions have faults. Sorts are then checked by name only. */
export function parseSorts(
  given: unknown,
  cube: Cube,
  selected: readonly Dimension[] | undefined,
  faults: Faults,
): readonly Sort[] {
  const sorts: Sort[] = []
  parseList('sort', given, { entries: 'sort entries', max: commonLimits.sortsMax }, faults).forEach((entry, index) => {
    const path = ['sort', index]
    const sort = parseSort(entry, cube, selected, path, faults)
    if (!sort) return
    if (sorts.some((other) => other.field === sort.field))
      faults.add([...path, 'field'], `"${sort.field.name}" appears twice.`)
    else sorts.push(sort)
  })
  return sorts
}

function parseSort(
  given: unknown,
  cube: Cube,
  selected: readonly Dimension[] | undefined,
  path: Path,
  faults: Faults,
): Sort | undefined {
  if (!isObject(given)) return faults.add(path, `Must be an object with field and order, not ${kindOf(given)}.`)
  refuseUnknownMembers(given, ['field', 'order'], path, faults)
  const field = parseSortField(given.field, cube, selected, [...path, 'field'], faults)
  const direction = parseOrder(given.order, [...path, 'order'], faults)
  return field && direction && { field, direction }
}

function parseSortField(
  name: unknown,
  cube: Cube,
  selected: readonly Dimension[] | undefined,
  path: Path,
  faults: Faults,
) {
  if (name === undefined) return faults.add(path, 'Required: the name of a dimension or a metric.')
  if (typeof name !== 'string')
    return faults.add(path, `Must be the name of a dimension or a metric, not ${kindOf(name)}.`)
  const metric = findField(name, cube.metrics)
  if (metric) return metric
  const dimension = findField(name, cube.dimensions)
  if (!dimension) {
    const names = [...cube.dimensions, ...cube.metrics].map((field) => field.name)
    return faults.add(path, `${quote(name)} is not a field of this cube.${suggest(name, names)}`)
  }
  if (selected && !selected.includes(dimension)) {
    return faults.add(path, `"${dimension.name}" is not among the dimensions of the query, so it cannot be sorted by.`)
  }
  return dimension
}

function parseOrder(order: unknown, path: Path, faults: Faults): 'asc' | 'desc' | undefined {
  if (order === undefined) return 'asc'
  if (typeof order !== 'string') return faults.add(path, `Must be "asc" or "desc", not ${kindOf(order)}.`)
  const wanted = order.trim().toLowerCase()
  if (wanted === 'asc' || wanted === 'desc') return wanted
  return faults.add(path, `${quote(order)} is neither "asc" nor "desc".`)
}
