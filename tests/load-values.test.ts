import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { loadFacts } from '../src/ingest/load-facts.ts'
import { LoadRefused } from '../src/ingest/load-refused.ts'
import { atEnd } from './setup/at-end.ts'
import { loadTestFile } from './setup/facts.ts'
import { now, openService } from './setup/service.ts'

const service = await openService()
const day = '2026-11-14'
let account = { id: '', key: '' }

beforeAll(async () => {
  account = await service.createAccount('values')
})

/** Loads a file that replaces the day, and returns its facts. */
async function rowsAfter(name: string, content: string | Buffer, metrics = ['Auctions', 'Net Revenue']) {
  await loadTestFile(service, auctions, name, content)
  const query = { start: day, end: day, dimensions: ['Site'], metrics }
  const response = await service.app.inject({
    method: 'POST',
    url: '/v2/data/synchronous?cube=auctions',
    headers: { 'x-api-key': account.key },
    payload: query,
  })
  expect(response.statusCode).toBe(200)
  return response
}
const sitesAfter = async (name: string, content: string | Buffer): Promise<(string | null)[]> =>
  (await rowsAfter(name, content)).json().data.map((row: { Site: string | null }) => row.Site)
const reasonsFor = async (name: string, content: string | Buffer): Promise<string[]> => {
  const error = await loadTestFile(service, auctions, name, content).catch((thrown: unknown) => thrown)
  if (!(error instanceof LoadRefused)) throw error
  return error.faults.map(({ row, column, reason }) => `${row} ${column}: ${reason}`)
}

