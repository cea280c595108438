import type { Cube, Dimension } from '../catalog/cube.ts'
import { commonLimits } from '../catalog/limits.ts'
import { isObject, kindOf, parseList, quote, refuseUnknownMembers, type Faults } from './faults.ts'
import { findField, suggestField } from './parse-fields.ts'
import type { Sort } from './query.ts'

/** The dimensions of a query; undefined if they have faults. Sorts are then checked by name only. */
type Selected = readonly Dimension[] | undefined

export function parseSorts(given: unknown, cube: Cube, selected: Selected, faults: Faults): readonly Sort[] {
  const sorts: Sort[] = []
  parseList(given, 'sort entries', commonLimits.sortsMax, faults).forEach((entry, index) => {
    const own = faults.at(index)
    const sort = parseSort(entry, cube, selected, own)
    if (!sort) return
    if (sorts.some(({ field }) => field === sort.field)) own.at('field').add(`"${sort.field.name}" appears twice.`)
    else sorts.push(sort)
  })
  return sorts
}

function parseSort(given: unknown, cube: Cube, selected: Selected, faults: Faults): Sort | undefined {
  if (!isObject(given)) return faults.add(`Must be an object with field and order, not ${kindOf(given)}.`)
  refuseUnknownMembers(given, ['field', 'order'], faults)
  const field = parseSortField(given.field, cube, selected, faults.at('field'))
  const direction = parseOrder(given.order, faults.at('order'))
  return field && direction && { field, direction }
}

function parseSortField(name: unknown, cube: Cube, selected: Selected, faults: Faults): Sort['field'] | undefined {
  if (name === undefined) return faults.add('Required: the name of a dimension or a metric.')
  if (typeof name !== 'string') return faults.add(`Must be the name of a dimension or a metric, not ${kindOf(name)}.`)
  const metric = findField(name, cube.metrics)
  if (metric) return metric
  const dimension = findField(name, cube.dimensions)
  if (!dimension) {
    const fields = [...cube.dimensions, ...cube.metrics]
    return faults.add(`${quote(name)} is not a field of this cube.${suggestField(name, cube, fields)}`)
  }
  if (!selected || selected.includes(dimension)) return dimension
  return faults.add(`"${dimension.name}" is not among the dimensions of the query, so it cannot be sorted by.`)
}

function parseOrder(order: unknown, faults: Faults): Sort['direction'] | undefined {
  if (order === undefined) return 'asc'
  if (typeof order !== 'string') return faults.add(`Must be "asc" or "desc", not ${kindOf(order)}.`)
  const wanted = order.trim().toLowerCase()
  if (wanted === 'asc' || wanted === 'desc') return wanted
  return faults.add(`${quote(order)} is neither "asc" nor "desc".`)
}
