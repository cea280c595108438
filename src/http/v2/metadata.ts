import { rateRules } from '../../access/rate-rules.ts'
import { describeFormula, type Cube, type Formula } from '../../catalog/cube.ts'
import { asynchronousLimits, commonLimits, synchronousLimits, type QueryLimits } from '../../catalog/limits.ts'
import { queryLimits, rateLimit, type MetadataAnswer } from '../../contract/answers.ts'
import { toRecord } from '../../contract/record.ts'
import type { QueryFacts } from '../../facts/facts.ts'
import { operators } from '../../query/query.ts'
import { cubesOf, type Account } from '../../store/accounts.ts'

/** The answer of GET /v2/data/metadata. */
export function describeCatalog(account: Account, { distinctCountError }: QueryFacts): MetadataAnswer {
  const { rateFactor } = account
  return {
    cubes: cubesOf(account).map(describeCube),
    limits: {
      synchronous: describeLimits(synchronousLimits, rateFactor),
      asynchronous: describeLimits(asynchronousLimits, rateFactor),
      rates: rateRules.map((rule) =>
        toRecord(rateLimit, { ...rule, path: `/{version}${rule.path}`, quota: rule.quota * rateFactor }),
      ),
    },
    operators: [...operators],
    distinct_counts:
      distinctCountError === 0 ? { exact: true } : { exact: false, relative_standard_error: distinctCountError },
  }
}

function describeCube({ name, alias, description, dimensions, metrics, measures }: Cube) {
  const isCount = (formula: Formula): boolean =>
    formula.kind === 'uniques' ||
    (formula.kind === 'sum' && measures.some(({ column, type }) => column === formula.measure && type === 'count'))
  return {
    cube: name,
    alias,
    description,
    granularity: 'day' as const,
    dimensions: dimensions.map((each) => ({ name: each.name, type: each.type, description: each.description })),
    metrics: metrics.map((each) => ({
      name: each.name,
      type: isCount(each.formula) ? ('integer' as const) : ('number' as const),
      unit: each.unit,
      description: each.description,
      formula: describeFormula(each.formula),
    })),
  }
}

function describeLimits(limits: QueryLimits, rateFactor: number) {
  const { rate, available } = limits
  return toRecord(queryLimits, {
    ...limits,
    ...commonLimits,
    rateLimit: { quota: rate.quota * rateFactor, of: rate.of, window_seconds: rate.windowSeconds },
    available: 'days' in available ? `last ${available.days} days` : `last ${available.months} months`,
    sortMax: commonLimits.sortsMax,
  })
}
