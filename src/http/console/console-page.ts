import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

const built = fileURLToPath(new URL('../../../console/dist', import.meta.url))
const notBuilt =
  'The console has not been built yet. Run "npm run build" in the folder of Adcube, and start it again.\n'

/** Scripts from this server only. Styles also inline, because the component library sets them there. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

type Options = {
  /** The folder of the built console. */
  readonly consoleFolder?: string
}

/**
 * The web app: one page for all of its addresses, and its files. Also the reference of the API, which is built with
 * it.
 */
export async function consolePage(app: FastifyInstance, { consoleFolder = built }: Options): Promise<void> {
  app.get('/', async (_request, reply) => reply.redirect('/console'))
  // These addresses answer 404 instead of the page, before a body is read.
  const onRequest = async (_request: unknown, reply: FastifyReply) => reply.callNotFound()
  const nothing = async () => undefined
  app.get('/console/assets/*', { onRequest }, nothing)
  app.all('/console/api', { onRequest }, nothing)
  app.all('/console/api/*', { onRequest }, nothing)

  if (!existsSync(consoleFolder)) {
    const explain = async (_request: unknown, reply: FastifyReply) =>
      reply.status(503).type('text/plain').send(notBuilt)
    app.get('/console', explain)
    app.get('/console/*', explain)
    app.get('/docs', explain)
    return
  }
  app.register(fastifyStatic, {
    root: consoleFolder,
    prefix: '/console/',
    wildcard: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      // The names of assets change with their content.
      const isAsset = path.startsWith(join(consoleFolder, 'assets/'))
      reply.headers({
        'cache-control': isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
    },
  })
  const sendPage = async (_request: unknown, reply: FastifyReply) => reply.sendFile('index.html')
  app.get('/console', sendPage)
  app.get('/console/*', sendPage)
  app.get('/docs', async (_request, reply) => reply.sendFile('docs/index.html'))
}
