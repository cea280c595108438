import type { Chance } from './chance.ts'
import { hostileText } from './texts.ts'

type Header = readonly [string, string]

const values: Readonly<Record<string, readonly string[]>> = {
  accept: ['*/*', 'text/html', 'application/xml;q=0.9', ',,,', 'a'.repeat(2_000)],
  'accept-encoding': ['gzip', 'gzip;q=0', '*', 'identity;q=0', 'br', 'gzip;q=0.0000001', ','.repeat(500)],
  range: [
    'bytes=0-0',
    'bytes=-1',
    'bytes=5-',
    'bytes=9-1',
    'bytes=0-1,3-4',
    'bytes=999999999-',
    'bytes=-0',
    'items=0-1',
    'bytes=99999999999999999999-',
  ],
  'if-range': ['"x"', '""', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  'if-none-match': ['*', '"x"', 'W/"x"'],
  'idempotency-key': ['a', 'b', '', ' ', 'x'.repeat(256), 'with space', '\u00e9', '__proto__'],
  origin: ['null', 'http://evil.example', 'http://127.0.0.1', 'file://', 'x'],
  'sec-fetch-site': ['same-origin', 'cross-site', 'none', ''],
  host: ['evil.example', '', 'a b', '[::1', '127.0.0.1:99999', '127.0.0.1'],
  'x-forwarded-for': ['1.2.3.4', 'x', '::', '1.2.3.4, 5.6.7.8'],
  'x-forwarded-proto': ['https', 'javascript'],
  'x-forwarded-host': ['evil.example'],
  'x-http-method-override': ['DELETE'],
  'x-original-url': ['/console/api/keys'],
  expect: ['100-continue', 'a-pony', '100-continue, x'],
  upgrade: ['websocket', 'h2c', 'TLS/1.0'],
  connection: ['close', 'keep-alive', 'upgrade', 'x-api-key', 'close, upgrade'],
  cookie: ['a=b', '='.repeat(1_000), 'adcube=1', 'a=%ff%fe'],
  'x-api-key': ['', 'x', 'adc_'],
  'content-type': ['application/json', 'text/html', ''],
  authorization: ['Bearer x', 'Basic eDp5'],
  te: ['trailers', 'chunked'],
  trailer: ['x-api-key'],
  via: ['1.1 a, 1.1 b'],
  'accept-version': ['1.0.0', '*', 'x'],
  'accept-language': ['de', 'x'.repeat(500)],
  date: ['yesterday'],
  'keep-alive': ['timeout=0'],
}
const names = Object.keys(values)

/** Superfluous headers. Usually none, so that most requests are not refused for them. */
export function makeHeaders(chance: Chance): readonly Header[] {
  if (chance.happens(0.6)) return []
  const headers: Header[] = Array.from({ length: 1 + chance.below(3) }, () => {
    const name = chance.pick(names)
    return [chance.happens(0.9) ? name : name.toUpperCase(), chance.pick(values[name] ?? [''])]
  })
  const kind = chance.next()
  if (kind < 0.05) {
    const count = chance.pick([50, 500, 2_500])
    for (let index = 0; index < count; index++) headers.push([`x-${index}`, 'y'])
  } else if (kind < 0.1) headers.push(['x-long', 'y'.repeat(chance.pick([4_000, 15_000, 17_000, 100_000]))])
  else if (kind < 0.15) headers.push([hostileHeader(hostileText(chance)) || 'x', hostileHeader(hostileText(chance))])
  return headers
}

/** Replaces line breaks, which would begin another request. */
const hostileHeader = (text: string): string => text.replaceAll(/[\r\n]/g, ' ')
