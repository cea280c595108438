import type { FastifyInstance } from 'fastify'
import { Problem } from '../../contract/problems.ts'
import { describeJsonFault } from './describe-json-fault.ts'

/** Parses JSON bodies. A body that is not JSON is refused with the place of its first fault. */
export function parseJson(app: FastifyInstance): void {
  // We merge no bodies into objects, so `__proto__` and `constructor` are unknown fields like any other.
  const parse = app.getDefaultJsonParser('ignore', 'ignore')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    void parse(request, body, (error, value) => {
      if (error) done(new Problem('malformed_json', describeJsonFault(body)))
      else done(null, value)
    })
  })
}
