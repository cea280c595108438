import { createHmac } from 'node:crypto'
import { dayMs } from '../query/day.ts'
import type { Store } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'

/** The last addresses of a person: offices, homes, phones. */
const addressesMax = 10
/** An address from which a person has not signed in for so long is forgotten. */
export const addressMsMax = 90 * dayMs

/**
 * The IP addresses from which people have signed in. They are stored as digests with a secret key, from which nobody who
 * reads the table can tell the address.
 */
export class KnownAddresses {
  readonly #store: Store
  #secret: Promise<Buffer> | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** The digest of an IP address of a person. Make it before a transaction, because it may create the secret. */
  async digestOf(email: string, origin: string): Promise<string> {
    this.#secret ??= findSecret(this.#store, 'sign-in-addresses')
    const secret = await this.#secret.catch((error: unknown) => {
      this.#secret = undefined
      throw error
    })
    return createHmac('sha256', secret).update(`${email}\n${origin}`).digest('hex')
  }

  async has(digest: string, now: number): Promise<boolean> {
    const found = await this.#store
      .selectFrom('signInAddresses')
      .select('digest')
      .where('digest', '=', digest)
      .where('signedInAt', '>=', now - addressMsMax)
      .executeTakeFirst()
    return found !== undefined
  }

  /** Remembers an address in the transaction of a sign-in, in place of the oldest one if there are many. */
  async note(
    transaction: Store,
    row: { readonly digest: string; readonly personId: string; readonly signedInAt: number },
  ): Promise<void> {
    await transaction
      .insertInto('signInAddresses')
      .values(row)
      .onConflict((conflict) => conflict.column('digest').doUpdateSet(row))
      .execute()
    const old = transaction
      .selectFrom('signInAddresses')
      .select('digest')
      .where('personId', '=', row.personId)
      .orderBy('signedInAt', 'desc')
      .orderBy('digest')
      .limit(addressesMax)
      .offset(addressesMax)
    await transaction.deleteFrom('signInAddresses').where('digest', 'in', old).execute()
  }
}
