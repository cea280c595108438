import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

export class FlagsError extends Error {}

/** The values of a bench's flags, all of them known. */
export function parseFlags<const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new FlagsError(error instanceof Error ? error.message : String(error))
  }
}

export function whole(name: string, text: string, max: number): number {
  const value = Number(text.replaceAll('_', ''))
  if (!/^\d[\d_]*$/.test(text) || value < 1 || value > max) {
    throw new FlagsError(`--${name} takes whole numbers from 1 to ${max}, not "${text}".`)
  }
  return value
}

export function someOf<Name extends string>(flag: string, text: string, names: readonly Name[]): readonly Name[] {
  const asked = text.split(',')
  const unknown = asked.find((name) => !names.some((known) => known === name))
  if (unknown !== undefined) throw new FlagsError(`--${flag} knows ${names.join(', ')}, not "${unknown}".`)
  return names.filter((name) => asked.includes(name))
}
