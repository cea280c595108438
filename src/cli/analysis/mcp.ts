import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { makeMcpServer } from '../../mcp/make-mcp-server.ts'
import { withClient, type ServerFlags } from './with-client.ts'

/** Until the assistant closes its end, or somebody interrupts. */
export const mcpCommand = (flags: ServerFlags): Promise<number> =>
  withClient(flags, async (adcube, signal) => {
    const server = serveStdio(() => makeMcpServer(adcube))
    await Promise.race([once(process.stdin, 'end'), once(signal, 'abort')])
    await server.close()
    return 0
  })
