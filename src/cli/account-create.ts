import { createAccount } from '../access/create-account.ts'
import type { Cube } from '../catalog/cube.ts'
import { accountShape } from '../http/console/shapes.ts'
import { print, tell } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

type Flags = StoreFlags & { readonly id?: string; readonly cubes?: readonly Cube[] }

export function createAccountCommand(flags: Flags, name: string): Promise<number> {
  const { id, cubes } = flags
  const create = async (store: Parameters<typeof createAccount>[0]): Promise<number> => {
    const account = await createAccount(store, { name, id, cubes, now: Date.now() })
    if (!account) throw new Error(`The account ${id} already exists.`)
    print(flags, accountShape(account), `${account.id}\n`)
    tell(flags, `Next: adcube user create --account ${account.id} --email ADDRESS`)
    return 0
  }
  return withStore(flags, create, { mayCreate: true })
}
