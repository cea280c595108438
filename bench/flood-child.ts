/** Sends many heavy queries at once, from a process of its own so that this does not delay what is measured beside it. */
import { send, type Caller } from './api.ts'

export type Flood = { readonly caller: Caller; readonly body: object; readonly queries: number }

const { caller, body, queries } = JSON.parse(process.argv[2] ?? '') as Flood
const answers = await Promise.all(
  Array.from({ length: queries }, (_, index) => {
    const filters = [{ field: 'OS Version', operator: 'not in', values: [`os_version ${index}`] }]
    return send(caller, '/v2/data/synchronous?cube=auctions', { ...body, filters })
  }),
)
process.send?.(answers.map(({ status }) => status))
