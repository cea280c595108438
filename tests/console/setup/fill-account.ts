import { createKey } from '../../../src/access/keys.ts'
import { createPerson, invitePerson } from '../../../src/access/people.ts'
import { addMonths, dayOf } from '../../../src/query/day.ts'
import { operator } from '../../../src/store/audit.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { poseJob } from './jobs.ts'
import { loadCsv } from './load.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Fills the account settings and the lists of reports and loads, so that the pages show tables and warnings. */
export async function fillAccount(store: Store, dataFolder: string, accountId: string): Promise<void> {
  const now = Date.now()
  const by = { accountId, actor: operator }
  const sixMonthsAgo = Date.parse(addMonths(dayOf(now), -6))
  await createKey(store, { ...by, name: 'Expired', now: sixMonthsAgo - 3 * dayMs })
  await createKey(store, { ...by, name: 'Expires in nine days', now: sixMonthsAgo + 9 * dayMs })
  await createKey(store, { ...by, name: 'Nightly report', now: now - 40 * dayMs })
  await store.updateTable('apiKeys').set({ lastUsedAt: now }).where('name', '=', 'Nightly report').execute()
  const member = { role: 'member', password: 'never used to sign in', now: now - 40 * dayMs } as const
  await createPerson(store, { ...by, ...member, email: `analyst@${accountId}.example` })
  await invitePerson(store, { ...by, role: 'administrator', email: `invited@${accountId}.example`, now: now - dayMs })

  const success = { state: 'SUCCESS', rows: 48_211, bytes: 3_402_118, progress: 1, startedAt: now } as const
  await poseJob(store, accountId, { ...success, finishedAt: now, expiresAt: now + 7 * dayMs })
  await poseJob(store, accountId, {
    state: 'FAILED',
    failureReason: 'It was not done after an hour.',
    startedAt: now,
  })
  await poseJob(store, accountId, { startedAt: now, progress: 0.42 })

  const moreClicksThanImpressions = `${accountId},${dayOf(now)},Late arrivals,3,1,2`
  await loadCsv(dataFolder, 'auctions', ['account,day,app_name,auctions,cleared,clicks', moreClicksThanImpressions])
}
