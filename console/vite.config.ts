import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import react from '@vitejs/plugin-react'
import fastify from 'fastify'
import { defineConfig, type Plugin } from 'vite'

/** The highest quality would take twenty times as long, to save a fiftieth of the size. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/** Writes compressed copies beside each file, so that the server compresses nothing itself. */
function compressFiles(folder: string): Plugin {
  return {
    name: 'compress-files',
    apply: 'build',
    async writeBundle() {
      const names = await readdir(folder, { recursive: true })
      const texts = names.filter((name) => /\.(js|css|html|svg)$/.test(name)).map((name) => join(folder, name))
      await Promise.all(
        texts.map(async (file) => {
          const text = await readFile(file)
          await writeFile(`${file}.gz`, await promisify(gzip)(text))
          await writeFile(`${file}.br`, await promisify(brotliCompress)(text, brotli))
        }),
      )
    },
  }
}

/** Copies the script of the API reference, which its package offers only through a server. */
function emitReference(): Plugin {
  return {
    name: 'emit-reference',
    apply: 'build',
    async generateBundle() {
      const app = fastify().register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
      const { body } = await app.inject('/docs/js/scalar.js')
      this.emitFile({ type: 'asset', fileName: 'docs/scalar.js', source: body })
      await app.close()
    },
  }
}

const dist = join(import.meta.dirname, 'dist')

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), emitReference(), compressFiles(dist)],
  build: { outDir: dist, emptyOutDir: true, target: 'es2023', chunkSizeWarningLimit: 800 },
  // For work on the console: `npm start` in one terminal, `npm run console` in another.
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080', '/reports': 'http://127.0.0.1:8080' } },
})
