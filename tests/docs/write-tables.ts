/** Updates the generated tables in the documents. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPage, repository } from './blocks.ts'
import { tablesOf, writeTables } from './tables.ts'

for (const [page, tables] of Object.entries(tablesOf)) {
  writeFileSync(join(repository, page), writeTables(readPage(page), tables()))
}
execFileSync('oxfmt', Object.keys(tablesOf), { cwd: repository, stdio: 'inherit' })
