import { createGunzip, type Gunzip } from 'node:zlib'

/** Of one piece: with the usual 16 KB, going to and fro takes longer than unpacking. */
const chunkSize = 256 * 1024

export const unpackReport = (): Gunzip => createGunzip({ chunkSize })
