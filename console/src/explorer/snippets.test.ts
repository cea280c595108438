import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { QueryBody } from '../api/query.ts'
import { languages, snippet } from './snippets.ts'

const hostile = [
  `O'Brien's "best" game`,
  `'; exit 3; echo '`,
  '$(id) `id` ${HOME} $HOME !! \\ \\\\ \\n %s',
  'line\nbreak\r\ttab \u0000 nul \u007F \u0085 \u2028 \u2029 \uFEFF',
  '""" \'\'\' #{x} {x} </script>',
  'Größe 日本 🎲 \u202Eabc',
  '\uD800 half',
]

const body: QueryBody = {
  start: '2026-11-05',
  end: '2026-11-18',
  dimensions: ['App Name'],
  metrics: ['Auctions', 'eCPM'],
  filters: [
    { field: 'App Name', operator: 'in', values: hostile },
    { field: 'Site', operator: 'like', value: String.raw`50\%'%` },
  ],
  sort: [{ field: 'Auctions', order: 'desc' }],
  limit: 10,
}
const request = { origin: 'http://127.0.0.1:8080', cube: 'auctions', body }

const run = (command: string, args: readonly string[], input: string) =>
  spawnSync(command, args, { input, encoding: 'utf8', env: { ...process.env, ADCUBE_API_KEY: 'the key' } })

describe('as curl', () => {
  test('looks like this', () => {
    expect(
      snippet('curl', { ...request, body: { start: body.start, end: body.end, dimensions: [], metrics: ['CTR'] } }),
    ).toBe(`curl -sS --fail-with-body 'http://127.0.0.1:8080/v2/data/synchronous?cube=auctions' \\
  -H "x-api-key: $ADCUBE_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '{
  "start": "2026-11-05",
  "end": "2026-11-18",
  "dimensions": [],
  "metrics": [
    "CTR"
  ]
}'
`)
  })

  test('passes the exact query through a shell, whatever the values', () => {
    const echo = `curl() { printf '%s\\0' "$@"; }\n`
    const { stdout, stderr } = run('sh', ['-s'], echo + snippet('curl', request))
    expect(stderr).toBe('')
    const [, , address, , key, , type, , sent = ''] = stdout.split('\0')
    expect([address, key, type]).toEqual([
      'http://127.0.0.1:8080/v2/data/synchronous?cube=auctions',
      'x-api-key: the key',
      'content-type: application/json',
    ])
    expect(JSON.parse(sent)).toEqual(body)
  })
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test.skipIf(!hasPython)('as Python, it sends the exact query', () => {
  const fake = `import urllib.request, io
def urlopen(request):
    assert request.headers["X-api-key"] == "the key", request.headers
    print(request.data.decode())
    return io.BytesIO(b'{"data": []}')
urllib.request.urlopen = urlopen
`
  const { stdout, stderr } = run('python3', ['-'], fake + snippet('Python', request))
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual(body)
})

test('as TypeScript, it sends the exact query', () => {
  const fake = `globalThis.fetch = async (address: unknown, init: any) => {
  if (init.headers['x-api-key'] !== 'the key') throw new Error('no key')
  process.stdout.write(init.body)
  return Response.json({ data: [] })
}
console.table = () => {}
`
  const args = ['--input-type=module-typescript', '-']
  const { stdout, stderr } = run(process.execPath, args, fake + snippet('TypeScript', request))
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual(body)
})

test('no snippet contains a key', () => {
  for (const language of languages) expect(snippet(language, request)).not.toMatch(/adc_/)
})
