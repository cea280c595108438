import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Answer } from './connection.ts'
import { markers, type AccountName, type World } from './world.ts'

/** Texts of our code, our SQL, the engines or the runtime. The fuzzer sends none of them. */
const forbidden: readonly RegExp[] = [
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|GROUP BY|ORDER BY)\b[^"]{0,40}\b(?:FROM|INTO|SET|sums|NULLS)\b/,
  /read_parquet|list_contains|unnest\(|nullIf\(|begin immediate/,
  /\b(?:Binder|Parser|Catalog|Conversion|Constraint|INTERNAL|IO|INTERRUPT|Out of Memory|Invalid Input|Fatal) Error\b/,
  /SQLITE_|sqlite|constraint failed|no such (?:table|column)|syntax error at/i,
  /\bat (?:async )?[\w.<>#[\] ]+ \(?(?:file|node):/,
  /node:internal|node_modules|\.ts:\d+/,
  /\.parquet\b|adcube\.db|facts_0/,
  /E(?:NOENT|ACCES|PERM|ISDIR|MFILE|BADF)\b/,
]

/** The answers of /readyz and of /mcp that are no problems. */
const ownShapes = /^\{"(?:status":"not ready"|jsonrpc":)/

const keyForm = /adc_[0-9A-Za-z]{46}/

/** Finds texts that nobody, or not this account, may see. */
export async function makeInspector(world: World, dataFolder: string) {
  const readme = await readFile('docs/errors.md', 'utf8')
  const documented = new Set([...readme.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))
  const places = [dataFolder, resolve('.'), process.env.HOME ?? '/root'].filter((place) => place.length > 3)

  const inspectText = (text: string, by: AccountName | undefined): string | undefined => {
    const lower = text.toLowerCase()
    const seen = markers.find(({ account, marker }) => account !== by && lower.includes(marker))
    if (seen) return `a value of the account ${seen.account}`
    const secret = [...world.secrets, ...Object.values(world.sessions)].find(
      (each) => each !== '' && text.includes(each),
    )
    if (secret !== undefined) return 'a secret'
    const place = places.find((each) => text.includes(each))
    if (place !== undefined) return `the path ${place}`
    const found = forbidden.map((pattern) => pattern.exec(text)?.[0]).find((match) => match !== undefined)
    return found === undefined ? undefined : `inner workings: ${found}`
  }

  const inspectError = ({ status, headers, body }: Answer, isHead: boolean): string | undefined => {
    if (headers.get('content-type') !== 'application/problem+json; charset=utf-8')
      return `a ${status} that is no problem but ${headers.get('content-type')}`
    if (isHead) return undefined
    let problem: Record<string, unknown>
    try {
      problem = JSON.parse(body.toString()) as Record<string, unknown>
    } catch {
      return 'a problem that is no JSON'
    }
    if (typeof problem.code !== 'string' || !documented.has(problem.code))
      return `the code ${String(problem.code)}, which docs/errors.md does not have`
    if (problem.status !== status) return `a ${status} that says ${String(problem.status)}`
    if (typeof problem.request_id !== 'string' || problem.request_id === '') return 'a problem without a request_id'
    const id = headers.get('x-request-id')
    if (id !== undefined && id !== problem.request_id) return 'another request_id than in the header'
    if ([429, 503].includes(status) && !headers.has('retry-after')) return `a ${status} without Retry-After`
    if (status === 405 && !headers.has('allow')) return 'a 405 without Allow'
    return undefined
  }

  return {
    /** Lists problems of an answer to a request of this account, or of none. */
    inspect: (answer: Answer, by: AccountName | undefined, isHead: boolean): string | undefined => {
      const { status, head, body } = answer
      if (status >= 500 && status !== 503 && status !== 504) return `a ${status}: ${body.toString().slice(0, 300)}`
      const text = body.toString()
      const isNewKey = status === 201 && text.includes('"key":')
      return (
        inspectText(head, by) ??
        inspectText(text, by) ??
        (keyForm.test(text) && !isNewKey ? 'an API key' : undefined) ??
        (status >= 400 && !ownShapes.test(text) ? inspectError(answer, isHead) : undefined)
      )
    },

    /** Lists problems of the server's log. It may contain the ids of accounts, and nothing else of them. */
    inspectLog: (log: string): string[] =>
      log.split('\n').flatMap((line) => {
        const found = inspectText(line, undefined) ?? (keyForm.test(line) ? 'an API key' : undefined)
        return found === undefined ? [] : [`${found}: ${line.slice(0, 400)}`]
      }),
  }
}
