import type { FastifyInstance } from 'fastify'
import { Problem } from '../../contract/problems.ts'
import { describeJsonFault } from './describe-json-fault.ts'
import { isDeeper } from './json-depth.ts'

/** More than any body of ours has. A megabyte of brackets keeps JSON.parse busy for a fifth of a second. */
const levelsMax = 50
const tooDeep = new Problem('malformed_json', `The body is nested deeper than ${levelsMax} levels.`)

/** Parses JSON bodies. Deeply nested ones are refused before, and others that are not JSON with the place of the fault. */
export function parseJson(app: FastifyInstance): void {
  // We merge no bodies into objects, so `__proto__` and `constructor` are unknown fields like any other.
  const parse = app.getDefaultJsonParser('ignore', 'ignore')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isDeeper(body, levelsMax)) return done(tooDeep)
    void parse(request, body, (error, value) => {
      if (error) done(new Problem('malformed_json', describeJsonFault(body)))
      else done(null, value)
    })
  })
}
