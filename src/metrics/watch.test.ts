import { describe, expect, it } from 'vitest'
import { watch } from './watch.ts'

describe('a value for a scrape', () => {
  it('is read once for many scrapes at the same time and soon after', async () => {
    let looks = 0
    const shown: unknown[] = []
    const ask = watch(
      async () => ++looks,
      (seen) => shown.push(seen),
    )
    await Promise.all(Array.from({ length: 50 }, ask))
    for (let count = 0; count < 50; count++) await ask()
    expect(shown).toEqual([1])
  })

  it('is shown as unknown if reading fails', async () => {
    const shown: unknown[] = []
    const ask = watch(
      async () => {
        throw new Error('away')
      },
      (seen) => shown.push(seen),
    )
    await ask()
    expect(shown).toEqual([undefined])
  })
})
