import { McpServer, type CallToolResult } from '@modelcontextprotocol/server'
import { AdcubeError, type Adcube } from '../client/index.ts'
import { version } from '../version.ts'
import { defineTools } from './tools.ts'

const instructions = `Auction and ad-server data of one publisher account, by UTC day.
Call list_ranges first: it returns the available days. list_fields finds the names of dimensions and metrics.
query answers small questions directly; start_report and get_job make a CSV report for large ones.
Calls count against the account's rate limits (five queries a minute), so request several metrics in one query.
Ratios such as eCPM are computed from sums: never average them; query the grouping you need.`

/** Made once, because compiling their schemas takes ten milliseconds. */
let tools: ReturnType<typeof defineTools> | undefined

/** Makes a server whose tools call the API, with the key and the limits of an account. */
export function makeMcpServer(adcube: Adcube): McpServer {
  const server = new McpServer({ name: 'adcube', title: 'Adcube', version }, { instructions })
  tools ??= defineTools()
  for (const { name, config, call } of tools) {
    server.registerTool(name, config, async (given) => {
      try {
        return answer(await call(adcube, given))
      } catch (error) {
        return { ...answer(explain(error)), isError: true }
      }
    })
  }
  return server
}

const answer = (data: unknown): CallToolResult => ({
  content: [{ type: 'text', text: typeof data === 'string' ? data : JSON.stringify(data) }],
})

function explain(error: unknown): string {
  if (!(error instanceof AdcubeError)) return 'Something went wrong. Try again.'
  const wait = error.retryAfterSeconds === undefined ? '' : `\nTry again in ${error.retryAfterSeconds} seconds.`
  return `${error.message}${wait}`
}
