import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, it, onTestFinished } from 'vitest'
import { readParquetHead } from './read-parquet-head.ts'

const optional = { repetition_type: 'OPTIONAL' } as const
const columns: (readonly [string, Omit<SchemaElement, 'name'>, readonly unknown[], string | undefined])[] = [
  ['plain_64', { type: 'INT64', ...optional }, [1n, 2n], 'signed'],
  ['plain_32', { type: 'INT32', ...optional }, [1, 2], 'signed'],
  ['signed', { type: 'INT64', converted_type: 'INT_64', ...optional }, [1n, 2n], 'signed'],
  ['unsigned', { type: 'INT64', converted_type: 'UINT_64', ...optional }, [1n, 2n], 'unsigned'],
  ['gapped', { type: 'INT64', ...optional }, [1n, undefined], undefined],
  ['day', { type: 'INT32', converted_type: 'DATE', ...optional }, [new Date(0), new Date(0)], undefined],
  ['floating', { type: 'DOUBLE', ...optional }, [1, 2], undefined],
  ['text', { type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional }, ['1', '2'], undefined],
  ['decimal', { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 6, ...optional }, [1, 2], 'decimal'],
  ['fine', { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 7, ...optional }, [1, 2], undefined],
]

it('says which columns hold numbers that cannot be misread', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-parquet-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'numbers.parquet')
  const content = parquetWriteBuffer({
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(([name, element]) => ({ name, ...element })),
    ],
    columnData: columns.map(([name, , data]) => ({ name, data: [...data] })),
  })
  await writeFile(path, new Uint8Array(content))
  const file = await open(path)
  onTestFinished(() => file.close())
  expect(await readParquetHead(file)).toEqual({
    rows: 2,
    columns: columns.map(([name, , , number]) => ({ name, isList: false, number })),
  })
})
