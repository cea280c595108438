import { NumberInput } from '@mantine/core'
import { useState } from 'react'
import { commonLimits, type QueryBounds } from '../../../src/catalog/limits.ts'
import { formatCount } from '../parts/format.ts'

type Props = {
  readonly value: number | undefined
  readonly onChange: (limit: number | undefined) => void
  readonly bounds: QueryBounds
  readonly error: string | undefined
}

/** Takes effect on Enter or when it loses the focus, so that a half-typed number runs no query. */
export function LimitInput({ value, onChange, bounds, error }: Props) {
  const [typed, setTyped] = useState<number | string>(value ?? '')
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    setTyped(value ?? '')
  }
  const apply = (): void => onChange(typeof typed === 'number' && typed >= 1 ? typed : undefined)
  return (
    <NumberInput
      size="xs"
      label="Maximum rows"
      description={`Up to ${formatCount(bounds.rowsMax)}`}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder={formatCount(commonLimits.rowsDefault)}
      value={typed}
      onChange={setTyped}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
      thousandSeparator=","
      allowDecimal={false}
      allowNegative={false}
      max={1_000_000_000}
      hideControls
      error={error}
    />
  )
}
