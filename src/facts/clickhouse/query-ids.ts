import { randomUUID } from 'node:crypto'

/**
 * How our statements are named in the server's own records. No two that run at once may have the same name, and a
 * report that is made again begins while the server may still be ending the first try.
 */
export const queryIdOf = (id: string): string => `${id}_${randomUUID()}`

/** All inserts of a load begin like this, which is how they are found when the load is removed. */
export const queryIdPrefixOf = (load: number): string => `load_${load}_`

export const queryIdOfInsert = (load: number): string => `${queryIdPrefixOf(load)}${randomUUID()}`
