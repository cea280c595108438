import { ask } from './ask.ts'
import type { Server } from './connect.ts'

const everyMs = 1_000
/** What has been read is sorted and sent after that, so the end is told by the end alone. */
const shareMax = 0.99

/** Tells how much of what a statement reads has been read, by the server's own count, until it is disposed of. */
export function watchProgress(
  { writer, timeouts }: Server,
  queryId: string,
  onProgress: (share: number) => void,
): Disposable {
  let isAsking = false
  let isOver = false
  let told = 0
  const look = async (): Promise<void> => {
    const sql = `SELECT read_rows / total_rows_approx AS share FROM system.processes
      WHERE query_id = {queryId:String} AND total_rows_approx > 0`
    const [row] = await ask<{ share: number }>(writer, { sql, params: { queryId } }, timeouts.statementMsMax)
    const share = Math.min(row?.share ?? 0, shareMax)
    if (isOver || share <= told) return
    told = share
    onProgress(share)
  }
  const timer = setInterval(() => {
    if (isAsking) return
    isAsking = true
    // Progress is for people to look at; what is wrong shows in the statement itself.
    look()
      .catch(() => {})
      .finally(() => (isAsking = false))
  }, everyMs)
  return {
    [Symbol.dispose]: () => {
      isOver = true
      clearInterval(timer)
    },
  }
}
