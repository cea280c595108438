import { Button, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import type { Cube } from '../../../src/catalog/cube.ts'
import { commonLimits } from '../../../src/catalog/limits.ts'
import { operators, type Operator } from '../../../src/query/query.ts'
import { operatorWords } from './describe-filter.ts'
import type { FilterDraft } from './draft.ts'
import { searchFields } from './search-fields.ts'
import { ValuesInput } from './values-input.tsx'

type Props = {
  readonly cube: Cube
  /** The filter to change; undefined for a new one. */
  readonly filter: FilterDraft | undefined
  readonly onApply: (filter: FilterDraft) => void
  readonly onClose: () => void
}

/** A filter takes effect with "Apply", so that a half-made one runs no query. */
export function FilterForm({ cube, filter, onApply, onClose }: Props) {
  const [field, setField] = useState<string | null>(filter?.field ?? null)
  const [operator, setOperator] = useState<Operator>(filter?.operator ?? 'in')
  const [values, setValues] = useState<readonly string[]>(filter?.values ?? [])
  const isWhole = field !== null && values.length > 0 && (operator !== 'like' || values[0] !== '')

  const changeField = (name: string | null): void => {
    setField(name)
    setValues([])
  }
  const changeOperator = (next: Operator): void => {
    setOperator(next)
    if (next === '=' || next === 'like') setValues(values.slice(0, 1))
  }
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    if (isWhole) onApply({ field, operator, values })
  }
  return (
    <Paper
      withBorder
      p="xs"
      component="form"
      onSubmit={submit}
      aria-label={filter ? 'Change the filter' : 'New filter'}
    >
      <Stack gap="xs">
        <Select
          size="xs"
          label="Dimension"
          data={cube.dimensions.map(({ name }) => name)}
          filter={({ search }) =>
            searchFields(cube.dimensions, search).map(({ name }) => ({ value: name, label: name }))
          }
          value={field}
          onChange={changeField}
          allowDeselect={false}
          searchable
          selectFirstOptionOnChange
          autoFocus={!filter}
          nothingFoundMessage="No dimension of this name"
          placeholder="Choose one"
        />
        <Select
          size="xs"
          label="Operator"
          data={operators.map((value) => ({ value, label: `${operatorWords[value]} (${value})` }))}
          value={operator}
          onChange={(next) => next && changeOperator(next)}
          allowDeselect={false}
        />
        {field !== null && operator === 'like' && (
          <TextInput
            size="xs"
            label="Pattern"
            value={values[0] ?? ''}
            onChange={(event) => setValues([event.currentTarget.value])}
            maxLength={commonLimits.filterValueCharactersMax}
            description="% stands for any text, _ for one character. Upper and lower case differ."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
        )}
        {field !== null && operator !== 'like' && (
          <ValuesInput
            key={field}
            cube={cube}
            dimension={field}
            value={values}
            onChange={setValues}
            isSingle={operator === '='}
          />
        )}
        {field === null && (
          <Text size="xs" c="dimmed">
            Choose a dimension to see its values.
          </Text>
        )}
        <Group gap="xs">
          <Button size="xs" type="submit" disabled={!isWhole}>
            Apply
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}
