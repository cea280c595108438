import type { Cube } from '../catalog/cube.ts'
import { commonLimits } from '../catalog/limits.ts'
import { isObject, kindOf, parseList, quote, refuseUnknownMembers, suggest, type Faults, type Path } from './faults.ts'
import { findField } from './parse-fields.ts'
import { operators, type Filter, type Operator } from './query.ts'

export function parseFilters(given: unknown, cube: Cube, faults: Faults): readonly Filter[] {
  return parseList('filters', given, { entries: 'filters', max: commonLimits.filtersMax }, faults)
    .map((filter, index) => parseFilter(filter, cube, ['filters', index], faults))
    .filter((filter) => filter !== undefined)
}

function parseFilter(given: unknown, cube: Cube, path: Path, faults: Faults): Filter | undefined {
  if (!isObject(given))
    return faults.add(path, `Must be an object with field, operator and value or values, not ${kindOf(given)}.`)
  refuseUnknownMembers(given, ['field', 'operator', 'value', 'values'], path, faults)

  const dimension = parseDimension(given.field, cube, [...path, 'field'], faults)
  const operator = parseOperator(given.operator, [...path, 'operator'], faults)
  if (!operator) return undefined
  const values =
    operator === '=' || operator === 'like'
      ? parseSingleValue(operator, given, path, faults)
      : parseValueList(operator, given, path, faults)
  return dimension && values && { dimension, operator, values }
}

function parseDimension(name: unknown, cube: Cube, path: Path, faults: Faults) {
  if (name === undefined) return faults.add(path, 'Required: the name of a dimension.')
  if (typeof name !== 'string') return faults.add(path, `Must be the name of a dimension, not ${kindOf(name)}.`)
  const dimension = findField(name, cube.dimensions)
  if (dimension) return dimension
  if (findField(name, cube.metrics))
    return faults.add(path, `${quote(name)} is a metric. Filters work on dimensions only.`)
  const names = cube.dimensions.map((each) => each.name)
  return faults.add(path, `${quote(name)} is not a dimension of this cube.${suggest(name, names)}`)
}

function parseOperator(given: unknown, path: Path, faults: Faults): Operator | undefined {
  const legal = operators.map((each) => `"${each}"`).join(', ')
  if (given === undefined) return faults.add(path, `Required: one of ${legal}.`)
  if (typeof given !== 'string') return faults.add(path, `Must be one of ${legal}, not ${kindOf(given)}.`)
  const wanted = given.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  return operators.find((each) => each === wanted) ?? faults.add(path, `${quote(given)} is not one of ${legal}.`)
}

function parseSingleValue(operator: Operator, given: Record<string, unknown>, path: Path, faults: Faults) {
  if (given.values !== undefined) faults.add([...path, 'values'], `The operator "${operator}" takes value, not values.`)
  if (given.value === undefined)
    return faults.add([...path, 'value'], `Required: the operator "${operator}" takes a value.`)
  const value = parseValue(given.value, [...path, 'value'], faults)
  if (value === undefined) return undefined
  if (operator === 'like' && endsInLoneBackslash(value)) {
    return faults.add([...path, 'value'], 'The pattern ends in a lone backslash; write two for a backslash.')
  }
  return [value]
}

function parseValueList(operator: Operator, given: Record<string, unknown>, path: Path, faults: Faults) {
  const { values } = given
  const at = [...path, 'values']
  if (given.value !== undefined) faults.add([...path, 'value'], `The operator "${operator}" takes values, not value.`)
  if (values === undefined) return faults.add(at, `Required: the operator "${operator}" takes an array of values.`)
  if (!Array.isArray(values)) return faults.add(at, `Must be an array of strings, not ${kindOf(values)}.`)
  if (values.length === 0) return faults.add(at, 'Must have at least one value.')
  if (values.length > commonLimits.filterValuesMax) {
    return faults.add(
      at,
      `Too many values: ${values.length}. A filter can have at most ${commonLimits.filterValuesMax}.`,
    )
  }
  const parsed = values.map((value: unknown, index) => parseValue(value, [...at, index], faults))
  return parsed.filter((value) => value !== undefined)
}

function parseValue(value: unknown, path: Path, faults: Faults): string | undefined {
  if (typeof value !== 'string') return faults.add(path, `Must be a string, not ${kindOf(value)}.`)
  if (value.length > commonLimits.filterValueCharactersMax) {
    return faults.add(path, `Too long: a value can have at most ${commonLimits.filterValueCharactersMax} characters.`)
  }
  if (!value.isWellFormed()) return faults.add(path, 'Not valid Unicode: it contains an unpaired surrogate.')
  return value
}

const endsInLoneBackslash = (pattern: string): boolean => (/\\*$/.exec(pattern)?.[0].length ?? 0) % 2 === 1
