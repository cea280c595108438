import type { Cube } from '../catalog/cube.ts'
import { commonLimits } from '../catalog/limits.ts'
import { isObject, kindOf, parseList, quote, refuseUnknownMembers, type Faults } from './faults.ts'
import { findField, suggestField } from './parse-fields.ts'
import { operators, operatorSynonyms, type Filter, type Operator } from './query.ts'

const { filtersMax, filterValuesMax, filterValueCharactersMax } = commonLimits

export function parseFilters(given: unknown, cube: Cube, faults: Faults): readonly Filter[] {
  return parseList(given, 'filters', filtersMax, faults)
    .map((filter, index) => parseFilter(filter, cube, faults.at(index)))
    .filter((filter) => filter !== undefined)
}

function parseFilter(given: unknown, cube: Cube, faults: Faults): Filter | undefined {
  if (!isObject(given))
    return faults.add(`Must be an object with field, operator and value or values, not ${kindOf(given)}.`)
  refuseUnknownMembers(given, ['field', 'operator', 'value', 'values'], faults)

  const dimension = parseDimension(given.field, cube, faults.at('field'))
  const operator = parseOperator(given.operator, faults.at('operator'))
  if (!operator) return undefined
  const parseValues = operator === '=' || operator === 'like' ? parseSingleValue : parseValueList
  const values = parseValues(operator, given, faults)
  return dimension && values && { dimension, operator, values }
}

function parseDimension(name: unknown, cube: Cube, faults: Faults) {
  if (name === undefined) return faults.add('Required: the name of a dimension.')
  if (typeof name !== 'string') return faults.add(`Must be the name of a dimension, not ${kindOf(name)}.`)
  const dimension = findField(name, cube.dimensions)
  if (dimension) return dimension
  if (findField(name, cube.metrics)) return faults.add(`${quote(name)} is a metric. Filters work on dimensions only.`)
  return faults.add(`${quote(name)} is not a dimension of this cube.${suggestField(name, cube, cube.dimensions)}`)
}

function parseOperator(given: unknown, faults: Faults): Operator | undefined {
  const legal = operators.map((each) => `"${each}"`).join(', ')
  if (given === undefined) return faults.add(`Required: one of ${legal}.`)
  if (typeof given !== 'string') return faults.add(`Must be one of ${legal}, not ${kindOf(given)}.`)
  const wanted = given.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const found = operators.find((each) => each === wanted)
  if (found) return found
  const meant = Object.hasOwn(operatorSynonyms, wanted) ? ` Did you mean "${operatorSynonyms[wanted]}"?` : ''
  return faults.add(`${quote(given)} is not one of ${legal}.${meant}`)
}

function parseSingleValue(operator: Operator, given: Record<string, unknown>, faults: Faults) {
  if (given.values !== undefined) faults.at('values').add(`The operator "${operator}" takes value, not values.`)
  const own = faults.at('value')
  if (given.value === undefined) return own.add(`Required: the operator "${operator}" takes a value.`)
  const value = parseValue(given.value, own)
  if (value === undefined) return undefined
  if (operator === 'like' && endsInLoneBackslash(value))
    return own.add('The pattern ends in a lone backslash; write two for a backslash.')
  return [value]
}

function parseValueList(operator: Operator, { value, values }: Record<string, unknown>, faults: Faults) {
  if (value !== undefined) faults.at('value').add(`The operator "${operator}" takes values, not value.`)
  const own = faults.at('values')
  if (values === undefined) return own.add(`Required: the operator "${operator}" takes an array of values.`)
  if (!Array.isArray(values)) return own.add(`Must be an array of strings, not ${kindOf(values)}.`)
  if (values.length === 0) return own.add('Must have at least one value.')
  if (values.length > filterValuesMax)
    return own.add(`Too many values: ${values.length}. A filter can have at most ${filterValuesMax}.`)
  const parsed = values.map((each: unknown, index) => parseValue(each, own.at(index)))
  return parsed.filter((each) => each !== undefined)
}

function parseValue(value: unknown, faults: Faults): string | undefined {
  if (typeof value !== 'string') return faults.add(`Must be a string, not ${kindOf(value)}.`)
  if (value.length > filterValueCharactersMax)
    return faults.add(`Too long: a value can have at most ${filterValueCharactersMax} characters.`)
  if (!value.isWellFormed()) return faults.add('Not valid Unicode: it contains an unpaired surrogate.')
  return value
}

const endsInLoneBackslash = (pattern: string): boolean => (/\\*$/.exec(pattern)?.[0].length ?? 0) % 2 === 1
