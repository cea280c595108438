import { describe, expect, it } from 'vitest'
import { readSettings, readStorePlace, requireSafeHost, settingRows, unknownSettings, UsageError } from './settings.ts'

/** Returns the faults of the settings. */
function faultsOf(env: NodeJS.ProcessEnv, flags: Record<string, unknown> = {}): string[] {
  try {
    requireSafeHost(readSettings(env, flags))
    return []
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.message.split('\n')
  }
}

describe('the settings', () => {
  it('all have a default', () => {
    expect(readSettings({})).toMatchObject({
      dataDir: './data',
      host: '127.0.0.1',
      port: 8080,
      metricsHost: '127.0.0.1',
      metricsPort: undefined,
      tlsCert: undefined,
      tlsKey: undefined,
      trustProxy: false,
      clickhouseUrl: undefined,
      clickhouseReaderUrl: undefined,
      querySeconds: 30,
      queryMemoryMb: 2048,
      demoDays: undefined,
      logLevel: 'info',
    })
  })

  it('accept exact origins only', () => {
    const read = (list: string) => readSettings({ ADCUBE_ALLOWED_ORIGINS: list }).allowedOrigins
    expect(read('')).toBeUndefined()
    expect(read('*')).toEqual(['*'])
    expect(read('https://a.example, http://localhost:3000')).toEqual(['https://a.example', 'http://localhost:3000'])
    for (const wrong of ['a.example', 'https://a.example/', 'https://*.a.example/x', 'https://a.example,', 'null']) {
      expect(() => read(wrong)).toThrow('ADCUBE_ALLOWED_ORIGINS must be origins such as')
    }
  })

  it('come from the environment', () => {
    const env = {
      ADCUBE_DATA_DIR: '/srv/adcube',
      ADCUBE_HOST: '::1',
      ADCUBE_PORT: '0',
      ADCUBE_METRICS_HOST: '0.0.0.0',
      ADCUBE_METRICS_PORT: '9464',
      ADCUBE_TLS_CERT: 'cert.pem',
      ADCUBE_TLS_KEY: 'key.pem',
      ADCUBE_TRUST_PROXY: 'on',
      ADCUBE_CLICKHOUSE_URL: 'https://writer:pass@ch.example:8443/adcube',
      ADCUBE_CLICKHOUSE_READER_URL: 'http://reader:pass@ch.example:8123/adcube',
      ADCUBE_QUERY_SECONDS: '5',
      ADCUBE_QUERY_MEMORY_MB: '64',
      ADCUBE_DEMO_DAYS: '30',
      ADCUBE_LOG_LEVEL: 'silent',
    }
    expect(readSettings(env)).toMatchObject({
      dataDir: '/srv/adcube',
      host: '::1',
      port: 0,
      metricsHost: '0.0.0.0',
      metricsPort: 9464,
      tlsCert: 'cert.pem',
      tlsKey: 'key.pem',
      trustProxy: true,
      clickhouseUrl: env.ADCUBE_CLICKHOUSE_URL,
      clickhouseReaderUrl: env.ADCUBE_CLICKHOUSE_READER_URL,
      querySeconds: 5,
      queryMemoryMb: 64,
      demoDays: 30,
      logLevel: 'silent',
    })
  })

  it('are no flags if they can contain a password, because other users can see flags', () => {
    const flags = settingRows.filter(({ isSecret }) => !isSecret).map(({ flag }) => flag)
    expect(flags.filter((flag) => flag.includes('url'))).toEqual(['public-url'])
  })

  it('are reported without the password of a wrong database URL', () => {
    const env = {
      ADCUBE_DATA_DIR: '/data',
      ADCUBE_DATABASE_URL: 'postgres://u:planted@db/x',
      ADCUBE_RATE_LIMITS: 'off',
      ADCUBE_PUBLIC_URL: 'https://api.example/',
    }
    expect(readSettings(env)).toMatchObject({
      databaseUrl: 'postgres://u:planted@db/x',
      rateLimits: false,
      publicUrl: 'https://api.example',
      reports: '/data/reports',
    })
    expect(() => readSettings({ ADCUBE_DATABASE_URL: 'mysql://u:planted@db/x' })).toThrow(
      /^ADCUBE_DATABASE_URL must be .{1,60}$/,
    )
    expect(() => readStorePlace({ ADCUBE_DATABASE_URL: 'mysql://u:planted@db/x' }, {})).toThrow('postgres://')
  })

  it('are also flags, with the name without its prefix', () => {
    const flags = settingRows.map(({ flag }) => flag)
    expect(flags).toEqual(expect.arrayContaining(['port', 'data-dir', 'query-memory-mb']))
    expect(readSettings({}, { queryMemoryMb: '100' }).queryMemoryMb).toBe(100)
  })

  it('are taken from a flag before the environment, even if the environment is wrong', () => {
    const env = { ADCUBE_PORT: 'eighty', ADCUBE_LOG_LEVEL: 'debug' }
    expect(readSettings(env, { port: '9000' })).toMatchObject({ port: 9000, logLevel: 'debug' })
    expect(readSettings({ ADCUBE_DEMO_DAYS: '3' }, { demoDays: '' }).demoDays).toBeUndefined()
  })

  it('are checked together, and all faults are reported', () => {
    const env = {
      ADCUBE_PORT: '65536',
      ADCUBE_TLS_CERT: 'cert.pem',
      ADCUBE_TRUST_PROXY: 'yes',
      ADCUBE_CLICKHOUSE_URL: 'ch.example:8123',
      ADCUBE_QUERY_SECONDS: '0',
      ADCUBE_DEMO_DAYS: '401',
      ADCUBE_LOG_LEVEL: 'loud',
    }
    const faults = faultsOf(env, { queryMemoryMb: '-1' })
    expect(faults.toSorted()).toEqual([
      'ADCUBE_CLICKHOUSE_URL must be a URL that starts with http:// or https://.',
      'ADCUBE_DEMO_DAYS must be a whole number from 1 to 400, not "401".',
      'ADCUBE_LOG_LEVEL must be one of trace, debug, info, warn, error, silent, not "loud".',
      'ADCUBE_PORT must be a whole number from 0 to 65535, not "65536".',
      'ADCUBE_QUERY_MEMORY_MB must be a whole number from 64 to 1048576, not "-1".',
      'ADCUBE_QUERY_SECONDS must be a whole number from 1 to 3600, not "0".',
      'ADCUBE_TLS_CERT and ADCUBE_TLS_KEY must be set together.',
      'ADCUBE_TRUST_PROXY must be one of on, off, not "yes".',
    ])
  })

  it('count as not set if they are empty', () => {
    expect(readSettings({ ADCUBE_PORT: '', ADCUBE_HOST: '' })).toEqual(readSettings({}))
  })

  it.each([' 80', '0x50', '1e3', '80.0', '+80', 'NaN', '٨٠'])('do not take %j for a port', (port) => {
    expect(faultsOf({ ADCUBE_PORT: port })).toEqual([expect.stringMatching(/^ADCUBE_PORT /)])
  })

  it.each(['On', ' on', 'true', 'constructor', '__proto__', 'toString'])('do not take %j for on or off', (given) => {
    expect(faultsOf({ ADCUBE_TRUST_PROXY: given })).toEqual([
      `ADCUBE_TRUST_PROXY must be one of on, off, not "${given}".`,
    ])
  })

  it.each([
    ' https://api.example',
    'https://api.example\n',
    'https://api.\nexample',
    'https:api.example',
    'https:///api.example',
    'https://api.example/?a=1',
    'https://api.example/#a',
  ])('do not take %j for a public URL', (given) => {
    expect(() => readSettings({ ADCUBE_PUBLIC_URL: given })).toThrow(/^ADCUBE_PUBLIC_URL must be a URL/)
  })

  it.each(['postgres:u@db/x', ' postgres://db/x', 'postgres://db/x\n'])('do not take %j for a database', (given) => {
    expect(faultsOf({ ADCUBE_DATABASE_URL: given })).toEqual([
      'ADCUBE_DATABASE_URL must be a URL that starts with postgres:// or postgresql://.',
    ])
  })

  it('with unknown names are warnings that suggest the nearest name', () => {
    const others = { PORT: '82', ADCUBE_API_KEY: 'adc_x', ADCUBE_BASE_URL: 'http://x' }
    const env = { ADCUBE_PROT: '80', ADCUBE_PORT: '81', ...others, ADCUBE_SOMETHING_ELSE_ALTOGETHER: 'secret' }
    expect(readSettings(env).port).toBe(81)
    expect(unknownSettings(env)).toEqual([
      'ADCUBE_PROT is not a setting of this version. Did you mean "ADCUBE_PORT"?',
      'ADCUBE_SOMETHING_ELSE_ALTOGETHER is not a setting of this version.',
    ])
  })

  it.each([
    'ftp://user:hunter2@ch.example/',
    'user:hunter2@ch.example:8123',
    'http//user:hunter2@ch.example',
    'hunter2',
  ])('never show the password of the wrong URL %j', (address) => {
    const faults = faultsOf({ ADCUBE_CLICKHOUSE_URL: address, ADCUBE_CLICKHOUSE_READER_URL: address })
    expect(faults).toHaveLength(2)
    expect(faults.join()).not.toContain('hunter2')
  })
})

