#!/usr/bin/env node
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Command } from './command.ts'
import { SettingsError } from './settings.ts'

// A third of a start was reading our own code. Where the folder cannot be written, that is all it costs.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/adcube', import.meta.url)))
// Our child processes, too.
process.env['NODE_COMPILE_CACHE'] ??= getCompileCacheDir()

type Entry = {
  readonly words: readonly string[]
  readonly summary: string
  /** Only what is asked for is read: a list of keys needs no web server. */
  readonly load: () => Promise<Command>
}

const commands: readonly Entry[] = [
  { words: ['serve'], summary: 'Runs the API', load: async () => (await import('./serve.ts')).serveCommand },
  {
    words: ['worker'],
    summary: 'Makes reports, beside servers that share its data',
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  {
    words: ['load'],
    summary: "Loads a cube's facts from files",
    load: async () => (await import('./load.ts')).loadCommand,
  },
  {
    words: ['loads'],
    summary: 'Lists what was loaded, and how it went',
    load: async () => (await import('./loads.ts')).listLoadsCommand,
  },
  {
    words: ['verify'],
    summary: 'Compares all facts and reports with what is on record of them',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  {
    words: ['backup'],
    summary: 'Makes a backup, or brings one up to date',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    words: ['restore'],
    summary: 'Makes a data folder out of a backup',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    words: ['doctor'],
    summary: 'Checks settings, machine, folders, databases and engine',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    words: ['account', 'create'],
    summary: 'Makes an account',
    load: async () => (await import('./account-create.ts')).createAccountCommand,
  },
  {
    words: ['account', 'list'],
    summary: 'Lists the accounts',
    load: async () => (await import('./account-list.ts')).listAccountsCommand,
  },
  {
    words: ['account', 'show'],
    summary: 'Shows an account',
    load: async () => (await import('./account-show.ts')).showAccountCommand,
  },
  {
    words: ['account', 'set'],
    summary: 'Changes the name, the cubes or the rate limits of an account',
    load: async () => (await import('./account-set.ts')).setAccountCommand,
  },
  {
    words: ['account', 'disable'],
    summary: 'Keeps everybody of an account out; nothing is deleted',
    load: async () => (await import('./account-disable.ts')).disableAccountCommand,
  },
  {
    words: ['account', 'enable'],
    summary: 'Lets a disabled account in again',
    load: async () => (await import('./account-disable.ts')).enableAccountCommand,
  },
  {
    words: ['user', 'create'],
    summary: 'Makes a sign-in for a person',
    load: async () => (await import('./user-create.ts')).createUserCommand,
  },
  {
    words: ['user', 'password'],
    summary: 'Gives a person another password and ends their sessions',
    load: async () => (await import('./user-password.ts')).setPasswordCommand,
  },
  {
    words: ['user', 'list'],
    summary: 'Lists the people of an account, or of all',
    load: async () => (await import('./user-list.ts')).listUsersCommand,
  },
  {
    words: ['user', 'remove'],
    summary: 'Removes a person and ends their sessions',
    load: async () => (await import('./user-remove.ts')).removeUserCommand,
  },
  {
    words: ['key', 'create'],
    summary: 'Makes an API key for an account',
    load: async () => (await import('./key-create.ts')).createKeyCommand,
  },
  {
    words: ['key', 'list'],
    summary: 'Lists the API keys of an account',
    load: async () => (await import('./key-list.ts')).listKeysCommand,
  },
  {
    words: ['key', 'delete'],
    summary: 'Deletes an API key',
    load: async () => (await import('./key-delete.ts')).deleteKeyCommand,
  },
]

/** A fault of the one who types, shown without a stack. */
const isUsageFault = (error: unknown): error is Error =>
  error instanceof SettingsError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))

function help(): string {
  const lines = commands.map(({ words, summary }) => `  adcube ${words.join(' ').padEnd(18)}${summary}`)
  return [
    'Adcube: an analytics data API for advertising.',
    '',
    ...lines,
    '',
    'adcube COMMAND --help says more.',
    '',
  ].join('\n')
}

async function main(args: readonly string[]): Promise<number> {
  const entry = commands.find(({ words }) => words.every((word, index) => args[index] === word))
  if (!entry) {
    const asked = args.length === 0 || args[0] === '--help' || args[0] === 'help'
    process.stderr.write(asked ? help() : `No such command: ${args.slice(0, 2).join(' ')}\n\n${help()}`)
    return asked && args.length > 0 ? 0 : 2
  }
  const command = await entry.load()
  const rest = args.slice(entry.words.length)
  if (rest.includes('--help')) {
    process.stderr.write(`${entry.summary}\n\n${command.usage}\n`)
    return 0
  }
  const operands = command.operands ?? []
  const { values, positionals } = parseArgs({
    args: rest,
    options: command.options,
    strict: true,
    allowPositionals: operands.length > 0,
  })
  const isOpen = operands.at(-1)?.endsWith('…') ?? false
  const least = isOpen ? operands.length - 1 : operands.length
  if (positionals.length < least || (positionals.length > least && !isOpen)) {
    throw new SettingsError([`Give ${operands.slice(0, least).join(' and ')}, once.`, '', command.usage])
  }
  return command.run(values, ...positionals)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const text = error instanceof Error ? error.message : String(error)
  process.stderr.write(isUsageFault(error) ? `${text}\n` : `adcube: ${text}\n`)
  process.exitCode = isUsageFault(error) ? 2 : 1
}
