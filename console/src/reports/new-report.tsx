import { Alert, Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
// wouter's own useSearch decodes the search first, which breaks values that contain a %.
import { useSearch } from 'wouter/use-browser-location'
import { asynchronousLimits, commonLimits } from '../../../src/catalog/limits.ts'
import { useSession } from '../access/session.tsx'
import { calls } from '../api/calls.ts'
import { explain } from '../parts/explain.ts'
import { formatCount, formatDays } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { useToday } from '../parts/use-today.ts'
import { checkDraft } from '../query/check-draft.ts'
import { cubeLabel } from '../query/cube-label.ts'
import { defaultDraft, firstCubeOf } from '../query/default-draft.ts'
import { rangeOf, readDraft, toBody, writeDraft } from '../query/draft.ts'
import { QueryEditor } from '../query/editor.tsx'
import { describeFields } from './describe-query.ts'
import { describeQuota, isUsedUp } from './quota-words.ts'
import { jobsKey, useJobs } from './use-jobs.ts'

/** The form of a new report. The query is in the address, so that other pages can link here with theirs. */
export function NewReport() {
  const search = useSearch()
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  const today = useToday()
  const { account } = useSession()
  const jobs = useJobs()
  const quota = jobs.data?.pages[0]?.quota

  // Without a query in the address, the default is all rows.
  const fresh = {
    ...defaultDraft(firstCubeOf(account)),
    limit: asynchronousLimits.rowsMax,
  }
  const draft = search === '' ? fresh : readDraft(search, fresh)
  const range = rangeOf(draft.dates, today)
  const isFaulty = checkDraft(draft, asynchronousLimits, today).length > 0
  const startJob = useMutation({
    mutationFn: () => calls.startJob(draft.cube.alias, toBody(draft, today)),
    onSuccess: async () => {
      // Before the navigation, so that the list has the new job when it appears.
      await queryClient.invalidateQueries({ queryKey: jobsKey })
      navigate('/reports')
    },
  })
  return (
    <Page title="New report">
      <Anchor component={Link} href="/reports" size="sm" w="fit-content">
        Back to the reports
      </Anchor>
      <Paper withBorder p="md" maw={640}>
        <QueryEditor
          draft={draft}
          bounds={asynchronousLimits}
          onChange={(changed) => navigate(`/reports/new?${writeDraft(changed)}`, { replace: true })}
        />
      </Paper>
      <Stack gap="xs" maw={640}>
        <Text size="sm">
          {cubeLabel(draft.cube)}, {formatDays(range.start, range.end)}. {describeFields(draft)}. At most{' '}
          {formatCount(draft.limit ?? commonLimits.rowsDefault)} rows.
        </Text>
        {quota && <Text size="sm">{describeQuota(quota, jobs.dataUpdatedAt)}</Text>}
        {startJob.error && (
          <Alert color="red" variant="light" title="The report was not started" role="alert">
            {explain(startJob.error)}
          </Alert>
        )}
        <Group gap="sm">
          <Button
            loading={startJob.isPending}
            disabled={isFaulty || (quota !== undefined && isUsedUp(quota))}
            onClick={() => startJob.mutate()}
          >
            Start the report
          </Button>
          {isFaulty && <Text size="sm">Correct the marked fields first.</Text>}
        </Group>
      </Stack>
    </Page>
  )
}
