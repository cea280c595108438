import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { consoleBounds } from '../../../src/catalog/limits.ts'
import { calls, type Job } from '../api/calls.ts'
import { explain } from '../parts/explain.ts'
import { formatBytes, formatCount, formatTime } from '../parts/format.ts'
import { useToday } from '../parts/use-today.ts'
import { checkDraft } from '../query/check-draft.ts'
import { addressCharactersMax, writeDraft, type QueryDraft } from '../query/draft.ts'
import { describeFields, describeJob, describeRest } from './describe-query.ts'
import { draftOfJob, withItsOrder } from './job-draft.ts'
import { JobState } from './job-state.tsx'
import { jobsKey } from './use-jobs.ts'

type Props = { readonly job: Job; readonly onRemove: () => void }

/** Shows a report: its query, its state and its actions. */
export function JobItem({ job, onRemove }: Props) {
  const draft = draftOfJob(job)
  const title = describeJob(job)
  const rest = draft ? describeRest(draft) : []
  return (
    <Group component="li" align="flex-start" justify="space-between" gap="sm" aria-label={title}>
      <Stack gap={2} flex="1 1 300px" miw={0} className="item-text">
        <Title order={2} size="sm">
          {title}
        </Title>
        <Text size="sm">{draft ? describeFields(draft) : 'The query is too long to be shown here.'}</Text>
        {rest.length > 0 && <Text size="sm">{rest.join(' · ')}</Text>}
        <Text size="xs" c="dimmed">
          {describeOutcome(job).join(' · ')}
        </Text>
      </Stack>
      <Stack gap="xs" w={340} maw="100%">
        <JobState job={job} label={title} />
        <Actions job={job} draft={draft} title={title} onRemove={onRemove} />
      </Stack>
    </Group>
  )
}

function describeOutcome({ rows, bytes, created_at: createdAt, expires_at: expiresAt }: Job): string[] {
  return [
    `Started ${formatTime(createdAt)}`,
    ...(rows === null ? [] : [`${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`]),
    ...(bytes === null ? [] : [formatBytes(bytes)]),
    ...(expiresAt === null ? [] : [`kept until ${formatTime(expiresAt)}`]),
  ]
}

type ActionsProps = Props & { readonly draft: QueryDraft | undefined; readonly title: string }

function Actions({ job, draft, title, onRemove }: ActionsProps) {
  const queryClient = useQueryClient()
  const today = useToday()
  const cancel = useMutation({
    mutationFn: () => calls.cancelJob(job.job_id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: jobsKey }),
  })
  const isRunning = job.job_status === 'PROCESSING'
  const again = draft && addressOf('/reports/new', draft)
  const explorer = draft && explorerAddressOf(draft, today)
  const small = { size: 'compact-xs', variant: 'default' } as const
  return (
    <>
      <Group gap={6}>
        {job.job_status === 'SUCCESS' && (
          <Button
            {...small}
            variant="filled"
            component="a"
            href={job.output_url}
            download
            aria-label={`Download: ${title}`}
          >
            Download
          </Button>
        )}
        {!isRunning && again !== undefined && (
          <Button {...small} component={Link} href={again} aria-label={`Run again: ${title}`}>
            Run again
          </Button>
        )}
        {explorer !== undefined && (
          <Button {...small} component={Link} href={explorer} aria-label={`Explore: ${title}`}>
            Explore
          </Button>
        )}
        {/* One button, so that the keyboard focus stays when the job is cancelled. */}
        <Button
          {...small}
          loading={cancel.isPending}
          onClick={isRunning ? () => cancel.mutate() : onRemove}
          aria-label={`${isRunning ? 'Cancel' : 'Remove'}: ${title}`}
        >
          {isRunning ? 'Cancel' : 'Remove'}
        </Button>
      </Group>
      {cancel.error && (
        <Alert color="red" variant="light" role="alert">
          {explain(cancel.error)}
        </Alert>
      )}
    </>
  )
}

function addressOf(path: string, draft: QueryDraft): string | undefined {
  const search = writeDraft(withItsOrder(draft))
  return search.length <= addressCharactersMax ? `${path}?${search}` : undefined
}

/** Returns the explorer's address with the same query, if the explorer can show it. */
function explorerAddressOf(draft: QueryDraft, today: string): string | undefined {
  const { limit = 0 } = draft
  const shown = limit > consoleBounds.rowsMax ? { ...draft, limit: undefined } : draft
  return checkDraft(shown, consoleBounds, today).length === 0 ? addressOf('/explorer', shown) : undefined
}
