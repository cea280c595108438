import { expect, it } from 'vitest'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { openControlService } from '../setup/control-service.ts'
import { makeReport } from '../setup/make-report.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const store = await openStoreAt(await makePlace('SQLite'))

it.each([false, true])(
  'download addresses never have the host of X-Forwarded-Host (trusted proxy: %s)',
  async (trustProxy) => {
    const service = await openControlService(store, noLimits, { trustProxy })
    const { key, id } = await makeReport(store, service, Buffer.from('Day\r\n'))
    const headers = {
      'x-api-key': key,
      host: 'data.example.com',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    }
    const { body, headers: sent } = await service.send({ method: 'GET', url: `/v2/data/status?jobId=${id}`, headers })
    expect(body[0].output_url).toMatch(
      trustProxy ? /^https:\/\/data\.example\.com\// : /^http:\/\/data\.example\.com\//,
    )
    expect(sent['strict-transport-security']).toBeUndefined()
  },
)
