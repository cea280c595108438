#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { createAccountCommand } from './account-create.ts'
import { disableAccountCommand, enableAccountCommand } from './account-disable.ts'
import { listAccountsCommand } from './account-list.ts'
import { setAccountCommand } from './account-set.ts'
import { showAccountCommand } from './account-show.ts'
import { createKeyCommand } from './key-create.ts'
import { deleteKeyCommand } from './key-delete.ts'
import { listKeysCommand } from './key-list.ts'
import { serveCommand } from './serve.ts'
import { SettingsError } from './settings.ts'
import { createUserCommand } from './user-create.ts'
import { listUsersCommand } from './user-list.ts'
import { setPasswordCommand } from './user-password.ts'
import { removeUserCommand } from './user-remove.ts'
import type { Command } from './command.ts'

const commands: readonly Command[] = [
  serveCommand,
  createAccountCommand,
  listAccountsCommand,
  showAccountCommand,
  setAccountCommand,
  disableAccountCommand,
  enableAccountCommand,
  createUserCommand,
  setPasswordCommand,
  listUsersCommand,
  removeUserCommand,
  createKeyCommand,
  listKeysCommand,
  deleteKeyCommand,
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
  const command = commands.find(({ words }) => words.every((word, index) => args[index] === word))
  if (!command) {
    const asked = args.length === 0 || args[0] === '--help' || args[0] === 'help'
    process.stderr.write(asked ? help() : `No such command: ${args.slice(0, 2).join(' ')}\n\n${help()}`)
    return asked && args.length > 0 ? 0 : 2
  }
  const rest = args.slice(command.words.length)
  if (rest.includes('--help')) {
    process.stderr.write(`${command.summary}\n\n${command.usage}\n`)
    return 0
  }
  const operands = command.operands ?? []
  const { values, positionals } = parseArgs({
    args: rest,
    options: command.options,
    strict: true,
    allowPositionals: operands.length > 0,
  })
  if (positionals.length !== operands.length) {
    throw new SettingsError([`Give ${operands.join(' and ')}, once.`, '', command.usage])
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
