import type { FastifyInstance, HTTPMethods } from 'fastify'
import { Problem } from '../../contract/problems.ts'

/** Answers 405 on known paths, with the methods that each takes. */
export function refuseOtherMethods(
  app: FastifyInstance,
  allowed: Readonly<Record<string, readonly HTTPMethods[]>>,
): void {
  for (const [url, methods] of Object.entries(allowed)) {
    const allow = methods.join(', ')
    app.route({
      url,
      method: app.supportedMethods.filter((method) => !methods.includes(method)),
      // Before the body is read: what it holds does not matter.
      onRequest: async (request) => {
        throw new Problem('method_not_allowed', `${request.method} is not allowed here. Use ${allow}.`, {
          headers: { allow },
        })
      },
      handler: async () => undefined,
    })
  }
}
