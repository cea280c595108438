import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openWorkload } from './workload.ts'

const seconds = Number(process.env.SOAK_SECONDS ?? 60)

it(`every answer is right while two servers, a worker and three loaders share a folder for ${seconds} s`, async () => {
  const { serve, work, ask, load, report, repeat, finish, statuses } = await openWorkload()
  await load()
  const servers = [serve(), serve()]
  const worker = work()
  const urls = await Promise.all(servers.map(({ address }) => address()))
  for (const url of urls) {
    repeat(() => ask(url))
    for (let count = 0; count < 2; count++) repeat(() => report(url))
  }
  for (let count = 0; count < 3; count++) repeat(load)
  await delay(seconds * 1_000)
  await finish(urls)
  expect([...statuses.keys()]).toEqual([200])

  worker.child.kill('SIGTERM')
  expect(await worker.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('"level":50') })
  for (const { child, output } of servers) {
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(output.stderr).not.toContain('"level":50')
  }
})
