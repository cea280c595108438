import type { Command } from '@commander-js/extra-typings'
import { once } from 'node:events'
import { withDetails } from '../command.ts'
import { openClient } from './open-client.ts'
import { baseUrl } from './options.ts'

export const define = (command: Command) =>
  withDetails(command, 'Its tools query the server that `adcube login` saved, within the limits of your account.')
    .addOption(baseUrl)
    .action(async (flags) => {
      const [{ serveStdio }, { makeMcpServer }] = await Promise.all([
        import('@modelcontextprotocol/server/stdio'),
        import('../../mcp/make-mcp-server.ts'),
      ])
      const { adcube, signal } = await openClient(flags)
      const server = serveStdio(() => makeMcpServer(adcube))
      await Promise.race([once(process.stdin, 'end'), once(signal, 'abort')])
      await server.close()
    })
