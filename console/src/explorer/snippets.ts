import type { QueryBody } from '../api/query.ts'

export const languages = ['curl', 'Python', 'TypeScript'] as const
export type Language = (typeof languages)[number]

/** Code that sends exactly this query to the API. It reads the key from the environment, so no key is in the text. */
export function snippet(language: Language, { origin, cube, body }: Request): string {
  const address = `${origin}/v2/data/synchronous?cube=${cube}`
  switch (language) {
    case 'curl':
      return `curl -sS --fail-with-body ${shellQuote(address)} \\
  -H "x-api-key: $ADCUBE_API_KEY" \\
  -H 'content-type: application/json' \\
  -d ${shellQuote(JSON.stringify(body, null, 2))}
`
    case 'Python':
      return `import json
import os
import urllib.request

query = ${literal(body, 4)}
request = urllib.request.Request(
    ${literal(address)},
    data=json.dumps(query).encode(),
    headers={"x-api-key": os.environ["ADCUBE_API_KEY"], "content-type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    rows = json.load(response)["data"]
for row in rows:
    print(row)
`
    case 'TypeScript':
      return `const query = ${literal(body, 2)}
const response = await fetch(${literal(address)}, {
  method: "POST",
  headers: { "x-api-key": process.env.ADCUBE_API_KEY ?? "", "content-type": "application/json" },
  body: JSON.stringify(query),
})
if (!response.ok) throw new Error(await response.text())
const { data } = (await response.json()) as { data: Record<string, string | number | null>[] }
console.table(data)
`
  }
}

type Request = {
  /** The origin of this page, which serves the API too. */
  readonly origin: string
  readonly cube: string
  readonly body: QueryBody
}

/** Within single quotes, a shell takes every character literally except the quote itself. */
const shellQuote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** JSON of strings, numbers, arrays and objects is valid in Python and in TypeScript, with the same meaning. */
const literal = (value: unknown, indent?: number): string => JSON.stringify(value, null, indent)
