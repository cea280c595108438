import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { WaitingLine } from '../concurrency/waiting-line.ts'

/** OWASP's first choice for argon2id: 19 MiB and two passes, some 50 ms of one core. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const
const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Hashing runs on the runtime's threads, which files and compression need too: two at a time leave them room. A full line is LineFull. */
const line = new WaitingLine({ places: 2, waitingMax: 100 })

async function derive(options: Argon2Parameters): Promise<Buffer> {
  const leave = await line.enter()
  try {
    return await promisify(argon2)('argon2id', options)
  } finally {
    leave()
  }
}

/** Generates a password, to be shown once. */
export const generatePassword = (): string => randomBytes(15).toString('base64url')

const encode = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** Hashes a password. The notation includes the parameters, so that these can change while old hashes stay valid. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive({ message: normalize(password), nonce, ...cost })
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(nonce)}$${encode(tag)}`
}

/** Verifies a password. It takes as long for an unknown person, so that the time does not reveal who can sign in. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, nonce = '', tag = ''] = form.exec(stored ?? '') ?? form.exec(nobody) ?? []
  const expected = Buffer.from(tag, 'base64')
  const actual = await derive({
    message: normalize(password),
    nonce: Buffer.from(nonce, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  })
  return timingSafeEqual(actual, expected) && stored !== null
}

/** The hash of something that nobody knows. */
const nobody = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(randomBytes(16))}$${encode(randomBytes(32))}`

/** Keyboards differ in the characters that they send for the same letter. */
const normalize = (password: string): string => password.normalize('NFKC')
