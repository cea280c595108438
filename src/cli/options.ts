import { Argument, Help, Option, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { cubes } from '../catalog/cubes.ts'
import { cube } from './parsers.ts'
import { settingRows } from './settings.ts'

const cubeNames = cubes.map(({ alias }) => alias)
export const cubeArgument = <U extends string>(usage: U) =>
  new Argument(usage, 'Name of a cube').choices(cubeNames).argParser(cube)
export const cubeOption = new Option('--cube <cube>', 'Only this cube').choices(cubeNames).argParser(cube)

export const json = new Option('--json', 'Print JSON')

const settingOptions = settingRows
  .filter(({ isSecret }) => !isSecret)
  .map(({ flag, fallback, help, choices }) => {
    const text = fallback === undefined ? help : `${help} (default: ${fallback})`
    const option = new Option(`--${flag} <${flag.split('-').at(-1)}>`, text)
    return choices ? option.choices(choices) : option
  })
const secrets = settingRows.filter(({ isSecret }) => isSecret)
const settingsHelp = `
Each option is also an environment variable: --data-dir is ADCUBE_DATA_DIR.
These can contain a password, so they are variables only:
${secrets.map(({ name, help }) => `\n${name}:\n${help}`).join('')}`

/** For commands that work on the control data. */
export const dataDir = settingOptions.find(({ long }) => long === '--data-dir') as Option<'--data-dir <dir>'>

/** Adds an option for each setting that is not a secret. */
export const withSettings = <C extends CommandUnknownOpts>(to: C): C => {
  for (const option of settingOptions) to.addOption(option)
  to.addHelpText('after', new Help().boxWrap(settingsHelp, 80))
  return to
}
