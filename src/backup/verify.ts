import type { Facts, Finding } from '../facts/facts.ts'
import type { Day } from '../query/day.ts'
import { checkReports } from '../reports/check-reports.ts'
import type { ReportStorage } from '../reports/storage.ts'
import { countReports } from '../reports/stored-reports.ts'
import type { Store } from '../store/open-store.ts'
import type { ControlData } from './copy-of-store.ts'
import { countVisibleDays, findVisibleDays, listVisibleLoads } from './visible-days.ts'

type Deps = { readonly facts: Facts; readonly control: ControlData; readonly storage: ReportStorage }

type Options = {
  readonly signal: AbortSignal
  readonly onProgress: (step: 'Checking facts' | 'Checking reports', share: number) => void
}

const shownMax = 100

/** Compares all facts and reports with the control data. Servers, workers and loaders may be running. */
export async function verify({ facts, control, storage }: Deps, { signal, onProgress }: Options) {
  const first: Finding[] = []
  const counts = {
    /** Days of accounts, counted once for each load that they are made of. */
    portions: 0,
    /** Those of them that an earlier version loaded, without recording a checksum or a number of rows. */
    unrecorded: 0,
    reports: 0,
    findings: 0,
  }
  const onFinding = (finding: Finding): void => {
    counts.findings++
    if (first.length < shownMax) first.push(finding)
  }
  const portions = await countVisibleDays(control.store)
  await facts.check(
    ({ name }) => ({
      renew: () => control.renew(),
      listLoads: () => listVisibleLoads(control.store, name),
      findLoad: (load) => findLoad(control.store, name, load),
      findDay: (account, day) => findDay(control.store, { cube: name, accountId: account, day }),
    }),
    {
      signal,
      onFinding,
      onChecked(isWhole) {
        counts.portions++
        if (!isWhole) counts.unrecorded++
        onProgress('Checking facts', Math.min(1, counts.portions / portions))
      },
    },
  )
  const reports = await countReports(control.store)
  const onChecked = (): void => onProgress('Checking reports', Math.min(1, ++counts.reports / reports))
  await checkReports({ control, storage }, { signal, onFinding, onChecked })
  return { ...counts, first }
}

/**
 * Finds what is on record of a load. A load becomes visible, is retired, and is then removed: records that are read in this
 * order miss nothing that changes meanwhile.
 */
async function findLoad(store: Store, cube: string, load: number) {
  const found = await store.selectFrom('loads').select(['state', 'sweptAt']).where('id', '=', load).executeTakeFirst()
  // The load has not ended, or a sweep has still to remove what it left behind.
  const mayBeStored = found !== undefined && found.state !== 'visible' && found.sweptAt === null
  const visible = await findVisibleDays(store, cube, load)
  const retired = await store
    .selectFrom('retiredLoads')
    .select(['accountId as account', 'day', 'loadId as load'])
    .where('loadId', '=', load)
    .where('cube', '=', cube)
    .execute()
  return { mayBeStored, visible, retired }
}

/** Finds the loads of a day that are visible, and those that were and are not removed yet. */
async function findDay(store: Store, day: { cube: string; accountId: string; day: Day }) {
  const loads = await store
    .selectFrom('visibleLoads')
    .select(['loadId as load', 'checksum'])
    .where((row) => row.and(day))
    .orderBy('loadId')
    .execute()
  const retired = await store
    .selectFrom('retiredLoads')
    .select('loadId')
    .where((row) => row.and(day))
    .execute()
  return { loads, retired: retired.map(({ loadId }) => loadId) }
}
