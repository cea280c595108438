import type { Chance } from './chance.ts'
import { hostileText, misspell } from './texts.ts'

/** Removes everything from a text that a request line cannot contain, such as spaces. */
const forLine = (text: string): string =>
  Buffer.from(text.toWellFormed())
    .toString('latin1')
    .replaceAll(/[\s\0]/g, '%20')

const encodeSome = (chance: Chance, text: string): string =>
  text.replaceAll(/[a-z/]/g, (character) =>
    chance.happens(0.3) ? `%${character.charCodeAt(0).toString(16).padStart(2, '0')}` : character,
  )

/** A path in another spelling, or an invalid one. */
export function spoilPath(chance: Chance, path: string): string {
  const [plain = '', query] = path.split('?')
  const rest = query === undefined ? '' : `?${query}`
  const text = (): string => encodeURIComponent(hostileText(chance).toWellFormed())
  switch (chance.below(22)) {
    case 0:
      return encodeSome(chance, plain) + rest
    case 1:
      return plain.replaceAll('/', '//') + rest
    case 2:
      return `${plain}/${rest}`
    case 3:
      return plain.toUpperCase() + rest
    case 4:
      return `${plain}/..${plain}${rest}`
    case 5:
      return `/.${plain}/%2e%2e/%2e%2e/%2e%2e/etc/passwd`
    case 6:
      return `http://127.0.0.1${path}`
    case 7:
      return `http://evil.example${path}`
    case 8:
      return `${plain}%00${rest}`
    case 9:
      return `${plain}%${chance.pick(['', 'z', 'zz', 'ff', 'c0%80', 'ed%a0%80'])}${rest}`
    case 10:
      return `${plain};x=${forLine(hostileText(chance))}${rest}`
    case 11:
      return plain + `/x`.repeat(chance.pick([10, 1_000, 7_000]))
    case 12:
      return `${plain}?${text()}=${text()}`
    case 13:
      return `${path}${rest === '' ? '?' : '&'}${text()}`
    case 14:
      return `${path}${rest === '' ? '?' : '&'}cube=${text()}&jobId=${text()}`
    case 15:
      return `${plain}?${'cube=auctions&'.repeat(chance.pick([2, 500]))}`
    case 16:
      return `${plain}?${chance.pick(['__proto__', 'constructor', 'toString', 'limit[]', 'cube[a]', 'jobId'])}=${text()}`
    case 17:
      return `${plain}#${rest}`
    case 18:
      return chance.pick(['*', '/', '//', '?', '/?', '/%', '/..', 'v2/data', '\\', '/v2\\data', '/%2f', '/v2/%64ata'])
    case 19:
      return `/${forLine(hostileText(chance))}`
    case 20:
      return forLine(misspell(chance, path)) || '/'
    default:
      return `${plain}?limit=${text()}&after=${text()}&before=${text()}`
  }
}
