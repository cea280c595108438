import { changeAccount } from '../access/change-account.ts'
import { forms, hasForm } from '../access/forms.ts'
import { accountShape } from '../http/shapes.ts'
import type { Command } from './command.ts'
import { demandAccount } from './demand-account.ts'
import { print, tell } from './output.ts'
import { readCubes } from './read-cubes.ts'
import { SettingsError } from './settings.ts'
import { storeOptions, withStore } from './with-store.ts'

/** A limit above 1,800 requests of each method a second protects no server, and is more likely a slip. */
const rateFactorMax = 100

export const setAccountCommand: Command = {
  usage: `adcube account set ID [--name NAME] [--cubes CUBE,CUBE] [--rate-factor N] [--data-dir DIR] [--json]

  --rate-factor   Its rate limits are the ordinary ones times N, a whole number from 1 to ${rateFactorMax}
A server that runs knows of it within a second.`,
  options: {
    name: { type: 'string' },
    cubes: { type: 'string' },
    'rate-factor': { type: 'string' },
    ...storeOptions,
  },
  operands: ['ID'],
  async run(flags, id = '') {
    const cubes = readCubes(flags.cubes)
    const name = typeof flags.name === 'string' ? flags.name.trim() : undefined
    const factor = flags['rate-factor'] === undefined ? undefined : Number(flags['rate-factor'])
    const faults: string[] = []
    if (name !== undefined && !hasForm(forms.name, name)) faults.push(`--name: ${forms.name.description}`)
    if (factor !== undefined && !(Number.isInteger(factor) && factor >= 1 && factor <= rateFactorMax)) {
      faults.push(`--rate-factor: a whole number from 1 to ${rateFactorMax}.`)
    }
    if (name === undefined && cubes === undefined && factor === undefined) {
      faults.push('Give --name, --cubes or --rate-factor.')
    }
    if (faults.length > 0) throw new SettingsError(faults)
    const change = {
      ...(name !== undefined && { name }),
      ...(cubes && { cubes }),
      ...(factor !== undefined && { rateFactor: factor }),
    }
    return withStore(flags, async (store) => {
      await demandAccount(store, id)
      const account = await changeAccount(store, id, change, Date.now())
      print(flags, account && accountShape(account), `${id}\n`)
      tell(flags, 'Changed.')
      return 0
    })
  },
}
