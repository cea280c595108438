import { Alert, Anchor, Button, Group, Paper, Text, VisuallyHidden } from '@mantine/core'
import { CodeIcon, DownloadIcon } from '@radix-ui/react-icons'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { asynchronousLimits, consoleBounds } from '../../../src/catalog/limits.ts'
import { countDays } from '../../../src/query/day.ts'
import { findField } from '../../../src/query/parse-fields.ts'
import { NoData } from '../data/no-data.tsx'
import { Empty } from '../parts/empty.tsx'
import { formatCount, formatDay, formatDays } from '../parts/format.ts'
import { writeDraft, type QueryDraft, type SortDraft } from '../query/draft.ts'
import { download } from './download.ts'
import type { Exploration } from './explore.ts'
import { MetricTiles } from './metric-tiles.tsx'
import { MissingDays } from './missing-days.tsx'
import { planChart } from './plan-chart.ts'
import { findPrevious } from './previous-period.ts'
import { ResultChart } from './result-chart.tsx'
import { ResultTable } from './result-table.tsx'
import { SnippetDialog } from './snippet-dialog.tsx'
import { toCsv } from './to-csv.ts'

type Props = {
  readonly exploration: Exploration
  readonly draft: QueryDraft
  readonly charted: string | undefined
  readonly onChart: (metric: string) => void
  readonly onSort: (sort: SortDraft) => void
}

/** The answer to a query: totals, a chart and the rows. */
export function Results({ exploration, draft, charted, onChart, onSort }: Props) {
  const [showsSnippet, setShowsSnippet] = useState(false)
  const { question, rows, meta, totals, previous } = exploration
  const { cube, body } = question
  const { start, end, dimensions } = body
  const metrics = useMemo(() => body.metrics.flatMap((name) => findField(name, cube.metrics) ?? []), [body, cube])
  const previousRows = useMemo(
    () => previous && findPrevious(rows, previous.rows, dimensions, countDays(start, end)),
    [rows, previous, dimensions, start, end],
  )
  const drawn = metrics.some(({ name }) => name === charted) ? charted : metrics[0]?.name
  const plan = useMemo(
    () =>
      drawn === undefined
        ? undefined
        : planChart({
            cube,
            start,
            end,
            dimensions,
            metrics: body.metrics,
            rows,
            previous: previousRows,
            charted: drawn,
          }),
    [cube, start, end, dimensions, body, rows, previousRows, drawn],
  )

  if (meta.data_through === null) return <NoData cube={cube} />
  const save = (): void =>
    download(
      `${cube.alias}-${start}-${end}.csv`,
      'text/csv',
      toCsv({ dimensions, metrics: body.metrics, rows, previous: previousRows }),
    )
  return (
    <>
      <MetricTiles
        metrics={metrics}
        totals={totals}
        previous={previous && (previous.totals ?? {})}
        charted={drawn}
        onChart={plan && onChart}
      />
      <MissingDays question={question} />
      {plan && <ResultChart plan={plan} />}
      <VisuallyHidden component="h2">Rows</VisuallyHidden>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed" role="status">
          {`${formatCount(meta.rows)} ${meta.rows === 1 ? 'row' : 'rows'} · ${formatDays(start, end)} · data through ${formatDay(meta.data_through)}`}
        </Text>
        <Group gap="xs">
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<CodeIcon aria-hidden />}
            onClick={() => setShowsSnippet(true)}
          >
            Copy as code
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<DownloadIcon aria-hidden />}
            disabled={rows.length === 0}
            onClick={save}
          >
            Download CSV
          </Button>
        </Group>
      </Group>
      {meta.truncated && <Truncated draft={draft} rows={meta.rows} />}
      {rows.length === 0 ? (
        <Empty title="No rows match this query">
          Remove a filter or choose other days. Data reaches to {formatDay(meta.data_through)}.
        </Empty>
      ) : (
        <Paper withBorder>
          <ResultTable
            cube={cube}
            dimensions={dimensions}
            metrics={metrics}
            rows={rows}
            totals={totals}
            previous={previous && previousRows && { rows: previousRows, totals: previous.totals }}
            sort={body.sort?.[0] as SortDraft | undefined}
            onSort={onSort}
          />
        </Paper>
      )}
      {showsSnippet && <SnippetDialog question={question} onClose={() => setShowsSnippet(false)} />}
    </>
  )
}

function Truncated({ draft, rows }: { readonly draft: QueryDraft; readonly rows: number }) {
  const isMost = rows >= consoleBounds.rowsMax
  const all = writeDraft({ ...draft, limit: asynchronousLimits.rowsMax })
  return (
    <Alert variant="light" color="yellow" py="xs" role="status">
      {`Only the first ${formatCount(rows)} rows are shown. The totals include all rows, the chart does not. `}
      {isMost ? 'Add a filter, or ' : 'Show more rows, or '}
      <Anchor component={Link} href={`/reports/new?${all}`} size="sm">
        run a report with all rows
      </Anchor>
      .
    </Alert>
  )
}
