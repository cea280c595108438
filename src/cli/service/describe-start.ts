import { operator } from '../../store/audit.ts'
import { createKey } from '../../access/keys.ts'
import { countPeople } from '../../access/memberships.ts'
import { createPerson } from '../../access/people.ts'
import { generatePassword } from '../../access/password.ts'
import { auctions } from '../../catalog/auctions.ts'
import { demoPublishers } from '../../demo/publishers.ts'
import { addDays, dayOf } from '../../query/day.ts'
import type { Store } from '../../store/open-store.ts'

/** Returns what a server prints when it is ready. The first start of a demo creates a sign-in and a key, and shows them. */
export async function describeStart(
  store: Store,
  { url, isDemo, now }: { readonly url: string; readonly isDemo: boolean; readonly now: number },
): Promise<string> {
  const lines = ['', 'Adcube is ready.', '', `  Address  ${url}`]
  const [publisher] = demoPublishers
  if (isDemo && publisher) {
    lines.push(`  Account  ${publisher.name} (${publisher.id})`)
    const isFirst = (await countPeople(store, publisher.id)) === 0
    const key = isFirst ? await createAccess(store, publisher.id, now, lines) : undefined
    if (key === undefined) {
      const command = 'npm run -s adcube --'
      lines.push(
        '  The sign-in and the API key were shown at the first start. Create new ones with:',
        `    ${command} user password admin@${publisher.id}.example`,
        `    ${command} key create --account ${publisher.id} --name NAME`,
      )
    }
    lines.push('', 'Try it:', '', sampleRequest(url, key ?? 'YOUR_KEY', dayOf(now)))
  }
  return `${lines.join('\n')}\n\n`
}

/** Creates the first sign-in and the first key of an account, adds them to the lines, and returns the key. */
async function createAccess(store: Store, accountId: string, now: number, lines: string[]) {
  const by = { accountId, actor: operator, now }
  const email = `admin@${accountId}.example`
  const password = generatePassword()
  const person = await createPerson(store, { ...by, email, role: 'administrator', password })
  const key = await createKey(store, { ...by, name: 'First start' })
  if ('refusal' in person || 'refusal' in key) return undefined
  lines.push(`  Sign-in  ${email}  ${password}  (not shown again)`, `  API key  ${key.key}  (not shown again)`)
  return key.key
}

function sampleRequest(url: string, key: string, today: string): string {
  const query = { start: addDays(today, -6), end: today, ...auctions.example.query, limit: 5 }
  return [
    `curl -s '${url}/v2/data/synchronous?cube=${auctions.alias}'`,
    `-H 'x-api-key: ${key}'`,
    "-H 'content-type: application/json'",
    `-d '${JSON.stringify(query)}'`,
  ].join(' ')
}
