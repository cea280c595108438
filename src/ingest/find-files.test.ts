import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFiles, nameOf } from './find-files.ts'

const folder = await mkdtemp(join(tmpdir(), 'adcube-files-'))
const at = (...names: string[]): string[] => names.map((name) => join(folder, name))
const find = async (...operands: string[]) => (await findFiles(operands)).map(nameOf)

beforeAll(async () => {
  await mkdir(join(folder, 'sub'))
  for (const file of at('b.csv', 'a.csv', 'c.parquet', 'sub/d.csv', '[x].csv', 'x.csv', 'é.csv'))
    await writeFile(file, '')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the files of a load', () => {
  it('are found by a pattern, sorted by name', async () => {
    expect(await find(...at('*.csv'))).toEqual(at('[x].csv', 'a.csv', 'b.csv', 'x.csv', 'é.csv'))
    expect(await find(...at('**/*.{csv,parquet}'))).toEqual(
      at('[x].csv', 'a.csv', 'b.csv', 'c.parquet', 'sub/d.csv', 'x.csv', 'é.csv'),
    )
    expect(await find(...at('?.csv', 'sub/*'))).toEqual(at('a.csv', 'b.csv', 'x.csv', 'é.csv', 'sub/d.csv'))
  })

  it('are read once each, in the order of their first mention', async () => {
    expect(await find(...at('b.csv', '[ab].csv', 'b.csv'), '-', '-')).toEqual([
      ...at('b.csv', 'a.csv'),
      'standard input',
    ])
  })

  it('are recognised under another path or through a link', async () => {
    await symlink(join(folder, 'a.csv'), join(folder, 'sub', 'a-link'))
    const found = await find(...at('a.csv', 'sub/a-link'), `${folder}/sub/../a.csv`)
    await rm(join(folder, 'sub', 'a-link'))
    expect(found).toEqual(at('a.csv'))
  })

  it('may have names that look like patterns', async () => {
    expect(await find(...at('[x].csv'))).toEqual(at('[x].csv'))
  })

  it.each([
    ['sub', /sub: is a folder; name its files, such as .*sub\/\*\.parquet/],
    ['none.csv', /none\.csv: does not exist/],
    ['none-*.csv', /none-\*\.csv: no file matches/],
  ])('are refused where there are none: %s', async (name, words) => {
    await expect(find(...at('a.csv', name))).rejects.toThrow(words)
  })

  it('may be URLs, whose passwords and signatures are never shown', async () => {
    const secret = 'https://user:planted@files.example:8443/a%20b/facts.parquet?X-Amz-Signature=planted#planted'
    expect(await findFiles([secret])).toEqual([{ kind: 'address', address: secret }])
    expect(await find(secret)).toEqual(['https://files.example:8443/a%20b/facts.parquet'])
  })

  it.each([
    'https://user:planted/planted@files.example/facts.csv',
    'https://user:12/planted@files.example/facts.csv',
    'https://user:planted@files.example:99999/facts.csv',
    's3://key:pla/nted@bucket/facts.csv',
    'http://planted:[?planted',
    'htps://user:planted@files.example/facts.csv',
  ])('are refused, or named without what may be a password: %s', async (address) => {
    expect(nameOf({ kind: 'address', address })).not.toMatch(/planted|nted|pla/)
    const error = await findFiles([address]).catch(({ message }: Error) => message)
    if (typeof error === 'string') expect(error).not.toMatch(/planted|nted|pla/)
  })
})
