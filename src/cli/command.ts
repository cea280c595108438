import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'

/** Makes a command. */
export const command = (name: string, summary: string): Command =>
  new Command(name)
    .description(summary)
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (each) => each.name() })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'adcube:')) })
    .exitOverride()

/** Adds details to the help of a command, below the summary, which is all that lists and completion show. */
export const withDetails = <C extends CommandUnknownOpts>(to: C, details: string): C => {
  const commandDescription = (): string => `${to.description()}.\n\n${details}`
  to.configureHelp({ ...to.configureHelp(), commandDescription })
  return to
}

/** Returns the text of examples, for the end of the help of a command. */
export const examples = (...lines: readonly string[]): string =>
  ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n')
