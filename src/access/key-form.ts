import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'adc_'
const secretLength = 40
const checksumLength = 6
const form = new RegExp(`^${prefix}([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`)

/** Generates a key. The prefix lets scanners find leaked keys, and the checksum refuses typos without a look-up. */
export function generateKey(): string {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${prefix}${secret}${checksumOf(secret)}`
}

export function isKeyWellFormed(text: string): boolean {
  const match = form.exec(text)
  return match !== null && checksumOf(match[1] ?? '') === match[2]
}

function checksumOf(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let position = 0; position < checksumLength; position++) {
    text = `${alphabet[rest % alphabet.length]}${text}`
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}
