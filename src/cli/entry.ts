import { Command, Help, Option } from 'commander'
import { secretSettings, settingFlags } from './settings.ts'

const settings = settingFlags.map(({ flag, fallback, help, legal }) => {
  const usage = `--${flag} <${flag.split('-').at(-1)}>`
  const option = new Option(usage, fallback === '' ? help : `${help} (default: ${fallback})`)
  return legal ? option.choices(legal) : option
})
const dataDir = settings.find(({ long }) => long === '--data-dir')!
export const json = new Option('--json', 'Print JSON')

const settingsHelp = `
Each option is also an environment variable: --data-dir is ADCUBE_DATA_DIR.
These can contain a password, so they are variables only:
${secretSettings.map(({ name, help }) => `\n${name}:\n${help}`).join('')}`

/** A command, with what several of ours have in common. */
export class Entry extends Command {
  override createCommand(name?: string): Entry {
    return new Entry(name).helpCommand(false)
  }

  /** What its own help says below the description, which lists and completion show, too. */
  details(text: string): this {
    return this.configureHelp({
      ...this.configureHelp(),
      commandDescription: (command) => `${command.description()}.\n\n${text}`,
    })
  }

  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n'))
  }

  takes(...options: readonly Option[]): this {
    for (const option of options) this.addOption(option)
    return this
  }

  /** For commands about the control data. */
  store(): this {
    return this.takes(dataDir, json)
  }

  settings(): this {
    return this.takes(...settings).addHelpText('after', new Help().boxWrap(settingsHelp, 80))
  }

  /** Loads what it runs when it is run: a list of keys needs no web server. What it returns is the exit code. */
  run(load: () => Promise<(flags: never, ...operands: never[]) => Promise<number>>): this {
    return this.action(async (...args) => {
      const command = await load()
      // Commander passes the operands, the flags and this object.
      const [operands, flags] = [args.slice(0, -2) as never[], args.at(-2) as never]
      process.exitCode = await command(flags, ...operands)
    })
  }
}
