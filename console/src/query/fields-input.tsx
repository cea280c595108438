import { MultiSelect, Text } from '@mantine/core'
import { describeFormula, type Dimension, type Metric } from '../../../src/catalog/cube.ts'
import { findField } from '../../../src/query/parse-fields.ts'
import { LimitLabel } from './limit-label.tsx'
import { searchFields } from './search-fields.ts'

type Props = {
  readonly label: string
  readonly fields: readonly (Dimension | Metric)[]
  readonly value: readonly string[]
  readonly onChange: (names: readonly string[]) => void
  readonly max: number
  readonly error: string | undefined
}

/** Dimensions or metrics, in the order of the columns. The search covers names and descriptions. */
export function FieldsInput({ label, fields, value, onChange, max, error }: Props) {
  return (
    <MultiSelect
      size="xs"
      label={<LimitLabel label={label} count={value.length} max={max} />}
      labelProps={{ className: 'wide-label' }}
      data={fields.map(({ name }) => name)}
      value={[...value]}
      onChange={onChange}
      filter={({ search }) => searchFields(fields, search).map(({ name }) => ({ value: name, label: name }))}
      renderOption={({ option, checked }) => (
        <FieldOption field={findField(option.value, fields)} checked={checked === true} />
      )}
      placeholder={value.length === 0 ? 'Search' : undefined}
      nothingFoundMessage={`No ${label.toLowerCase()} of this name`}
      error={error}
      searchable
      withPillsReorder
      withCheckIcon={false}
      selectFirstOptionOnChange
      // So that it fits beside the last pill more often.
      styles={{ inputField: { minWidth: 20 } }}
      comboboxProps={{ width: 320, position: 'bottom-start' }}
    />
  )
}

function FieldOption({
  field,
  checked,
}: {
  readonly field: Dimension | Metric | undefined
  readonly checked: boolean
}) {
  if (!field) return null
  return (
    <div>
      <Text size="sm" fw={checked ? 700 : 500}>
        {field.name}
        {checked && ' ✓'}
      </Text>
      <Text size="xs" className="quiet">
        {field.description}
      </Text>
      {'formula' in field && (
        <Text size="xs" ff="monospace" className="quiet">
          {describeFormula(field.formula)}
        </Text>
      )}
    </div>
  )
}
