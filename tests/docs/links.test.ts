import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pages, readPage, repository } from './blocks.ts'

const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '')

/** Anchors as GitHub derives them from headings. */
const anchorsOf = (page: string): readonly string[] =>
  readPage(page)
    .replaceAll(/^```.*?^```$/gms, '')
    .split('\n')
    .flatMap((line) => /^#+ (.+)$/.exec(line)?.[1] ?? [])
    .map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )

describe.each([...pages, 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'])('%s', (page) => {
  it('links to files and headings that exist', () => {
    const links = [...withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const broken = links
      .filter((target) => !/^(?:https?|mailto):/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#')
        const file = path === '' ? page : join(dirname(page), path)
        // Made by `npm run screenshots -- --readme`.
        if (file.startsWith('docs/images/') && !existsSync(join(repository, 'docs/images'))) return false
        if (!existsSync(join(repository, file))) return true
        return anchor !== undefined && !anchorsOf(file).includes(anchor)
      })
    expect(broken).toEqual([])
  })
})

it('every page of docs is linked from README or from another page', () => {
  const linked = new Set(
    pages.flatMap((page) =>
      [...readPage(page).matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) => join(dirname(page), target)),
    ),
  )
  expect(pages.filter((page) => page !== 'README.md' && !linked.has(page))).toEqual([])
})
