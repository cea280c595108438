import { resolve } from 'node:path'
import { inspectFacts } from '../../facts/open-facts.ts'
import type { Settings } from '../settings.ts'
import { checkEngineEncryption, checkStoreEncryption } from './check-encryption.ts'
import { fail, messageOf, ok, warn, worst, type Finding } from './finding.ts'
import { inspectStore, type StoreCondition } from './inspect-store.ts'

const clockMsMax = 1_000

export async function checkControlData(settings: Settings): Promise<Finding> {
  const isSqlite = settings.databaseUrl === undefined
  const database = isSqlite ? 'SQLite' : 'PostgreSQL'
  let condition: StoreCondition | undefined
  try {
    condition = await inspectStore(settings)
  } catch (error) {
    const advice = isSqlite ? 'check the permissions of adcube.db' : 'check ADCUBE_DATABASE_URL'
    return fail(`${database} cannot be read: ${messageOf(error)}. Start it, or ${advice}.`)
  }
  if (!condition) return warn('There is none yet; the first start creates it.')
  const { damage, unknown, pending, isOpenToOthers } = condition
  if (damage !== undefined) return fail(`adcube.db is damaged (${damage}): stop Adcube and restore a backup.`)
  if (unknown.length > 0) {
    return fail(`A newer version of Adcube has been here (${unknown.join(', ')}): install that version again.`)
  }
  return worst([
    ok(`${database}; intact and up to date`),
    pending.length > 0 && warn(`The next start migrates it (${pending.join(', ')}): make a backup first.`),
    checkStoreEncryption(settings),
    isOpenToOthers && warn('All users of this machine can read adcube.db: run chmod o-rwx on it.'),
  ])
}

export async function checkClock(settings: Settings): Promise<Finding> {
  const { newestAt = 0, aheadMs = 0 } = (await inspectStore(settings).catch(() => undefined)) ?? {}
  // With PostgreSQL, its clock counts.
  const behindMs = newestAt - (Date.now() + aheadMs)
  if (behindMs > clockMsMax) {
    return fail(
      `The clock is at least ${seconds(behindMs)} behind: the control data holds ${new Date(newestAt).toISOString()}. Set it, with NTP.`,
    )
  }
  if (Math.abs(aheadMs) > clockMsMax) {
    return warn(
      `The clock of PostgreSQL, which Adcube goes by, is ${describeSkew(aheadMs)} ours: use NTP on both machines.`,
    )
  }
  return ok(new Date().toISOString())
}

export async function checkEngine(settings: Settings): Promise<Finding> {
  const condition = await inspectStore(settings).catch(() => undefined)
  const found = await inspectFacts({ ...settings, folder: resolve(settings.dataDir), owner: condition?.owner })
  return worst([...found, checkEngineEncryption(settings)])
}

const describeSkew = (aheadMs: number): string => `${seconds(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
