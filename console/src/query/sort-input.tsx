import { ActionIcon, Button, Group, Input, Select, Stack, Text } from '@mantine/core'
import { ArrowDownIcon, ArrowUpIcon, Cross2Icon, PlusIcon } from '@radix-ui/react-icons'
import { commonLimits } from '../../../src/catalog/limits.ts'
import { sortOf, type QueryDraft, type SortDraft } from './draft.ts'
import { LimitLabel } from './limit-label.tsx'

type Props = {
  readonly draft: QueryDraft
  readonly onChange: (sort: readonly SortDraft[]) => void
  readonly error: string | undefined
}

/** The sort order. The server accepts metrics that are not selected, but only selected dimensions. */
export function SortInput({ draft, onChange, error }: Props) {
  const { sort, cube, dimensions } = draft
  const metrics = cube.metrics.map(({ name }) => name)
  const isFree = (name: string): boolean => sort.every(({ field }) => field !== name)
  const free = [...draft.metrics, ...dimensions, ...metrics].find(isFree)
  const change = (index: number, next: SortDraft): void => onChange(sort.with(index, next))
  return (
    <Input.Wrapper
      size="xs"
      component="fieldset"
      className="plain-fieldset"
      label={<LimitLabel label="Sort" count={sort.length} max={commonLimits.sortsMax} />}
      labelElement="div"
      labelProps={{ className: 'wide-label' }}
      error={error}
      aria-label="Sort"
    >
      <Stack gap={6}>
        {sort.length === 0 && (
          <Text size="xs" c="dimmed">
            {describeAutomatic(draft)}
          </Text>
        )}
        {sort.map((each, index) => (
          <Group key={each.field} gap={4} wrap="nowrap">
            <Select
              flex={1}
              size="xs"
              aria-label={`Sort by, ${index + 1}`}
              data={[
                { group: 'Dimensions', items: dimensions.filter((name) => name === each.field || isFree(name)) },
                { group: 'Metrics', items: metrics.filter((name) => name === each.field || isFree(name)) },
              ]}
              value={each.field}
              onChange={(field) => field !== null && change(index, { ...each, field })}
              allowDeselect={false}
              searchable
            />
            <ActionIcon
              variant="default"
              aria-label={each.order === 'asc' ? 'Smallest first' : 'Largest first'}
              title={each.order === 'asc' ? 'Smallest first' : 'Largest first'}
              onClick={() => change(index, { ...each, order: each.order === 'asc' ? 'desc' : 'asc' })}
            >
              {each.order === 'asc' ? <ArrowUpIcon /> : <ArrowDownIcon />}
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Do not sort by ${each.field}`}
              onClick={() => onChange(sort.filter((_, other) => other !== index))}
            >
              <Cross2Icon />
            </ActionIcon>
          </Group>
        ))}
        <Button
          size="compact-xs"
          ml={-8}
          variant="subtle"
          w="fit-content"
          leftSection={<PlusIcon aria-hidden />}
          disabled={free === undefined || sort.length >= commonLimits.sortsMax}
          onClick={() => free !== undefined && onChange([...sort, { field: free, order: 'desc' }])}
        >
          {sort.length === 0 ? 'Choose an order' : 'Add another'}
        </Button>
      </Stack>
    </Input.Wrapper>
  )
}

function describeAutomatic(draft: QueryDraft): string {
  const [first] = sortOf(draft)
  if (first) return `${first.field}, largest first`
  return draft.dimensions.length === 0 ? 'There is one row.' : `By ${draft.dimensions.join(', then ')}`
}