describe('text is stored exactly as it is written', () => {
  const values = [
    ' lead',
    'trail ',
    '\ttab',
    'UPPER',
    'a,b',
    'say "yes"',
    'two\nlines',
    'two\r\nlines',
    '\u0001\u007f',
    'null',
    'NULL',
    'nan',
    '[list]',
    '{"a":1}',
    "it's",
    '\\N',
    '\\',
    '💰',
  ]
  const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

  it('in CSV, with quotes', async () => {
    const lines = values.map((value) => `${account.id},${day},"${value.replaceAll('"', '""')}",1\n`)
    expect(await sitesAfter('quoted.csv', `account,day,site,auctions\n${lines.join('')}`)).toEqual(sorted(values))
  })

  it('in CSV, without quotes, and with quotes inside of it', async () => {
    const plain = [...values.filter((value) => !/[",\n]/.test(value)), '15" banner', 'a "b" c', 'end"']
    const lines = plain.map((value) => `${account.id},${day},${value},1\n`)
    expect(await sitesAfter('plain.csv', `account,day,site,auctions\n${lines.join('')}`)).toEqual(sorted(plain))
  })

  it('in NDJSON', async () => {
    const lines = values.map((site) => `${JSON.stringify({ account: account.id, day, site, auctions: 1 })}\n`)
    expect(await sitesAfter('text.ndjson', lines.join(''))).toEqual(sorted(values))
  })

  it('from a file whose name looks like a pattern', async () => {
    expect(await sitesAfter('[a]*?.csv', `account,day,site\n${account.id},${day},x\n`)).toEqual(['x'])
  })

  it('and empty or omitted values are missing', async () => {
    const csv = `account,day,site,auctions,net_revenue\n${account.id},${day},,,\n${account.id},${day},"","",""\n`
    expect((await rowsAfter('empty.csv', csv)).json().data).toEqual([{ Site: null, Auctions: 0, 'Net Revenue': 0 }])
    const json = [{ site: null, auctions: null }, { site: '' }, {}].map((row) =>
      JSON.stringify({ account: account.id, day, ...row }),
    )
    expect((await rowsAfter('empty.ndjson', json.join('\n'))).json().data).toEqual([
      { Site: null, Auctions: 0, 'Net Revenue': 0 },
    ])
  })
})

describe('numbers', () => {
  it.each([
    ['0', '0', 0, '0'],
    ['007', '-0.25', 7, '-0.25'],
    ['12.0', '1e-3', 12, '0.001'],
    ['10000000000000000', '999999999999.999999', 10_000_000_000_000_000, '999999999999.999999'],
    ['5', '1.5E3', 5, '1500'],
    ['5', '0.0000015', 5, '0.000002'],
  ])('are accepted in their plain forms: %s, %s', async (count, amount, auctionsSum, revenue) => {
    const csv = `account,day,site,auctions,net_revenue\n${account.id},${day},x,${count},${amount}\n`
    const { body } = await rowsAfter('numbers.csv', csv)
    expect(body).toContain(`"Auctions":${auctionsSum},"Net Revenue":${revenue}}`)
  })

  it('in JSON keep all their digits', async () => {
    const line = (site: string, amount: string) =>
      `{"account":"${account.id}","day":"${day}","site":"${site} \\"net_revenue\\": 1","net_revenue" : ${amount},"auctions":9007199254740993}\n`
    const { body } = await rowsAfter(
      'digits.ndjson',
      line('a', '123456789012.123456') + line('b', '"-999999999999.000001"'),
    )
    expect(body).toContain('"Auctions":9007199254740993,"Net Revenue":123456789012.123456}')
    expect(body).toContain('"Auctions":9007199254740993,"Net Revenue":-999999999999.000001}')
  })

  it('in any other form are faults with a reason', async () => {
    const counts = ['1.2.3', '1..5', 'e5', '-', '.', ' 5', '5 ', '1e3', '0x10', '1_000', '1,5', '+5', 'Infinity', '٣']
    const amounts = ['1.2.3', '1..5', 'e5', '-', '.', ' 5', '1.', '.5', '0x10', '1_000', '1,5', '+5', 'NaN', '--1']
    const header = 'account,day,auctions,net_revenue\n'
    const row = (count: string, amount: string) => `${account.id},${day},"${count}","${amount}"\n`
    expect(await reasonsFor('counts.csv', header + counts.map((count) => row(count, '')).join(''))).toEqual(
      counts.map((count, index) => `${index + 1} auctions: "${count}" is not a whole number`),
    )
    expect(await reasonsFor('amounts.csv', header + amounts.map((amount) => row('', amount)).join(''))).toEqual(
      amounts.map((amount, index) => `${index + 1} net_revenue: "${amount}" is not an amount`),
    )
    expect(await reasonsFor('large.csv', header + row('10000000000000001', '1e40') + row('-1', '-1e12'))).toEqual([
      '1 auctions: "10000000000000001" is too large',
      '1 net_revenue: "1e40" is too large',
      '2 auctions: "-1" is negative',
      '2 net_revenue: "-1e12" is too large',
    ])
  })
})

it('a list or an object of JSON in place of a plain value is one fault', async () => {
  const row = { account: [account.id], day: [day], country: ['US'], auctions: [7], net_revenue: { amount: 1 } }
  expect(await reasonsFor('nested.ndjson', `${JSON.stringify(row)}\n`)).toEqual([
    `1 account: "[\\"${account.id}\\"]" is nested; expected a plain value`,
    '1 auctions: "[7]" is nested; expected a plain value',
    '1 country: "[\\"US\\"]" is nested; expected a plain value',
    '1 day: "[\\"2026-11-14\\"]" is nested; expected a plain value',
    '1 net_revenue: "{\\"amount\\":1}" is nested; expected a plain value',
  ])
})

describe('row numbers of CSV', () => {
  it('count rows, not lines, including malformed ones', async () => {
    const good = `${account.id},${day},"two\nlines",1\n`
    const bad = `${account.id},${day},x,-1\n`
    const few = `${account.id},${day}\n`
    const csv = `account,day,site,auctions\n${good}${few}${bad}${good}${few}${good}${bad}`
    expect(await reasonsFor('rows.csv', csv)).toEqual([
      '2 null: has fewer fields than the header',
      '3 auctions: "-1" is negative',
      '5 null: has fewer fields than the header',
      '7 auctions: "-1" is negative',
    ])
  })
})

describe('a Parquet file', () => {
  const make = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
    const folder = await mkdtemp(join(tmpdir(), 'adcube-parquet-'))
    atEnd(() => rm(folder, { recursive: true }))
    const connection = await (await DuckDBInstance.create()).connect()
    for (const [name, select] of Object.entries(files)) {
      await mkdir(join(folder, dirname(name)), { recursive: true })
      await connection.run(
        `COPY (SELECT '${account.id}' AS account, ${select}) TO '${join(folder, name)}' (FORMAT parquet)`,
      )
    }
    connection.closeSync()
    return Object.keys(files).map((name) => join(folder, name))
  }
  const load = async (files: Readonly<Record<string, string>>) => {
    await loadFacts({ ...service, now: () => now }, auctions, await make(files))
    const query = {
      start: '2026-11-10',
      end: day,
      dimensions: ['Day', 'Country'],
      metrics: ['Auctions', 'Net Revenue'],
    }
    return (await service.ask(account.key, 'auctions', query)).body.data.map((row: object) => Object.values(row))
  }

  it('is read with its own types, whatever the types of other files', async () => {
    const rows = await load({
      'a.parquet': "DATE '2026-11-10' AS day, 1::INTEGER AS auctions, 1.5::DECIMAL(10, 2) AS net_revenue",
      'b.parquet': "DATE '2026-11-11' AS day, 70000000000::BIGINT AS auctions, 1.234567::DECIMAL(18, 6) AS net_revenue",
      'c.parquet': "'2026-11-12' AS day, 3::HUGEINT AS auctions, 123456.789012::DOUBLE AS net_revenue",
      'd.parquet': "TIMESTAMPTZ '2026-11-13 00:00:00+00' AS day, 4.0::DOUBLE AS auctions, 2::TINYINT AS net_revenue",
    })
    expect(rows.slice(0, 4)).toEqual([
      ['2026-11-10', null, 1, 1.5],
      ['2026-11-11', null, 70_000_000_000, 1.234567],
      ['2026-11-12', null, 3, 123_456.789012],
      ['2026-11-13', null, 4, 2],
    ])
  })

  it('is read without values from the names of its folders', async () => {
    const name = 'day=2026-11-11/country=us/hour=3/x[1].parquet'
    expect((await load({ [name]: "DATE '2026-11-10' AS day, 'DE' AS country, 9 AS auctions" }))[0]).toEqual([
      '2026-11-10',
      'DE',
      9,
      0,
    ])
  })

  it('with NaN or too large numbers is refused', async () => {
    const files = await make({
      'nan.parquet': "DATE '2026-11-10' AS day, 'nan'::DOUBLE AS net_revenue, 1.5::DOUBLE AS auctions",
      'large.parquet':
        "DATE '2026-11-10' AS day, 170141183460469231731687303715884105727::HUGEINT AS auctions, 1e300::DOUBLE AS net_revenue",
    })
    const error = await loadFacts({ ...service, now: () => now }, auctions, files).catch((thrown: unknown) => thrown)
    if (!(error instanceof LoadRefused)) throw error
    expect(error.faults.map(({ column, reason }) => `${column}: ${reason.replace(/^".*"/, '…')}`)).toEqual([
      'net_revenue: … is not an amount',
      'auctions: … is not a whole number',
      'auctions: … is too large',
      'net_revenue: … is too large',
    ])
  })
})

it('an unusable file is refused with a reason that is safe to print', async () => {
  const bom = `\uFEFF{"account":"${account.id}","day":"${day}"}\n`
  expect(await reasonsFor('bom.ndjson', bom)).toEqual(['null null: begins with a byte order mark; save it without one'])
  const latin = Buffer.from(`{"account":"${account.id}","day":"${day}","site":"\xff"}\n`, 'latin1')
  expect(await reasonsFor('latin.ndjson', latin)).toEqual(['1 null: holds text that is not valid UTF-8'])
  const error = await loadTestFile(service, auctions, 'x.csv', 'account,day,co\u001b[31mun\n').catch(String)
  expect(error).toContain(String.raw`x.csv, co\u001b[31mun: unknown column`)
})

it('the compression of a file is detected from its content, not from its name', async () => {
  expect(await sitesAfter('plain.csv.gz', `account,day,site\n${account.id},${day},plain\n`)).toEqual(['plain'])
})
