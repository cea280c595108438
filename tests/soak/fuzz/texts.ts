import type { Chance } from './chance.ts'

/** Texts that are known to break services, for names, values, parameters and headers. */
const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u{feff}',
  '\ud800',
  '\udc00x',
  '\u{10ffff}',
  '\u{202e}txt',
  'e\u0301\u0301\u0301',
  '\r\nX-Injected: 1',
  '\n\n',
  '\t',
  '\u007f\u0080',
  '\\',
  '\\\\%',
  '%',
  '_%_',
  "'",
  '"',
  "'; drop table accounts; --",
  "' or '1'='1",
  '") union all values (1) --',
  '$filter0',
  '$1',
  '?',
  '{filter0:String}',
  ':name',
  '`id`',
  '$(id)',
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '..\\..\\windows',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'then',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '9007199254740993',
  '99999999999999999999999999999999',
  '0x10',
  '1_000',
  '２０２６-０１-０１',
  'İ',
  'ß',
  '0000-00-00',
  '2026-02-30',
  '9999-12-31',
  '+275760-09-13',
  '-271821-04-20',
] as const

/** Patterns that a recursive matcher takes long for, or that end within a character of UTF-8 when they are split. */
const hostilePatterns = [
  `${'%_'.repeat(10)}~`,
  `${'_%'.repeat(40)}\u{1f600}`,
  `%${'a%'.repeat(40)}b`,
  `%${'_'.repeat(400)}~`,
  `${'\\_%'.repeat(20)}~`,
  '\\%_\\',
  'п_',
  'タ%x%',
  'ο%z',
  '¿%x',
  '\u007f%x',
] as const

export function hostilePattern(chance: Chance): string {
  if (chance.happens(0.3)) return chance.pick(hostilePatterns)
  const parts = ['%', '_', 'a', '\\', '~', 'quokka', 'ο']
  return Array.from({ length: 1 + chance.below(60) }, () => chance.pick(parts)).join('')
}

export function hostileText(chance: Chance): string {
  const kind = chance.next()
  if (kind < 0.7) return chance.pick(hostileTexts)
  if (kind < 0.8) return chance.pick(hostileTexts).repeat(1 + chance.below(300))
  if (kind < 0.9) return chance.pick(hostileTexts) + chance.pick(hostileTexts)
  return Array.from({ length: chance.below(40) }, () => String.fromCharCode(chance.below(0x1_0000))).join('')
}

/** Changes one position of a text. */
export function misspell(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1)
  const kind = chance.below(5)
  if (kind === 0) return text.slice(0, at) + text.slice(at + 1)
  if (kind === 1) return text.slice(0, at) + hostileText(chance) + text.slice(at)
  if (kind === 2) return text.toUpperCase()
  if (kind === 3) return text.slice(0, at)
  return text.slice(0, at) + String.fromCharCode(33 + chance.below(94)) + text.slice(at + 1)
}
