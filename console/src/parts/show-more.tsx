import { Button, Group, Text } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { explain } from './explain.ts'

type Props = {
  readonly list: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'error' | 'fetchNextPage'
  >
}

/** Loads the next page of a list. */
export function ShowMore({ list }: Props) {
  if (!list.hasNextPage) return null
  return (
    <Group justify="center">
      {list.isFetchNextPageError && (
        <Text size="sm" role="alert">
          {explain(list.error)}
        </Text>
      )}
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        Show more
      </Button>
    </Group>
  )
}
