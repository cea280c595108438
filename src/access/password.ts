import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** OWASP's first choice for argon2id: 19 MiB and two passes, some 50 ms of one core. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const
const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const derive = promisify(argon2)

/** Hashing runs on the runtime's threads, which files and compression need too: two at a time leave them room. */
const hashesMax = 2
const waitingMax = 100

let running = 0
const waiting: (() => void)[] = []

/** Too many want to sign in at this moment. */
export class PasswordsBusy extends Error {}

async function takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= hashesMax) {
    if (waiting.length >= waitingMax) throw new PasswordsBusy('too many passwords wait to be hashed')
    // Whoever ends hands over its place, so `running` stays as it is.
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

/** For somebody who is to be told it once. */
export const generatePassword = (): string => randomBytes(15).toString('base64url')

const encode = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** In the usual notation, so that the costs can change and old hashes stay good. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await takeTurn(() => derive('argon2id', { message: normalize(password), nonce, ...cost }))
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(nonce)}$${encode(tag)}`
}

/** Takes as long for somebody unknown as for a wrong password, so that the time does not tell who has a sign-in. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, nonce = '', tag = ''] = form.exec(stored ?? '') ?? form.exec(nobody) ?? []
  const expected = Buffer.from(tag, 'base64')
  const actual = await takeTurn(() =>
    derive('argon2id', {
      message: normalize(password),
      nonce: Buffer.from(nonce, 'base64'),
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      tagLength: expected.length,
    }),
  )
  return timingSafeEqual(actual, expected) && stored !== null
}

/** The hash of something that nobody knows. */
const nobody = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(randomBytes(16))}$${encode(randomBytes(32))}`

/** One password may be typed as different sequences of characters on different keyboards. */
const normalize = (password: string): string => password.normalize('NFKC')
