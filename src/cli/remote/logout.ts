import { rm } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import { credentialsFile } from './credentials.ts'

export const define = (command: Command) =>
  command.action(async () => {
    const file = credentialsFile(process.env)
    await rm(file, { force: true })
    process.stderr.write(`Removed ${file}. The key stays valid until it expires or is deleted.\n`)
  })
