import { expect, test } from 'vitest'
import { readAuditFilter } from './audit-filter.ts'

const read = (search: string) => readAuditFilter(new URLSearchParams(search))

test('a filter is read from the address', () => {
  expect(read('actor=ada@example.com&action=key.created&from=2026-11-01&to=2026-11-19')).toEqual({
    actor: 'ada@example.com',
    action: 'key.created',
    from: '2026-11-01',
    to: '2026-11-19',
  })
})

test('an address of a person matches in any case, as it is stored in lower case', () => {
  expect(read('actor=%20Ada@Example.com')).toEqual({ actor: 'ada@example.com' })
})

test('what makes no sense is left out', () => {
  expect(read('actor=&action=toString&from=2026-02-30&to=soon&more=1')).toEqual({})
})
