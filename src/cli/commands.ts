import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import { version } from '../version.ts'
import { command } from './command.ts'

/** A file in `local` or `remote`. It adds arguments, options, help and action to a command. */
type CommandFile = { define(command: Command): CommandUnknownOpts }

/** All commands, in the order of `adcube --help`. A file is imported if its command is used. */
const groups: Readonly<
  Record<string, Readonly<Record<string, readonly [summary: string, file: () => Promise<CommandFile>]>>>
> = {
  'The service:': {
    serve: ['Run the server: API, console and reports', () => import('./local/serve.ts')],
    worker: ['Make reports, next to servers that share its data', () => import('./local/worker.ts')],
    doctor: ['Check settings, machine, folders, databases and engine', () => import('./local/doctor.ts')],
  },
  'Data:': {
    load: ["Load a cube's facts from files", () => import('./local/load.ts')],
    loads: ['List loads and their outcome', () => import('./local/loads.ts')],
    retire: ['Show facts that are too old, and confirm that they are deleted', () => import('./local/retire.ts')],
    verify: ['Compare all facts and reports with their recorded checksums', () => import('./local/verify.ts')],
    backup: ['Create or update a backup', () => import('./local/backup.ts')],
    restore: ['Restore a backup to a new data folder', () => import('./local/restore.ts')],
  },
  'Accounts:': {
    account: ['Create, list, show, change, disable and enable accounts', () => import('./local/account.ts')],
    user: ['Create, list and remove sign-ins, and change passwords', () => import('./local/user.ts')],
    key: ['Create, list and delete API keys', () => import('./local/key.ts')],
  },
  'Analysis:': {
    login: ['Save the address of a server and an API key', () => import('./remote/login.ts')],
    logout: ['Remove what `adcube login` saved', () => import('./remote/logout.ts')],
    query: ['Ask for rows of a cube', () => import('./remote/query.ts')],
    report: ['Make a CSV report and download it', () => import('./remote/report.ts')],
    jobs: ['List the jobs of the last 24 hours, newest first', () => import('./remote/jobs.ts')],
    cancel: ['Cancel a job, or delete a finished one and its report', () => import('./remote/cancel.ts')],
    ranges: ['Show the first and last day loaded, for each cube', () => import('./remote/ranges.ts')],
    fields: ['Show dimensions and metrics, with formulas; needs no server', () => import('./remote/fields.ts')],
    mcp: ['Run the MCP server on standard input and output, for AI assistants', () => import('./remote/mcp.ts')],
  },
}

/** Makes the command line. Commands that are not used have a summary only. */
export async function commandLine(isUsed: (name: string) => boolean): Promise<CommandUnknownOpts> {
  const program = command('adcube', 'Adcube: an analytics data API for advertising.')
  program.version(version, '--version', 'Show the version')
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const [name, [summary, file]] of Object.entries(commands)) {
      const each = command(name, summary)
      program.addCommand(isUsed(name) ? (await file()).define(each) : each)
    }
  }
  program.commandsGroup('More:').helpCommand('help [command]', 'Show the help of a command')
  if (isUsed('complete')) (await import('./completion.ts')).addCompletion(program)
  else program.addCommand(command('complete', 'Generate shell completion scripts'))
  return program
}
