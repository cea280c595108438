import { parseArgs } from 'node:util'

export type Flags = {
  readonly rows: number
  readonly samples: number
  readonly seconds: number
  readonly clients: readonly number[]
  readonly json: boolean
}

/** As many connections as the engine's client opens at most: more clients would only queue for one. */
const clientsMax = 64

export const usage = `npm run bench -- [flags]

Compares synchronous queries through the API with the same SQL sent straight to the engine.

  --rows N          Facts of the large account; the ordinary one gets a twentieth (10000000)
  --samples N       Pairs of requests for each query at most (200)
  --seconds N       Time that a step may take on each side (10)
  --clients N,N,…   Concurrent clients of the throughput steps (1,8,32)
  --json            Prints the figures as one JSON object

The facts go to the system's temporary folder, and are removed at the end.
`

export class FlagsError extends Error {}

/** Returns undefined where help is asked for. */
export function readFlags(args: readonly string[]): Flags | undefined {
  const { values } = parse(args)
  if (values.help) return undefined
  return {
    rows: whole('rows', values.rows, 1_000_000_000),
    samples: whole('samples', values.samples, 100_000),
    seconds: whole('seconds', values.seconds, 3_600),
    clients: values.clients.split(',').map((text) => whole('clients', text.trim(), clientsMax)),
    json: values.json,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        rows: { type: 'string', default: '10000000' },
        samples: { type: 'string', default: '200' },
        seconds: { type: 'string', default: '10' },
        clients: { type: 'string', default: '1,8,32' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new FlagsError(error instanceof Error ? error.message : String(error))
  }
}

function whole(name: string, text: string, max: number): number {
  const value = Number(text.replaceAll('_', ''))
  if (!/^\d[\d_]*$/.test(text) || value < 1 || value > max) {
    throw new FlagsError(`--${name} takes whole numbers from 1 to ${max}, not "${text}".`)
  }
  return value
}
