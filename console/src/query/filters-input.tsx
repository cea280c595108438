import { ActionIcon, Button, Group, Input, Stack, Text, UnstyledButton } from '@mantine/core'
import { Cross2Icon, PlusIcon } from '@radix-ui/react-icons'
import { useRef, useState } from 'react'
import type { Cube } from '../../../src/catalog/cube.ts'
import { commonLimits } from '../../../src/catalog/limits.ts'
import type { Fault } from '../../../src/query/faults.ts'
import { faultAt } from './check-draft.ts'
import type { FilterDraft } from './draft.ts'
import { describeFilter } from './describe-filter.ts'
import { FilterForm } from './filter-form.tsx'
import { LimitLabel } from './limit-label.tsx'

type Props = {
  readonly cube: Cube
  readonly value: readonly FilterDraft[]
  readonly onChange: (filters: readonly FilterDraft[]) => void
  readonly faults: readonly Fault[]
}

/** The filters of a query. A row must match all of them. */
export function FiltersInput({ cube, value, onChange, faults }: Props) {
  const [edited, setEdited] = useState<number | 'new'>()
  const addButton = useRef<HTMLButtonElement>(null)
  const close = (): void => {
    setEdited(undefined)
    // The form disappears, and the focus with it.
    addButton.current?.focus()
  }
  const apply = (filter: FilterDraft): void => {
    onChange(edited === 'new' ? [...value, filter] : value.with(edited ?? 0, filter))
    close()
  }
  return (
    <Input.Wrapper
      size="xs"
      component="fieldset"
      className="plain-fieldset"
      label={<LimitLabel label="Filters" count={value.length} max={commonLimits.filtersMax} />}
      labelElement="div"
      labelProps={{ className: 'wide-label' }}
      error={faults.some(({ pointer }) => pointer === '#/filters') ? faultAt(faults, 'filters') : undefined}
      aria-label="Filters"
    >
      <Stack gap={6}>
        {value.map((filter, index) => {
          const place = `filters/${index}`
          return edited === index ? (
            <FilterForm key={place} cube={cube} filter={filter} onApply={apply} onClose={close} />
          ) : (
            <div key={place}>
              <Group gap={4} wrap="nowrap" className="filter">
                <UnstyledButton flex={1} miw={0} onClick={() => setEdited(index)} title="Change this filter">
                  <Text size="xs" lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
                    {describeFilter(filter)}
                  </Text>
                </UnstyledButton>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={`Remove the filter on ${filter.field}`}
                  onClick={() => onChange(value.filter((_, each) => each !== index))}
                >
                  <Cross2Icon />
                </ActionIcon>
              </Group>
              <Input.Error>{faultAt(faults, place)}</Input.Error>
            </div>
          )
        })}
        {edited === 'new' && <FilterForm cube={cube} filter={undefined} onApply={apply} onClose={close} />}
        <Button
          ref={addButton}
          size="compact-xs"
          ml={-8}
          variant="subtle"
          w="fit-content"
          leftSection={<PlusIcon aria-hidden />}
          disabled={value.length >= commonLimits.filtersMax}
          onClick={() => setEdited('new')}
        >
          Add a filter
        </Button>
      </Stack>
    </Input.Wrapper>
  )
}
