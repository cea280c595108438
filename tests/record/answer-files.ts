import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer } from './replay.ts'

const folder = join(import.meta.dirname, 'answers')
const lineMax = 140

export type Answers = Readonly<Record<string, Readonly<Record<string, Answer>>>>

/** All recorded answers, by theme and by the name of their request. */
export async function readAnswers(): Promise<Answers> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  const themes = files.map(async (name) => [
    name.replace(/\.json$/, ''),
    JSON.parse(await readFile(join(folder, name), 'utf8')),
  ])
  return Object.fromEntries(await Promise.all(themes))
}

export async function writeAnswers(answers: Answers): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  for (const [theme, ofTheme] of Object.entries(answers)) {
    const sorted = Object.entries(ofTheme).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const entries = sorted.map(([name, answer]) => `${JSON.stringify(name)}: ${printValue(answer, '')}`)
    await writeFile(join(folder, `${theme}.json`), `{\n${entries.join(',\n')}\n}\n`)
  }
}

/** JSON with a value a line, or several where they are short: two that differ, differ in few lines. */
export function printValue(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= lineMax) return flat
  const inner = `${indent}  `
  const isArray = Array.isArray(value)
  const members = isArray
    ? value.map((each: unknown) => inner + printValue(each, inner))
    : Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${printValue(each, inner)}`)
  return `${isArray ? '[' : '{'}\n${members.join(',\n')}\n${indent}${isArray ? ']' : '}'}`
}
