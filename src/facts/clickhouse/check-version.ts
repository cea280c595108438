import { ask } from './ask.ts'
import type { Server } from './connect.ts'

/**
 * The oldest release with long-term support in which an error in the middle of an answer breaks the answer off. Older
 * servers end it as if it were whole, and half a report would be taken for all of it.
 */
const oldest = [25, 3] as const

export async function checkVersion({ founder, timeouts }: Server): Promise<void> {
  const [row] = await ask<{ version: string }>(founder, { sql: 'SELECT version() AS version' }, timeouts.statementMsMax)
  const [major = 0, minor = 0] = row?.version.split('.').map(Number) ?? []
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return
  throw new Error(
    `The ClickHouse server has version ${row?.version ?? 'unknown'}; Adcube needs ${oldest.join('.')} or newer.`,
  )
}
