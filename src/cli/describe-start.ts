import { createKey } from '../access/create-key.ts'
import { demoPublishers } from '../demo/publishers.ts'
import { addDays, dayOf } from '../query/day.ts'
import { countKeys } from '../store/keys.ts'
import type { Store } from '../store/open-store.ts'

/** What a person wants to know once the service runs; on a demo's first start that includes a key of its own. */
export async function describeStart(
  store: Store,
  { url, isDemo, now }: { readonly url: string; readonly isDemo: boolean; readonly now: number },
): Promise<string> {
  const lines = ['', 'Adcube is ready.', '', `  Address  ${url}`]
  const [publisher] = demoPublishers
  if (isDemo && publisher) {
    const isFirst = (await countKeys(store, publisher.id)) === 0
    const key = isFirst
      ? (await createKey(store, { accountId: publisher.id, name: 'First start', now })).key
      : undefined
    lines.push(`  Account  ${publisher.name} (${publisher.id})`)
    lines.push(
      key === undefined
        ? `  API key  was shown at the first start; make another with: npm run -s adcube -- key create --account ${publisher.id} --name NAME`
        : `  API key  ${key}  (not shown again)`,
    )
    lines.push('', 'Try it:', '', sampleRequest(url, key ?? 'YOUR_KEY', dayOf(now)))
  }
  return `${lines.join('\n')}\n\n`
}

function sampleRequest(url: string, key: string, today: string): string {
  const query = {
    start: addDays(today, -6),
    end: today,
    dimensions: ['Country'],
    metrics: ['Auctions', 'Net Revenue', 'eCPM', 'CTR'],
    sort: [{ field: 'Net Revenue', order: 'desc' }],
    limit: 5,
  }
  return [
    `curl -s '${url}/v2/data/synchronous?cube=auctions'`,
    `-H 'x-api-key: ${key}'`,
    "-H 'content-type: application/json'",
    `-d '${JSON.stringify(query)}'`,
  ].join(' ')
}
