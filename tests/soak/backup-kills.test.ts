import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addDays, dayOf } from '../../src/query/day.ts'
import { makeFolder } from '../setup/installation.ts'
import { openFolder } from '../setup/serve.ts'

const day = addDays(dayOf(Date.now()), -1)

it('a killed backup leaves the earlier one intact, and the next one is complete', async () => {
  const { folder, begin } = await openFolder()
  const file = join(folder, 'many.csv')
  const accounts = Array.from({ length: 120 }, (_, index) => `account-${index}`)
  const write = (value: number) =>
    writeFile(file, `account,day,auctions\n${accounts.map((id) => `${id},${day},${value}\n`).join('')}`)
  const loadAll = async (value: number) => {
    await write(value)
    expect(await begin(['load', 'auctions', file, '--create-accounts']).ended).toMatchObject({ code: 0 })
  }
  const backup = await makeFolder()
  await loadAll(1)
  expect(await begin(['backup', backup]).ended).toMatchObject({ code: 0 })
  await loadAll(2)
  const next = join(backup, 'next')
  const stages = [
    () => existsSync(next),
    () => existsSync(join(next, 'adcube.db')),
    () => existsSync(join(backup, 'facts/auctions/2')),
    () => existsSync(join(backup, 'facts/auctions/2/account=account-50')),
    () => existsSync(join(backup, 'facts/auctions/2')) && !existsSync(next),
  ]
  let killed = 0
  for (const [round, stage] of stages.entries()) {
    const { child, ended } = begin(['backup', backup])
    while (child.exitCode === null && !stage()) await new Promise(setImmediate)
    if (child.kill('SIGKILL')) killed++
    await ended
    const restored = join(await makeFolder(), `restored-${round}`)
    expect(await begin(['restore', backup, '--data-dir', restored]).ended).toMatchObject({ code: 0 })
    const { code, stdout } = await begin(['verify', '--json', '--data-dir', restored]).ended
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, portions: accounts.length, count: 0 })
  }
  expect(killed).toBe(stages.length)
  expect(await begin(['backup', backup]).ended).toMatchObject({ code: 0 })
  expect(existsSync(next)).toBe(false)
  expect(existsSync(join(backup, 'facts/auctions/1'))).toBe(false)
  const { stdout } = await begin(['verify', '--json', '--data-dir', backup]).ended
  expect(JSON.parse(stdout)).toMatchObject({ portions: accounts.length, count: 0 })
})
