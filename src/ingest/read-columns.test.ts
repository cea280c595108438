import { describe, expect, it } from 'vitest'
import { readCsvHeader } from './read-columns.ts'

describe('the header of CSV', () => {
  const read = (text: string, isAll = true) => readCsvHeader(Buffer.from(text), isAll)

  it.each([
    ['account,day\na,b\n', ['account', 'day']],
    ['account,day\r\na,b\r\n', ['account', 'day']],
    ['account,day\ra,b\r', ['account', 'day']],
    ['\uFEFFaccount,day\n', ['account', 'day']],
    ['\uFEFF"account","day"\n', ['account', 'day']],
    ['"App, or ""Site""",day\n', ['App, or "Site"', 'day']],
    ['"two\nlines",day\n', ['two\nlines', 'day']],
    ['account,,day,\n', ['account', '', 'day', '']],
    ['account', ['account']],
    ['ünïcode,😀\n', ['ünïcode', '😀']],
  ])('%j is read as it is meant', (text, fields) => {
    expect(read(text)).toEqual(fields)
  })

  it('is not accepted if it does not end within the bytes that were read', () => {
    const text = 'account,"a day"\nx,y\n'
    for (let length = 0; length < text.indexOf('\n'); length++)
      expect(read(text.slice(0, length), false)).toBeUndefined()
    expect(read(text.slice(0, text.indexOf('\n') + 1), false)).toEqual(['account', 'a day'])
  })

  it.each(['"account,day\n', '"account"x,day\n', 'acc"ount,day\n'])('%j is invalid', (text) => {
    expect(read(text)).toBeUndefined()
  })
})
