import { Button, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { asynchronousLimits } from '../../../src/catalog/limits.ts'
import { calls, type Job } from '../api/calls.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Empty } from '../parts/empty.tsx'
import { Failed } from '../parts/failed.tsx'
import { formatCount } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { ShowMore } from '../parts/show-more.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { describeJob } from './describe-query.ts'
import { JobItem } from './job-item.tsx'
import { describeQuota, isUsedUp } from './quota-words.ts'
import { jobsKey, useJobs } from './use-jobs.ts'

/** Lists all reports of the account. */
export function JobList() {
  const queryClient = useQueryClient()
  const [removed, setRemoved] = useState<Job>()
  const list = useJobs()
  const jobs = list.data?.pages.flatMap(({ data }) => data) ?? []
  const quota = list.data?.pages[0]?.quota
  const runningCount = jobs.filter((job) => job.job_status === 'PROCESSING').length
  return (
    <Page title="Reports" actions={<NewReportButton isDisabled={quota === undefined || isUsedUp(quota)} />}>
      <Text size="sm" c="dimmed" maw={680}>
        A report is a CSV file of up to {formatCount(asynchronousLimits.rowsMax)} rows. Everybody in the account can
        start, download and remove reports. Reports started through the API are listed too.
      </Text>
      {quota && <Text size="sm">{describeQuota(quota, list.dataUpdatedAt)}</Text>}
      {list.isPending && <Waiting what="Loading the reports" />}
      {list.error && !list.isFetchNextPageError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && jobs.length === 0 && (
        <Empty title="No reports yet">
          Start one when you need more than the explorer can show: up to {asynchronousLimits.daysMax} days,{' '}
          {asynchronousLimits.dimensionsMax} dimensions and {asynchronousLimits.metricsMax} metrics. Reports are kept
          for several days.
        </Empty>
      )}
      {jobs.length > 0 && (
        <Stack component="ul" gap={0} className="items">
          {jobs.map((job) => (
            <JobItem key={job.job_id} job={job} onRemove={() => setRemoved(job)} />
          ))}
        </Stack>
      )}
      <ShowMore list={list} />
      <VisuallyHidden role="status">
        {runningCount === 0 ? '' : `Reports that are being made: ${runningCount}`}
      </VisuallyHidden>
      {removed && (
        <Confirm
          title="Remove a report"
          action="Remove the report"
          onConfirm={async () => {
            await calls.removeJob(removed.job_id)
            await queryClient.invalidateQueries({ queryKey: jobsKey })
          }}
          onClose={() => setRemoved(undefined)}
        >
          <Text size="sm" mb="xs">
            <b>{describeJob(removed)}</b>
          </Text>
          <Text size="sm">
            {removed.job_status === 'SUCCESS'
              ? 'Nobody can download it any more, and links to it stop working.'
              : 'It will no longer be listed.'}{' '}
            It still counts towards the reports of the last 24 hours.
          </Text>
        </Confirm>
      )}
    </Page>
  )
}

function NewReportButton({ isDisabled }: { readonly isDisabled: boolean }) {
  // A link cannot be disabled, so show a button instead.
  return isDisabled ? (
    <Button disabled>New report</Button>
  ) : (
    <Button component={Link} href="/reports/new">
      New report
    </Button>
  )
}
