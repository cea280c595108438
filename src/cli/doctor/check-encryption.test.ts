import { expect, it } from 'vitest'
import { readSettings } from '../settings.ts'
import { checkEngineEncryption, checkStoreEncryption } from './check-encryption.ts'

const warning = { status: 'warn', detail: expect.stringContaining('others on the network can read') }

it.each([
  ['postgres://a:b@db.example.com/adcube', warning],
  ['postgres://a:b@10.0.0.7:5433/adcube?sslmode=disable', warning],
  ['postgres://a:b@db.example.com/adcube?sslmode=verify-full', false],
  ['postgres://a:b@db.example.com/adcube?sslmode=no-verify', false],
  ['postgres://a:b@db.example.com/adcube?ssl=true', false],
  ['postgres://a:b@127.0.0.1/adcube', false],
  ['postgres://a:b@localhost:5433/adcube', false],
  ['postgres://a:b@[::1]/adcube', false],
  ['postgres:///adcube?host=/var/run/postgresql', false],
])('an address of PostgreSQL warns if it crosses a network without TLS: %s', (url, expected) => {
  expect(checkStoreEncryption(readSettings({ ADCUBE_DATABASE_URL: url }))).toEqual(expected)
})

it.each([
  ['http://a:b@clickhouse.example.com:8123/adcube', warning],
  ['https://a:b@clickhouse.example.com:8443/adcube', false],
  ['http://a:b@127.0.0.1:8123/adcube', false],
  ['http://a:b@[::1]:8123/adcube', false],
])('an address of ClickHouse warns if it crosses a network without TLS: %s', (url, expected) => {
  const clickhouseUrl = url.replace('http:', 'https:')
  const urls = { ADCUBE_CLICKHOUSE_URL: clickhouseUrl, ADCUBE_CLICKHOUSE_READER_URL: url }
  expect(checkEngineEncryption(readSettings({ ADCUBE_CLICKHOUSE_URL: url }))).toEqual(expected)
  expect(checkEngineEncryption(readSettings(urls))).toEqual(expected)
})

it('a warning shows no password', () => {
  const url = 'postgres://adcube:swordfish@db.example.com/adcube'
  expect(JSON.stringify(checkStoreEncryption(readSettings({ ADCUBE_DATABASE_URL: url })))).not.toContain('swordfish')
})
