import type { Command } from '@commander-js/extra-typings'
import { describeFormula, type Cube } from '../../catalog/cube.ts'
import { cubes } from '../../catalog/cubes.ts'
import { examples } from '../command.ts'
import { cubeOption, json } from '../options.ts'
import { drawTable } from '../draw-table.ts'
import { print } from '../output.ts'

export const define = (command: Command) =>
  command
    .argument('[words...]', 'Only fields with all of these words in their name, description or formula')
    .addOption(cubeOption)
    .addOption(json)
    .addHelpText('after', examples('adcube fields revenue', 'adcube fields --cube auctions video rate'))
    .action((words, flags) => {
      const wanted = words.map((word) => word.toLowerCase())
      const found = cubes
        .filter((cube) => flags.cube === undefined || cube === flags.cube)
        .flatMap(fieldsOf)
        .filter((field) => {
          const text = Object.values(field).join(' ').toLowerCase()
          return wanted.every((word) => text.includes(word))
        })
      print(flags, found, found.length === 0 ? 'No field matches.\n' : draw(found))
    })

type Field = ReturnType<typeof fieldsOf>[number]

const fieldsOf = ({ alias: cube, dimensions, metrics }: Cube) => [
  ...dimensions.map(({ name, type, description }) => {
    return { cube, name, kind: 'dimension', type, description, formula: null }
  }),
  ...metrics.map(({ name, unit: type, description, formula }) => {
    return { cube, name, kind: 'metric', type, description, formula: describeFormula(formula) }
  }),
]

function draw(fields: readonly Field[]): string {
  const columns = [{ name: 'FIELD' }, { name: 'TYPE' }, { name: 'DESCRIPTION', overflow: 'wrap' as const }]
  return Map.groupBy(fields, ({ cube, kind }) => `${kind === 'metric' ? 'Metrics' : 'Dimensions'} of ${cube}`)
    .entries()
    .map(([title, group]) => {
      const rows = group.map(({ name, type, description, formula }) => [
        name,
        type,
        formula === null ? description : `${description}; ${formula}`,
      ])
      return `${title}\n\n${drawTable(columns, rows, { width: process.stdout.columns })}`
    })
    .toArray()
    .join('\n')
}
