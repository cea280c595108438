import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Beside each file what the server sends of it, so that it compresses nothing itself. */
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
          await writeFile(`${file}.br`, await promisify(brotliCompress)(text))
        }),
      )
    },
  }
}

const dist = join(import.meta.dirname, 'dist')

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressFiles(dist)],
  build: { outDir: dist, emptyOutDir: true, target: 'es2023', chunkSizeWarningLimit: 800 },
  // For work on the console: `npm start` in one terminal, `npm run console` in another.
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080', '/reports': 'http://127.0.0.1:8080' } },
})
