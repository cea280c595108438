import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Cube } from '../../../src/catalog/cube.ts'
import { calls } from '../api/calls.ts'
import { Failed } from '../parts/failed.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { explorerAddress } from '../query/addresses.ts'
import classes from './fields.module.css'

const valuesShown = 12

type Props = { readonly cube: Cube; readonly dimension: string }

/** Loads and shows the most frequent values of a dimension on demand. */
export function DimensionValues({ cube, dimension }: Props) {
  const [isOpen, setOpen] = useState(false)
  const action = isOpen ? 'Hide values' : 'Show values'
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-expanded={isOpen}
        aria-label={`${action} of ${dimension}`}
        onClick={() => setOpen(!isOpen)}
      >
        {action}
      </Button>
      {isOpen && <Values cube={cube} dimension={dimension} onCancel={() => setOpen(false)} />}
    </>
  )
}

/** Each value links to the explorer, filtered by it. */
function Values({ cube, dimension, onCancel }: Props & { readonly onCancel: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['values', cube.alias, dimension],
    queryFn: ({ signal }) => calls.values({ cube: cube.alias, dimension }, { signal }),
    staleTime: 300_000,
  })
  if (!data) {
    if (error) return <Failed error={error} onRetry={() => void refetch()} />
    return <Waiting what="Looking up values" height={24} onCancel={onCancel} />
  }
  const [first] = data.data
  if (first === undefined)
    return (
      <Text size="sm" w="100%">
        None in the last 14 days
      </Text>
    )
  const filter = { field: dimension, operator: '=', value: first ?? '' }
  return (
    <Stack gap={6} w="100%" role="status">
      <Group gap="4px 10px">
        {data.data.slice(0, valuesShown).map((value) => (
          <Anchor
            key={value}
            component={Link}
            href={explorerAddress({
              cube,
              filters: [{ field: dimension, operator: '=', values: [value ?? ''] }],
            })}
            size="sm"
            title="Open in the explorer, filtered"
          >
            {value ?? 'no value'}
          </Anchor>
        ))}
        {(data.data.length > valuesShown || data.truncated) && <Text size="sm">and more</Text>}
      </Group>
      <Code className={classes['code']}>{`"filters": [${JSON.stringify(filter)}]`}</Code>
    </Stack>
  )
}
