import { Badge, Progress, Stack, Text } from '@mantine/core'
import type { Job } from '../api/calls.ts'

type Props = { readonly job: Job; readonly label: string }

/** Shows the progress of a job, or why it failed. */
export function JobState({ job, label }: Props) {
  switch (job.job_status) {
    case 'PROCESSING': {
      const percent = Math.round(job.progress * 100)
      return (
        <Stack gap={4}>
          <Text size="sm">{job.started_at === null ? 'Waiting for its turn' : `In progress: ${percent} %`}</Text>
          <Progress value={percent} aria-label={`Progress of ${label}`} />
        </Stack>
      )
    }
    case 'SUCCESS':
      return <Badge color="green">Ready</Badge>
    case 'FAILED':
      if (job.failure_reason === 'cancelled') return <Badge color="gray">Cancelled</Badge>
      return (
        <>
          <Badge color="red">Failed</Badge>
          <Text size="sm">{job.failure_reason}</Text>
        </>
      )
  }
}
