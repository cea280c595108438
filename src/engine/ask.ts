import type { ClickHouseClient } from '@clickhouse/client'
import type { Engine } from './engine.ts'
import { toEngineError } from './errors.ts'

type Question = Omit<Parameters<ClickHouseClient['query']>[0], 'format'>
type Order = Parameters<ClickHouseClient['command']>[0]

const pingMsMax = 10_000

/** The rows that answer a question of our own, as the user who may change our tables. */
export async function ask<Row>(engine: Engine, question: Question): Promise<Row[]> {
  try {
    return await (await engine.writer().query({ ...question, format: 'JSONEachRow' })).json<Row>()
  } catch (error) {
    throw toEngineError(error)
  }
}

export async function tell(engine: Engine, order: Order): Promise<void> {
  try {
    await engine.writer().command(order)
  } catch (error) {
    throw toEngineError(error)
  }
}

/** Whether queries are answered. */
export async function isUp(engine: Engine): Promise<boolean> {
  try {
    return (await engine.reader().ping({ select: true, abort_signal: AbortSignal.timeout(pingMsMax) })).success
  } catch {
    return false
  }
}
