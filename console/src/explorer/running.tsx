import { Button, Group, Loader, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import classes from './explorer.module.css'

/** Shown above the previous answer when a query takes longer than a second. */
export function Running({ onCancel }: { readonly onCancel: () => void }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  if (seconds === 0) return null
  return (
    <Group className={classes['running']} role="status" gap="xs" wrap="nowrap">
      <Loader size="xs" aria-hidden />
      <Text size="sm">{`Running the query: ${seconds} s`}</Text>
      <Button size="compact-xs" variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  )
}
