import { Alert, Button, Group, List } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ApiError } from '../api/request.ts'
import { explain } from '../parts/explain.ts'
import { describePlace } from './describe-place.ts'

type Props = { readonly error: unknown; readonly onRetry: () => void }

/** Lists every fault of a query with its place. After `too_many_queries` it runs the query again by itself. */
export function QueryFailed({ error, onRetry }: Props) {
  const waitSeconds =
    error instanceof ApiError && error.code === 'too_many_queries' ? error.retryAfterSeconds : undefined
  if (waitSeconds !== undefined) return <Busy seconds={waitSeconds} onRetry={onRetry} />
  const faults = error instanceof ApiError ? error.errors : []
  return (
    <Alert color="red" variant="light" title="The query could not be answered" role="alert">
      {faults.length === 0 ? (
        explain(error)
      ) : (
        <List size="sm" spacing={4}>
          {faults.map(({ pointer, parameter, detail }) => (
            <List.Item key={`${pointer} ${parameter} ${detail}`}>
              {`${describePlace(pointer ?? parameter ?? '')}: ${detail}`}
            </List.Item>
          ))}
        </List>
      )}
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      </Group>
    </Alert>
  )
}

function Busy({ seconds, onRetry }: { readonly seconds: number; readonly onRetry: () => void }) {
  const [left, setLeft] = useState(Math.max(1, Math.ceil(seconds)))
  useEffect(() => {
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : onRetry()), 1_000)
    return () => clearTimeout(timer)
  }, [left, onRetry])
  return (
    <Alert color="yellow" variant="light" title="Too many queries at the moment" role="status">
      {`Your account has run many queries within a short time. This one runs again in ${left} s.`}
    </Alert>
  )
}
