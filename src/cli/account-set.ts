import { changeAccount } from '../access/change-account.ts'
import type { Cube } from '../catalog/cube.ts'
import { accountShape } from '../http/console/shapes.ts'
import { demandAccount } from './demand-account.ts'
import { print, tell } from './output.ts'
import { SettingsError } from './settings.ts'
import { withStore, type StoreFlags } from './with-store.ts'

type Flags = StoreFlags & { readonly name?: string; readonly cubes?: readonly Cube[]; readonly rateFactor?: number }

export async function setAccountCommand(flags: Flags, id: string): Promise<number> {
  const { name, cubes, rateFactor } = flags
  if (name === undefined && cubes === undefined && rateFactor === undefined) {
    throw new SettingsError(['Specify --name, --cubes or --rate-factor.'])
  }
  const change = {
    ...(name !== undefined && { name }),
    ...(cubes && { cubes }),
    ...(rateFactor !== undefined && { rateFactor }),
  }
  return withStore(flags, async (store) => {
    await demandAccount(store, id)
    const account = await changeAccount(store, id, change, Date.now())
    print(flags, account && accountShape(account), `${id}\n`)
    tell(flags, 'Changed.')
    return 0
  })
}