describe('the address to listen on', () => {
  const tls = { ADCUBE_TLS_CERT: 'cert.pem', ADCUBE_TLS_KEY: 'key.pem' }

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])(
    'can be %s without TLS, because other machines cannot reach it',
    (host) => {
      expect(faultsOf({ ADCUBE_HOST: host })).toEqual([])
    },
  )

  it.each(['0.0.0.0', '::', '192.168.1.5', 'adcube.example', '127.evil.example', '127.0.0.1.evil.example'])(
    'is refused as %j without TLS or a proxy, and accepted with either',
    (host) => {
      const env = { ADCUBE_HOST: host }
      const faults = faultsOf(env)
      expect(faults).toEqual([expect.stringMatching(/^ADCUBE_HOST is /)])
      for (const name of ['ADCUBE_TLS_CERT', 'ADCUBE_TLS_KEY', 'ADCUBE_TRUST_PROXY=on']) {
        expect(faults[0]).toContain(name)
      }
      expect(faultsOf({ ...env, ...tls })).toEqual([])
      expect(faultsOf({ ...env, ADCUBE_TRUST_PROXY: 'on' })).toEqual([])
      expect(faultsOf({}, { host, trustProxy: 'on' })).toEqual([])
    },
  )

  it('is refused with half of a TLS pair', () => {
    const faults = faultsOf({ ADCUBE_HOST: '0.0.0.0', ADCUBE_TLS_CERT: 'cert.pem' })
    expect(faults).toEqual(['ADCUBE_TLS_CERT and ADCUBE_TLS_KEY must be set together.'])
  })
})
