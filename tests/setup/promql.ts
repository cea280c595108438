export type Used = {
  readonly name: string
  /** Named in its selector, or by an aggregation or a match of the expression around it. */
  readonly labels: readonly string[]
  /** Those that must be exactly so. */
  readonly values: Readonly<Record<string, string>>
}

/** The metrics of an expression in PromQL, with the labels and values that it expects of them. */
export function metricsIn(expression: string): readonly Used[] {
  // What aggregates one metric may leave out a label of another, so only what has one metric tells of its own labels.
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
