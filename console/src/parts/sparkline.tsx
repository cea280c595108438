const width = 120
const height = 28
const inset = 2

type Props = {
  readonly values: readonly (number | null)[]
  /** The text alternative for screen readers. */
  readonly label: string
}

/** A line chart of the height of text, with gaps for missing values. */
export function Sparkline({ values, label }: Props) {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return null
  const low = Math.min(...known)
  const range = Math.max(...known) - low || 1
  const step = (width - 2 * inset) / (values.length - 1)
  let path = ''
  let isDrawing = false
  for (const [index, value] of values.entries()) {
    if (value !== null) {
      const y = height - inset - ((value - low) / range) * (height - 2 * inset)
      path += `${isDrawing ? 'L' : 'M'}${(inset + index * step).toFixed(1)} ${y.toFixed(1)}`
    }
    isDrawing = value !== null
  }
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      className="sparkline"
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
