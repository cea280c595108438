import { ClickHouseError } from '@clickhouse/client'
import { quote } from '../query/faults.ts'

type Fault = { readonly row: number | null; readonly column: string | null; readonly reason: string }

/**
 * What the engine says about a file that it cannot read, in plain words; undefined where the file is not to blame. What
 * it says about an address is not shown as it is: the whole address, with password and signature, may stand in it.
 */
export function explainFault(error: unknown, isAddress: boolean): Fault | undefined {
  if (!(error instanceof ClickHouseError)) return undefined
  const { message, code, type = code } = error
  const row = Number(/\(at row (\d+)\)/.exec(message)?.[1]) || null
  const column = /while reading the value of key ([^)]+)\)/.exec(message)?.[1] ?? null
  const fault = (reason: string, named: string | null = column): Fault => ({ row, column: named, reason })

  const unknown = /(Unknown|Duplicate) field found while parsing JSONEachRow format: ([^\n]*?): \(at row/.exec(message)
  if (unknown) {
    const name = unknown[2] ?? ''
    return unknown[1] === 'Duplicate'
      ? fault('is there twice', name)
      : fault(`${quote(name)} is no column here, or has another name in the rows before`, null)
  }
  if (/less columns than expected/.test(message)) return fault('has fewer fields than the header')
  if (/more columns than expected/.test(message)) return fault('has more fields than the header')
  if (/Array does not start with/.test(message)) return fault('is not a list')
  if (code === '209') return fault('paused for longer than the engine waits, its http_receive_timeout')
  if (row !== null) return fault(/JSON/.test(message) ? 'is not JSON that can be read' : 'cannot be read')
  if (isAddress && addressCodes.has(code))
    return fault('cannot be fetched: there is no such file, or it may not be read')
  if (/parquet/i.test(message)) return fault('is not a whole Parquet file')
  return isAddress ? fault(`cannot be read, the engine says ${type}`) : undefined
}

/** CANNOT_OPEN_FILE, RECEIVED_ERROR_FROM_REMOTE_IO_SERVER, DNS_ERROR, NETWORK_ERROR, S3_ERROR, HTTP_CONNECTION_… */
const addressCodes = new Set(['76', '86', '198', '210', '499', '1000'])
