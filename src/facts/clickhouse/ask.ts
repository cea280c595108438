import { text } from 'node:stream/consumers'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import type { Statement } from '../compile.ts'
import { send } from './send.ts'
import { withDeadline } from '../errors.ts'
import { toFactsError } from './trouble.ts'

type Question = { readonly sql: string; readonly params?: Statement['params'] }

/** The rows that answer a question of our own. */
export async function ask<Row>(client: ClickHouseClient, { sql, params }: Question, msMax: number): Promise<Row[]> {
  const settings = { output_format_json_quote_64bit_integers: 0 } as const
  const answer = await run(client, { sql: `${sql}\nFORMAT JSONEachRow`, params }, msMax, settings)
  return linesOf(answer).map((line) => JSON.parse(line) as Row)
}

/** Has the server do something, and waits until it is done. */
export async function tell(
  client: ClickHouseClient,
  order: Question,
  msMax: number,
  settings: ClickHouseSettings = {},
): Promise<void> {
  await run(client, order, msMax, settings)
}

/** The answer as the server writes it, to a statement that takes no FORMAT. */
export const askPlain = (client: ClickHouseClient, question: Question, msMax: number): Promise<string> =>
  run(client, question, msMax, {})

const run = (
  client: ClickHouseClient,
  { sql, params = {} }: { readonly sql: string; readonly params?: Statement['params'] | undefined },
  msMax: number,
  settings: ClickHouseSettings,
): Promise<string> =>
  withDeadline({ msMax, toFactsError }, async (signal) =>
    // An error half-way comes as an error only if the server waits for the end.
    text(await send(client, { sql, params }, { settings: { ...settings, wait_end_of_query: 1 }, signal })),
  )

export const linesOf = (answer: string): string[] => answer.split('\n').filter((line) => line !== '')
