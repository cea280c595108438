import type { RateCounts } from './rate-decision.ts'
import { rateRules } from './rate-rules.ts'
import { RateSlots, type Slot } from './rate-slots.ts'

/**
 * The counts of an account as text to be stored. It is written and read with each request, so it is short: the times, as
 * distances from the one before, and the numbers of requests take two bytes each where a quota is high.
 */
export const writeCounts = (counts: RateCounts): string =>
  JSON.stringify(Object.fromEntries([...counts].map(([name, { slots }]) => [name, writeSlots(slots)])))

/** Rules that are no more are left out. */
export function readCounts(text: string): RateCounts {
  const stored = JSON.parse(text) as Readonly<Record<string, string>>
  const counts: RateCounts = new Map()
  for (const { name, windowSeconds } of rateRules) {
    const slots = stored[name]
    if (slots !== undefined) counts.set(name, new RateSlots(windowSeconds * 1000, readSlots(slots)))
  }
  return counts
}

function writeSlots(slots: readonly Readonly<Slot>[]): string {
  const bytes: number[] = []
  let before = 0
  for (const { lastAt, count } of slots) {
    writeNumber(bytes, lastAt - before)
    writeNumber(bytes, count)
    before = lastAt
  }
  return Buffer.from(bytes).toString('base64url')
}

function readSlots(text: string): readonly Readonly<Slot>[] {
  const numbers = readNumbers(Buffer.from(text, 'base64url'))
  const slots: Slot[] = []
  let lastAt = 0
  for (let index = 0; index < numbers.length; index += 2) {
    lastAt += numbers[index] ?? 0
    slots.push({ lastAt, count: numbers[index + 1] ?? 0 })
  }
  return slots
}

/** Seven bits a byte, the lowest first; the highest bit says that more follow. */
function writeNumber(bytes: number[], number: number): void {
  let rest = number
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

function readNumbers(bytes: Uint8Array): readonly number[] {
  const numbers: number[] = []
  let number = 0
  let factor = 1
  for (const byte of bytes) {
    number += (byte % 128) * factor
    factor *= 128
    if (byte >= 128) continue
    numbers.push(number)
    number = 0
    factor = 1
  }
  return numbers
}
