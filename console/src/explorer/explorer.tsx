import { Box, Button, Stack, Switch, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ChevronDownIcon, ChevronUpIcon } from '@radix-ui/react-icons'
import { consoleBounds } from '../../../src/catalog/limits.ts'
import { addressOfPage } from '../api/account.ts'
import type { QueryBody } from '../api/query.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Empty } from '../parts/empty.tsx'
import { formatDays } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { useToday } from '../parts/use-today.ts'
import { Waiting } from '../parts/waiting.tsx'
import { checkDraft, fitsReport } from '../query/check-draft.ts'
import { toBody, type QueryDraft, type SortDraft } from '../query/draft.ts'
import { QueryEditor } from '../query/editor.tsx'
import classes from './explorer.module.css'
import { describePlace } from './describe-place.ts'
import { writeState } from './explorer-state.ts'
import { previousBody } from './previous-period.ts'
import { QueryFailed } from './query-failed.tsx'
import { ReportOffer } from './report-offer.tsx'
import { Results } from './results.tsx'
import { Running } from './running.tsx'
import { useExploration } from './use-exploration.ts'
import { useExplorerState } from './use-explorer-state.ts'
import { ViewsMenu } from './views-menu.tsx'

export default function Explorer() {
  const { state, change, open } = useExplorerState()
  const [isOpen, { toggle }] = useDisclosure()
  const { draft, compares, charted } = state
  const today = useToday()
  const faults = checkDraft(draft, consoleBounds, today)
  const body = toBody(draft, today)
  const previous = faults.length === 0 ? previousBody(body, draft.cube, today) : undefined
  const question = { cube: draft.cube, body, previous: compares ? previous : undefined }
  const { exploration, error, isRunning, isOld, isCancelled, cancel, run } = useExploration(
    question,
    faults.length === 0,
  )
  const changeDraft = (next: QueryDraft): void => change({ ...state, draft: next })
  const sortBy = (sort: SortDraft): void => changeDraft({ ...draft, sort: [sort] })

  const answer = (): React.ReactNode => {
    if (faults.length > 0) {
      return fitsReport(draft, today) ? (
        <ReportOffer draft={draft} faults={faults} />
      ) : (
        <Empty title="This query cannot be run">
          {faults.map(({ pointer, detail }) => (
            <div key={pointer + detail}>{`${describePlace(pointer)}: ${detail}`}</div>
          ))}
        </Empty>
      )
    }
    if (error && !isRunning) return <QueryFailed error={error} onRetry={run} />
    if (isCancelled) {
      return (
        <Empty title="The query was cancelled">
          <Button size="xs" variant="default" onClick={run}>
            Run it again
          </Button>
        </Empty>
      )
    }
    if (!exploration) return <Waiting what="Running the query" height={420} onCancel={cancel} />
    return (
      <>
        {isRunning && isOld && <Running key={JSON.stringify(body)} onCancel={cancel} />}
        <Stack gap="sm" className={classes['answer']} data-old={isOld || undefined} aria-busy={isOld}>
          <Results
            exploration={exploration}
            draft={draft}
            charted={charted}
            onChart={(metric) => change({ ...state, charted: metric })}
            onSort={sortBy}
          />
        </Stack>
      </>
    )
  }
  return (
    <Page
      title="Explorer"
      actions={
        <>
          <CopyButton value={`${location.origin}${addressOfPage()}/explorer?${writeState(state)}`} label="Copy link" />
          <ViewsMenu search={writeState(state)} onOpen={open} />
        </>
      }
    >
      <div className={classes['page']}>
        <section aria-label="Query">
          <VisuallyHidden component="h2">Query</VisuallyHidden>
          <Button
            hiddenFrom="md"
            fullWidth
            variant="default"
            size="xs"
            aria-expanded={isOpen}
            rightSection={isOpen ? <ChevronUpIcon aria-hidden /> : <ChevronDownIcon aria-hidden />}
            onClick={toggle}
          >
            {isOpen ? 'Hide the query' : 'Change the query'}
          </Button>
          <Box className={classes['editor']} mt={{ base: 'sm', md: 0 }} data-open={isOpen || undefined}>
            <QueryEditor
              draft={draft}
              onChange={changeDraft}
              bounds={consoleBounds}
              belowDays={
                <Switch
                  size="xs"
                  label="Compare with the days before"
                  description={describePrevious(previous, faults.length > 0)}
                  checked={compares && previous !== undefined}
                  disabled={!previous}
                  onChange={(event) => change({ ...state, compares: event.currentTarget.checked })}
                />
              }
            />
          </Box>
        </section>
        <Stack component="section" aria-label="Answer" gap="sm" miw={0}>
          {answer()}
        </Stack>
      </div>
    </Page>
  )
}

function describePrevious(previous: QueryBody | undefined, isFaulty: boolean): string | undefined {
  if (previous) return formatDays(previous.start, previous.end)
  return isFaulty ? undefined : 'Those days are further back than the explorer shows.'
}
