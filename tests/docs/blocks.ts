import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const repository = join(import.meta.dirname, '../..')

/** The pages with code to run. CHANGELOG, ARCHITECTURE and CONTRIBUTING have only links to check. */
export const pages: readonly string[] = ['README.md', ...globSync('docs/*.md', { cwd: repository }).toSorted()]

export type Block = {
  readonly page: string
  /** The line of the opening fence, counted from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
  readonly note: Note
}

/** The HTML comment right before a block, which says how to run or compare it. */
type Note = {
  readonly notRun?: string
  readonly exitCode?: number
  readonly isEndless?: true
  readonly isShortened?: true
  readonly isNoAnswer?: true
}

export const readPage = (page: string): string => readFileSync(join(repository, page), 'utf8')

export function blocksOf(page: string): readonly Block[] {
  const lines = readPage(page).split('\n')
  const blocks: Block[] = []
  let open: { readonly line: number; readonly language: string } | undefined
  lines.forEach((line, index) => {
    const fence = /^```(\S*)$/.exec(line)
    if (!fence) return
    if (open) {
      const code = `${lines.slice(open.line, index).join('\n')}\n`
      blocks.push({ page, ...open, code, note: readNote(page, lines, open.line) })
      open = undefined
    } else open = { line: index + 1, language: fence[1] ?? '' }
  })
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`)
  return blocks
}

function readNote(page: string, lines: readonly string[], line: number): Note {
  const before = lines.slice(0, line - 1).findLast((each) => each.trim() !== '')
  const comment = /^<!-- (.+) -->$/.exec(before ?? '')?.[1]
  if (comment === undefined) return {}
  const [, notRun] = /^not run: (.+)$/.exec(comment) ?? []
  if (notRun !== undefined) return { notRun }
  const [, exitCode] = /^exit code (\d+)$/.exec(comment) ?? []
  if (exitCode !== undefined) return { exitCode: Number(exitCode) }
  if (comment === 'runs until stopped') return { isEndless: true }
  if (comment === 'shortened') return { isShortened: true }
  if (comment === 'not an answer') return { isNoAnswer: true }
  if (/^(begin|end) generated/.test(comment)) return {}
  throw new Error(`${page}:${line}: "${comment}" is not a known note about a block`)
}
