/** Starts a chore and never ends it. Arguments: the folder of a store, and the URL of a PostgreSQL database. */
import { pino } from 'pino'
import { runChores } from '../../src/chores/run-chores.ts'
import { openStore } from '../../src/store/open-store.ts'

const [folder = '', databaseUrl] = process.argv.slice(2)
const store = await openStore({ folder, databaseUrl: databaseUrl === '' ? undefined : databaseUrl })
const run = async (): Promise<void> => {
  process.stdout.write('begun\n')
  await new Promise(() => {})
}
runChores({ store, log: pino({ level: 'silent' }), now: Date.now }, [{ name: 'endless', everyMs: 1, run }])
