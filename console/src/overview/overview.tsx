import { Alert, Grid } from '@mantine/core'
import { useDays } from '../data/use-days.ts'
import { NoData } from '../data/no-data.tsx'
import { CubeSwitch } from '../parts/cube-switch.tsx'
import { Failed } from '../parts/failed.tsx'
import { formatDay } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useCube } from '../query/use-cube.ts'
import { Freshness } from './freshness.tsx'
import { Performance } from './performance.tsx'
import { choosePeriods } from './periods.ts'
import { RecentLoads } from './recent-loads.tsx'

/** Shows the last 14 days of a cube. Each part loads, and can fail, by itself. */
export default function Overview() {
  const { cube } = useCube()
  const { data: days, error, refetch } = useDays(cube)
  const loaded = days?.data.map(({ day }) => day) ?? []
  const periods = days && choosePeriods(loaded, days.today)
  const last = loaded.at(-1)
  return (
    <Page title="Overview" actions={<CubeSwitch />}>
      {error && !days && <Failed error={error} onRetry={() => void refetch()} />}
      {!error && !days && <Waiting what="Looking up the loaded days" height={480} />}
      {days && last === undefined && <NoData cube={cube} />}
      {days && last !== undefined && (
        <>
          {periods ? (
            <Performance cube={cube} periods={periods} loaded={loaded} today={days.today} />
          ) : (
            <Alert color="yellow" variant="light" title="No data is loaded for the last 14 days">
              {last === days.today
                ? 'Only today is, which is not over. The overview shows whole days.'
                : `The last loaded day is ${formatDay(last)}.`}
            </Alert>
          )}
          <Grid>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Freshness cube={cube} loaded={loaded} today={days.today} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 8 }}>
              <RecentLoads cube={cube} />
            </Grid.Col>
          </Grid>
        </>
      )}
    </Page>
  )
}
