import type { StoredKey } from '../store/keys.ts'

/** A key as people recognise it. */
export const describeKey = ({ name, lastFour }: Pick<StoredKey, 'name' | 'lastFour'>): string =>
  `${name} (…${lastFour})`
