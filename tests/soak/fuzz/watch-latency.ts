import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { atEnd } from '../../setup/at-end.ts'
import type { Watch, Watched } from './watch-child.ts'
import { knownAnswer, knownQuery, type World } from './world.ts'

/** Asks a small query of the account `watched`, and /healthz, every 100 ms, in a process that the attacks do not delay. */
export function watchLatency({ port, world }: { readonly port: number; readonly world: World }) {
  const child = fork(join(import.meta.dirname, 'watch-child.ts'), { execArgv: [] })
  atEnd(() => void child.kill())
  const watched: Watched = { port, key: world.keys.watched, query: knownQuery, rows: knownAnswer('watched') }
  child.send(watched)
  return {
    /** Returns the results since the last call. */
    async take(): Promise<readonly Watch[]> {
      const answer = once(child, 'message') as Promise<[readonly Watch[]]>
      child.send('take')
      const [watches] = await answer
      return watches
    },
  }
}
