import { Alert, Button, List, Text } from '@mantine/core'
import { Link } from 'wouter'
import { asynchronousLimits } from '../../../src/catalog/limits.ts'
import type { Fault } from '../../../src/query/faults.ts'
import { formatCount } from '../parts/format.ts'
import { writeDraft, type QueryDraft } from '../query/draft.ts'

/** Shown instead of rows when a query exceeds the console's bounds but can run as a report. */
export function ReportOffer({ draft, faults }: { readonly draft: QueryDraft; readonly faults: readonly Fault[] }) {
  const { daysMax, dimensionsMax, metricsMax, rowsMax } = asynchronousLimits
  return (
    <Alert variant="light" color="cyan" title="This query needs a report" role="status">
      <List size="sm" spacing={4}>
        {faults.map(({ pointer, detail }) => (
          <List.Item key={pointer + detail}>{detail}</List.Item>
        ))}
      </List>
      <Text size="sm" my="sm">
        {`A report takes up to ${daysMax} days, ${dimensionsMax} dimensions, ${metricsMax} metrics and ${formatCount(rowsMax)} rows, and gives you a CSV file.`}
      </Text>
      <Button
        component={Link}
        href={`/reports/new?${writeDraft({ ...draft, limit: draft.limit ?? rowsMax })}`}
        size="xs"
      >
        Run it as a report
      </Button>
    </Alert>
  )
}
