import { inspectStore, type StoreCondition } from './inspect-store.ts'
import type { Settings } from '../settings.ts'
import { fail, messageOf, ok, warn, worst, type Finding } from './finding.ts'

/** Nodes that share rate limits and leases by their clocks want them closer than this. */
const clockMsMax = 1_000

type Inspected = { readonly condition: StoreCondition | undefined } | { readonly error: unknown }

/** Looked at once, for all checks that want to know. */
export async function inspectControlData({ dataDir, databaseUrl }: Settings): Promise<Inspected> {
  try {
    return { condition: await inspectStore({ folder: dataDir, databaseUrl }) }
  } catch (error) {
    return { error }
  }
}

export async function checkControlData(settings: Settings): Promise<Finding> {
  const place = settings.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'
  const inspected = await inspectControlData(settings)
  if ('error' in inspected) {
    const advice =
      settings.databaseUrl === undefined ? 'check the permissions of adcube.db' : 'check ADCUBE_DATABASE_URL'
    return fail(`${place} cannot be read: ${messageOf(inspected.error)}. Start it, or ${advice}.`)
  }
  const { condition } = inspected
  if (!condition) return warn('There is none yet; the first start creates it.')
  const { damage, unknown, pending, isOpenToOthers } = condition
  if (damage !== undefined) return fail(`adcube.db is damaged (${damage}): stop Adcube and restore a backup.`)
  if (unknown.length > 0) {
    return fail(`A newer version of Adcube has been here (${unknown.join(', ')}): install that version again.`)
  }
  return worst([
    ok(`${place}; intact and up to date`),
    ...(pending.length > 0 ? [warn(`The next start migrates it (${pending.join(', ')}): make a backup first.`)] : []),
    ...(isOpenToOthers ? [warn('All users of this machine can read adcube.db: run chmod o-rwx on it.')] : []),
  ])
}

/** Whatever the time zone. */
export async function checkClock(settings: Settings): Promise<Finding> {
  const inspected = await inspectControlData(settings)
  const condition = 'condition' in inspected ? inspected.condition : undefined
  const { newestAt = 0, aheadMs = 0 } = condition ?? {}
  const behindMs = newestAt - Date.now()
  if (behindMs > clockMsMax) {
    return fail(
      `The clock is at least ${seconds(behindMs)} behind: the control data holds ${new Date(newestAt).toISOString()}. Set it, with NTP.`,
    )
  }
  if (Math.abs(aheadMs) > clockMsMax) {
    return fail(`The clock of PostgreSQL is ${describeSkew(aheadMs)} ours: use NTP on both machines.`)
  }
  return ok(new Date().toISOString())
}

const describeSkew = (aheadMs: number): string => `${seconds(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
