import { isIPv6 } from 'node:net'

/** The key for limits by IP address: for IPv6 the /56 prefix, because a customer usually has a whole /56. */
export function originOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  const [a = '0', b = '0', c = '0', d = '0'] = groups.map((group) => Number.parseInt(group, 16).toString(16))
  return [a, b, c, (Number.parseInt(d, 16) & 0xff00).toString(16)].join(':')
}
