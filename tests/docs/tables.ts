import { cubes } from '../../src/catalog/cubes.ts'
import { describeFormula } from '../../src/catalog/cube.ts'
import { commandLine } from '../../src/cli/commands.ts'
import { clientSettings, settingRows } from '../../src/cli/settings.ts'

type Table = { readonly heading: string; readonly columns: readonly string[]; readonly rows: readonly string[][] }

const code = (text: string): string => (text === '' ? '' : `\`${text}\``)

const settingsTables = (): readonly Table[] => [
  {
    heading: 'All settings',
    columns: ['Setting', 'Default', 'Meaning'],
    rows: settingRows.map(({ name, fallback = '', help, choices }) => [
      code(name),
      code(fallback),
      choices && !help.includes('`') ? `${help}: ${choices.map(code).join(', ')}` : help,
    ]),
  },
  {
    heading: 'Settings of the analysis commands',
    columns: ['Setting', 'Meaning'],
    rows: clientSettings.map(({ name, help }) => [code(name), help]),
  },
]

const program = await commandLine(() => true)

type Command = typeof program

const commandRows = (before: string, { commands }: Command): string[][] =>
  commands.flatMap((command) => {
    const path = `${before}${command.name()}`
    if (command.commands.length > 0) return commandRows(`${path} `, command)
    const usage = command.usage().replace(/\[(?:options|command)\] ?/g, '')
    return [[code(`${path} ${usage}`.trim()), command.description()]]
  })

const commandsTable = (): Table => ({
  heading: 'All commands',
  columns: ['Command', 'What it does'],
  rows: commandRows('', program),
})

const catalogTables = (): readonly Table[] =>
  cubes.flatMap(({ alias, dimensions, metrics }) => [
    {
      heading: `Metrics of ${alias}`,
      columns: ['Metric', 'Unit', 'Formula', 'Meaning'],
      rows: metrics.map(({ name, unit, formula, description }) => [
        name,
        unit,
        code(describeFormula(formula)),
        description,
      ]),
    },
    {
      heading: `Dimensions of ${alias}`,
      columns: ['Dimension', 'Column in files', 'Meaning'],
      rows: dimensions.map(({ name, column, description }) => [name, code(column), description]),
    },
  ])

/** Tables that are generated from the code. `npm run docs:tables` writes them. */
export const tablesOf: Readonly<Record<string, () => readonly Table[]>> = {
  'docs/command-line.md': () => [commandsTable()],
  'docs/settings.md': settingsTables,
  'docs/metrics.md': catalogTables,
}

const draw = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** Replaces the tables below the headings of a page. */
export function writeTables(page: string, tables: readonly Table[]): string {
  return tables.reduce((text, { heading, columns, rows }) => {
    const table = [draw(columns), draw(columns.map(() => '---')), ...rows.map(draw)].join('\n')
    const section = new RegExp(String.raw`(^## ${heading}\n(?:(?!\n## |\n\|).|\n(?!## |\|))*\n)(?:\|.*\n?)*`, 'm')
    if (!section.test(text)) return `${text.trimEnd()}\n\n## ${heading}\n\n${table}\n`
    return text.replace(section, (_, before: string) => `${before}${table}\n`)
  }, page)
}

/** Returns the trimmed cells of every table row of a page. */
export const cellsOf = (page: string): readonly string[][] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|:-]+\|$/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
