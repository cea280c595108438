import { InvalidArgumentError } from 'commander'
import { addDays, dayOf, isDay, type Day } from '../../query/day.ts'
import { parseWhere, type Condition } from './parse-where.ts'

// For options that may be repeated, Commander passes what it has so far.

export const names = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
]

export const conditions = (text: string, before: readonly Condition[] = []): readonly Condition[] => [
  ...before,
  parseWhere(text),
]

export function days(text: string): number {
  const count = Number(/^(\d{1,3})d?$/.exec(text)?.[1])
  if (count > 0) return count
  throw new InvalidArgumentError('Write a number of days, such as 7d.')
}

export function day(text: string): Day {
  if (text === 'today') return dayOf(Date.now())
  if (text === 'yesterday') return addDays(dayOf(Date.now()), -1)
  if (isDay(text)) return text
  throw new InvalidArgumentError('Write a UTC day, yyyy-MM-DD, or today or yesterday.')
}

export function address(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text.replace(/\/+$/, '')
  throw new InvalidArgumentError('Write an address that starts with http:// or https://.')
}
