export type Used = {
  readonly name: string
  /** Labels in its selector, or in an aggregation or a match around it. */
  readonly labels: readonly string[]
  /** Labels with an exact value. */
  readonly values: Readonly<Record<string, string>>
}

/** Lists the metrics of a PromQL expression, with the labels and values that it expects. */
export function metricsIn(expression: string): readonly Used[] {
  // Only if an expression has a single metric, its aggregations say which labels this metric has.
  const names = [...expression.matchAll(/\b(?:adcube|nodejs|process)_\w+/g)].map(([name]) => name)
  const isOne = new Set(names).size === 1
  const grouped = isOne
    ? [...expression.matchAll(/\b(?:by|on|without|label_values)\s*\(([^()]*)\)/g)].flatMap(([, list = '']) =>
        list.split(',').map((each) => each.trim()),
      )
    : []
  return [...expression.matchAll(/\b((?:adcube|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selector = '']) => {
      const matchers = [...selector.matchAll(/(\w+)\s*(=~|!=|!~|=)\s*"([^"]*)"/g)]
      const exact = matchers.filter(([, , operator]) => operator === '=' || operator === '!=')
      return {
        name,
        labels: [...matchers.map(([, label = '']) => label), ...grouped.filter((each) => each !== name)],
        values: Object.fromEntries(exact.map(([, label = '', , value = '']) => [label, value])),
      }
    },
  )
}
