import type { FastifyInstance, FastifyPluginAsync, FastifyPluginOptions } from 'fastify'
import { Problem } from '../../contract/problems.ts'

/** The order in which Allow lists methods. */
const methodOrder = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A plugin that also answers 405, with Allow, to all other methods of the paths that its routes have. */
export function refuseOtherMethods<Options extends FastifyPluginOptions>(
  routes: (app: FastifyInstance, options: Options) => Promise<void>,
): FastifyPluginAsync<Options> {
  return async (app, options) => {
    const methodsOf = new Map<string, Set<string>>()
    app.addHook('onRoute', ({ url, method }) => {
      const path = url.slice(app.prefix.length)
      methodsOf.set(path, (methodsOf.get(path) ?? new Set()).union(new Set([method].flat())))
    })
    await routes(app, options)
    // Plugins load in order: this one after all those that `routes` has registered.
    app.register(async () => {
      for (const [path, methods] of methodsOf) addRefusal(app, path, methods)
    })
  }
}

function addRefusal(app: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const refused = app.supportedMethods.filter((method) => !methods.has(method))
  if (refused.length === 0) return
  const allow = methodOrder.filter((method) => methods.has(method)).join(', ')
  app.route({
    url,
    method: refused,
    // Before the body is read, because its content does not matter.
    onRequest: async (request) => {
      throw new Problem('method_not_allowed', `${request.method} is not allowed here. Use ${allow}.`, {
        headers: { allow },
      })
    },
    handler: async () => undefined,
  })
}
