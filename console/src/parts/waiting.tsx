import { Button, Group, Loader, Skeleton, Text } from '@mantine/core'
import { useEffect, useState } from 'react'

const patienceMs = 1_000

type Props = {
  /** The running action, such as "Running the query". */
  readonly what: string
  readonly height?: number
  readonly onCancel?: () => void
}

/** Shown while content loads: gray at first, and after a second with the elapsed time and a way to cancel. */
export function Waiting({ what, height = 160, onCancel }: Props) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), patienceMs)
    return () => clearInterval(timer)
  }, [])
  if (seconds === 0) return <Skeleton height={height} role="status" aria-label={what} />
  return (
    <Group mih={height} justify="center" role="status">
      <Loader size="sm" aria-hidden />
      <Text size="sm">{`${what}: ${seconds} s`}</Text>
      {onCancel && (
        <Button size="xs" variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
    </Group>
  )
}
