import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { blocksOf, pages, repository, type Block } from './blocks.ts'
import { openPlayground } from './playground.ts'
import { checkTypes, runEndless, runPython, runShell, runSql, runTypeScript, type Place } from './run-block.ts'
import { differences, plainLine } from './shape.ts'
import { openUnsteadyProxy } from './unsteady-proxy.ts'

/** Configuration of other programs, and drawings: nothing here can run or read them. */
const unread = ['nginx', 'caddyfile']
/** What changes the machine itself, and so must never be run by a test. */
const changesMachine =
  /npm (?:ci|start|test|run)|npx|docker|systemctl|systemd-run|apt-get|useradd|sudo|createdb|\/etc\/|\/opt\/|\/srv\/|\/var\/lib\//
/** What needs a terminal, or a server that a build machine does not have. */
const needsMore = /alias|adcube login|pg_dump|sqlite3|BACKUP DATABASE|RESTORE DATABASE|ADCUBE_CLICKHOUSE_URL/

const python = ['python3', '/usr/bin/python3'].find((name) => {
  try {
    execFileSync(name, ['-c', 'import requests, pandas'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

const playground = await openPlayground()
/** Runs a block; what it prints, if it prints. */
async function run(block: Block, next: Block | undefined, place: Place): Promise<string | undefined> {
  const { note } = block
  if (note.isEndless) return runEndless(block, place).then(() => undefined)
  switch (block.language) {
    case 'sh':
      return runShell(block, place, next?.language === 'text')
    case 'python':
      return python === undefined ? undefined : runPython(block, place, python)
    case 'ts':
      return runTypeScript(block, place)
    case 'sql':
      return runSql(block, place)
    default:
      return undefined
  }
}

const isRun = ({ language }: Block): boolean => ['sh', 'python', 'ts', 'sql'].includes(language)

/** What a page shows after a block, beside what the block has printed. */
function compare(shown: Block, printed: string): void {
  const at = `${shown.page}:${shown.line} is an answer like the real one:\n${printed}`
  const isShortened = shown.note.isShortened === true
  const real = printed.split('\n').map(plainLine)
  switch (shown.language) {
    case 'json': {
      expect(differences(JSON.parse(shown.code), JSON.parse(printed), { isShortened }), at).toEqual([])
      break
    }
    case 'csv': {
      const [header, ...lines] = shown.code.trim().split('\n')
      expect(printed.split(/\r?\n/, 1)[0], at).toBe(header)
      for (const line of lines) expect(line.split(',').length, at).toBe(header?.split(',').length)
      break
    }
    case 'text': {
      // Every heading and every message; figures and names differ from day to day.
      const [heading = ''] = shown.code.split('\n').map(plainLine)
      expect(real, at).toContain(heading)
      break
    }
    case 'http': {
      const names = shown.code.split('\n').map((line) => line.split(':', 1)[0]?.toLowerCase())
      const present = printed.split(/\r?\n/).map((line) => line.split(':', 1)[0]?.toLowerCase())
      for (const name of names.filter((each) => each !== '' && !each?.startsWith('http'))) {
        expect(present, at).toContain(name)
      }
      break
    }
    default:
      break
  }
}

describe.concurrent('the code', () => {
  it.each(pages)('of %s does what the page says', { timeout: 240_000 }, async (page) => {
    const blocks = blocksOf(page)
    const harmful = blocks.filter(
      ({ language, code, note }) => language === 'sh' && note.notRun === undefined && changesMachine.test(code),
    )
    expect(harmful.map(({ line }) => `${page}:${line} changes the machine`)).toEqual([])
    const folder = await playground.openFolder(page.replaceAll(/\W/g, '-'))
    // A script that asks for ranges knows how to go on.
    const resumes = blocks.some(({ language, code }) => language === 'python' && code.includes('Range'))
    const proxy = await openUnsteadyProxy(playground.url, { breaksDownloads: resumes })
    const place = { playground, folder, proxyUrl: proxy.url }
    const compiler = join(repository, 'node_modules/.bin/tsc')
    await checkTypes(
      blocks.filter(({ language }) => language === 'ts'),
      place,
      compiler,
    )
    let printed: string | undefined
    for (const [index, block] of blocks.entries()) {
      if (block.note.notRun !== undefined) {
        printed = undefined
        continue
      }
      if (isRun(block)) {
        printed = await run(block, blocks[index + 1], place)
        continue
      }
      if (block.language === 'json') JSON.parse(block.code)
      else if (block.language === 'yaml') parseYaml(block.code)
      else if (!['text', 'csv', 'http', ...unread].includes(block.language)) {
        expect.fail(`${page}:${block.line}: nobody knows how to run or read "${block.language}"`)
      }
      if (printed !== undefined && block.note.isNoAnswer !== true) compare(block, printed)
      printed = undefined
    }
    if (python !== undefined && resumes) {
      expect(proxy.happened).toEqual(new Set(['limited', 'broken off', 'resumed']))
    }
  })
})

it('is left out only for a reason, and this is all that is', () => {
  const left = pages.flatMap(blocksOf).filter(({ note }) => note.notRun !== undefined)
  for (const { page, line, code } of left) {
    expect(changesMachine.test(code) || needsMore.test(code), `${page}:${line} could be run`).toBe(true)
  }
  expect(left.map(({ page, note }) => `${page}: ${note.notRun}`)).toMatchInlineSnapshot(`
    [
      "README.md: installs the packages and starts the server that the other examples use",
      "README.md: installs the packages and runs all tests",
      "README.md: an alias lasts as long as its shell",
      "docs/command-line.md: an alias lasts as long as its shell",
      "docs/command-line.md: asks for the key on a terminal",
      "docs/getting-started.md: installs the packages and starts the server that the other examples use",
      "docs/getting-started.md: an alias lasts as long as its shell",
      "docs/operations.md: installs a service on the machine",
      "docs/operations.md: needs systemd",
      "docs/operations.md: needs Docker",
      "docs/operations.md: needs the tools of PostgreSQL",
      "docs/operations.md: needs the tools of PostgreSQL",
      "docs/operations.md: needs the sqlite3 program",
      "docs/operations.md: needs a ClickHouse server that may write backups",
      "docs/operations.md: needs a ClickHouse server that may write backups",
      "docs/performance.md: takes ten minutes and all of the machine",
    ]
  `)
})

if (python === undefined) it.skip('Python blocks need python3-requests and python3-pandas')
