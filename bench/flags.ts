import { parseArgs } from 'node:util'

/** Reads flags such as `--rows 1000`: a number where the default is one, else a text. `--help` prints them. */
export function readFlags<const Flags extends Readonly<Record<string, string | number>>>(
  usage: string,
  defaults: Flags,
): { readonly [Name in keyof Flags]: Flags[Name] extends number ? number : string } {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: 'string' as const, default: String(value) }]),
  )
  const values: Readonly<Record<string, unknown>> = parseArgs({
    options: { ...options, help: { type: 'boolean' } },
  }).values
  if (values.help === true) {
    const flags = Object.entries(defaults).map(([name, value]) => `  --${name} ${value === '' ? 'FOLDER' : value}`)
    process.stderr.write(`${usage}\n\nFlags and their defaults:\n${flags.join('\n')}\n`)
    process.exit(0)
  }
  const read = Object.entries(defaults).map(([name, fallback]) => {
    const text = String(values[name])
    if (typeof fallback === 'string') return [name, text]
    if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}".`)
    return [name, Number(text)]
  })
  return Object.fromEntries(read) as never
}
