import { rateRules } from '../../access/rate-rules.ts'
import { describeFormula, type Cube, type Formula } from '../../catalog/cube.ts'
import { asynchronousLimits, commonLimits, synchronousLimits, type QueryLimits } from '../../catalog/limits.ts'
import type { QueryFacts } from '../../facts/facts.ts'
import { operators } from '../../query/query.ts'
import { cubesOf, type Account } from '../../store/accounts.ts'
import type { MetadataAnswer } from '../../contract/answers.ts'

/** GET /v2/data/metadata: all that a caller can ask for, and within which limits. */
export function describeCatalog(account: Account, { distinctCountError }: QueryFacts): MetadataAnswer {
  const { rateFactor } = account
  return {
    cubes: cubesOf(account).map(describeCube),
    limits: {
      synchronous: describeLimits(synchronousLimits, rateFactor),
      asynchronous: describeLimits(asynchronousLimits, rateFactor),
      rates: rateRules.map((rule) => ({
        name: rule.name,
        description: rule.description,
        method: rule.method,
        path: `/{version}${rule.path}`,
        window_seconds: rule.windowSeconds,
        quota: rule.quota * rateFactor,
      })),
    },
    operators: [...operators],
    distinct_counts:
      distinctCountError === 0 ? { exact: true } : { exact: false, relative_standard_error: distinctCountError },
  }
}

function describeCube({ name, alias, description, dimensions, metrics, measures }: Cube) {
  const typeOf = (formula: Formula): 'integer' | 'number' => {
    if (formula.kind === 'uniques') return 'integer'
    if (formula.kind !== 'sum') return 'number'
    return measures.some(({ column, type }) => column === formula.measure && type === 'count') ? 'integer' : 'number'
  }
  return {
    cube: name,
    alias,
    description,
    granularity: 'day' as const,
    dimensions: dimensions.map((dimension) => ({
      name: dimension.name,
      type: dimension.type,
      description: dimension.description,
    })),
    metrics: metrics.map((metric) => ({
      name: metric.name,
      type: typeOf(metric.formula),
      unit: metric.unit,
      description: metric.description,
      formula: describeFormula(metric.formula),
    })),
  }
}

function describeLimits(
  { rate, available, daysMax, dimensionsMax, metricsMax, rowsMax }: QueryLimits,
  rateFactor: number,
) {
  return {
    rate_limit: { quota: rate.quota * rateFactor, of: rate.of, window_seconds: rate.windowSeconds },
    available: 'days' in available ? `last ${available.days} days` : `last ${available.months} months`,
    days_max: daysMax,
    dimensions_max: dimensionsMax,
    metrics_max: metricsMax,
    filters_max: commonLimits.filtersMax,
    filter_values_max: commonLimits.filterValuesMax,
    filter_value_characters_max: commonLimits.filterValueCharactersMax,
    sort_max: commonLimits.sortsMax,
    rows_max: rowsMax,
    rows_default: commonLimits.rowsDefault,
  }
}
