import { rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { openFolder } from '../setup/serve.ts'
import { askTotals, makeSoakKey, startLoad, versionOf, writeVersion } from './versions.ts'

const replaces = Number(process.env.SOAK_REPLACES ?? 50)
const readersMax = Number(process.env.SOAK_READERS ?? 4)
const formats = ['csv'] as const

it(
  `readers see the old days or the new ones, and nothing else, while they are replaced ${replaces} times`,
  { timeout: 14_400_000 },
  async () => {
    const { folder, serve } = await openFolder()
    const store = await openStore({ folder })
    const key = await makeSoakKey(store)
    await store.destroy()
    const { address, output } = serve([], { ADCUBE_RATE_LIMITS: 'off', ADCUBE_QUERY_SECONDS: '300' })
    const url = await address()

    const replace = async (version: number): Promise<void> => {
      const files = await writeVersion(folder, version, formats)
      const { exited, output } = startLoad(files, { ADCUBE_DATA_DIR: folder })
      expect(await exited, output.stderr).toEqual([0, null])
      await Promise.all(files.map((file) => rm(file)))
    }
    await replace(0)

    /** What a read that begins now may see: nothing older than any read before it saw, or than a load that is done. */
    const known = { oldest: 0, newest: 0 }
    const reads = new Map<number, number>()
    const countReads = () => [...reads.values()].reduce((sum, count) => sum + count, 0)
    const strange: string[] = []
    let sawOldWhileReplaced = 0
    const over = new AbortController()
    const read = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const { oldest } = known
        const { status, data } = await askTotals(url, key)
        const version = status === 200 ? versionOf(data, formats.length, known.newest) : `status ${status}`
        if (typeof version === 'string') strange.push(`between ${oldest} and ${known.newest}: ${version}`)
        else if (version < oldest) strange.push(`${version} after ${oldest}`)
        else {
          known.oldest = Math.max(known.oldest, version)
          reads.set(version, (reads.get(version) ?? 0) + 1)
          if (version < known.newest) sawOldWhileReplaced++
        }
      }
    }
    const readers = Array.from({ length: readersMax }, () => read())
    for (let version = 1; version <= replaces; version++) {
      known.newest = version
      await replace(version)
      known.oldest = version
      expect(strange).toEqual([])
      process.stderr.write(`replaced ${version} of ${replaces} times, ${countReads()} reads\n`)
    }
    over.abort()
    await Promise.all(readers)

    const all = countReads()
    process.stderr.write(
      `${all} reads by ${readersMax} readers during ${replaces} replacements: ${sawOldWhileReplaced} saw the old days ` +
        `while new ones were loaded, ${all - sawOldWhileReplaced} the new; ${reads.size} versions seen\n` +
        `reads a version: ${[...reads].map(([version, count]) => `${version}: ${count}`).join(', ')}\n`,
    )
    expect(strange).toEqual([])
    expect(sawOldWhileReplaced).toBeGreaterThan(0)
    expect(versionOf((await askTotals(url, key)).data, formats.length, replaces)).toBe(replaces)
    expect(output.stderr).not.toContain('"level":50')
  },
)
