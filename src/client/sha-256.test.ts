import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Sha256 } from './sha-256.ts'

it('is that of the platform, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 12 }), async (chunks) => {
      const hash = new Sha256()
      for (const chunk of chunks) hash.update(chunk)
      const whole = await new Blob(chunks).arrayBuffer()
      expect(hash.digest()).toBe(Buffer.from(await crypto.subtle.digest('SHA-256', whole)).toString('hex'))
    }),
  )
})
