import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { blocksOf, pages, repository, type Block } from './blocks.ts'
import { openPlayground } from './playground.ts'
import { checkTypes, runEndless, runPython, runShell, runSql, runTypeScript, type Workspace } from './run-block.ts'
import { differences, plainLine } from './shape.ts'
import { openFlakyProxy } from './flaky-proxy.ts'

/** Configuration of other programs, which nothing here can run or parse. */
const unparsed = ['nginx', 'caddyfile']
/** Commands that change the machine. Never run them in a test. */
const changesMachine =
  /npm (?:ci|start|test|run)|npx|docker|systemctl|systemd-run|apt-get|useradd|sudo|createdb|\/etc\/|\/opt\/|\/srv\/|\/var\/lib\//
/** Commands that need a terminal, or a server that a build machine does not have. */
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
/** Runs a block and returns its output, if it has any. */
async function run(block: Block, next: Block | undefined, workspace: Workspace): Promise<string | undefined> {
  const { note } = block
  if (note.isEndless) return runEndless(block, workspace).then(() => undefined)
  switch (block.language) {
    case 'sh':
      return runShell(block, workspace, next?.language === 'text')
    case 'python':
      return python === undefined ? undefined : runPython(block, workspace, python)
    case 'ts':
      return runTypeScript(block, workspace)
    case 'sql':
      return runSql(block, workspace)
    default:
      return undefined
  }
}

const isRun = ({ language }: Block): boolean => ['sh', 'python', 'ts', 'sql'].includes(language)

/** Compares the answer that a page shows with the output of the block above it. */
function compare(shown: Block, printed: string): void {
  const at = `${shown.page}:${shown.line} has the shape of the real answer:\n${printed}`
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
      // Compare only the first line: figures and names differ from day to day.
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
    const unmarked = blocks.filter(
      ({ language, code, note }) => language === 'sh' && note.notRun === undefined && changesMachine.test(code),
    )
    expect(unmarked.map(({ line }) => `${page}:${line} changes the machine`)).toEqual([])
    const folder = await playground.openFolder(page.replaceAll(/\W/g, '-'))
    // Only scripts that ask for ranges can continue an interrupted download.
    const resumes = blocks.some(({ language, code }) => language === 'python' && code.includes('Range'))
    const proxy = await openFlakyProxy(playground.url, { interruptsDownloads: resumes })
    const workspace = { playground, folder, proxyUrl: proxy.url }
    const compiler = join(repository, 'node_modules/.bin/tsc')
    await checkTypes(
      blocks.filter(({ language }) => language === 'ts'),
      workspace,
      compiler,
    )
    let printed: string | undefined
    for (const [index, block] of blocks.entries()) {
      if (block.note.notRun !== undefined) {
        printed = undefined
        continue
      }
      if (isRun(block)) {
        printed = await run(block, blocks[index + 1], workspace)
        continue
      }
      if (block.language === 'json') JSON.parse(block.code)
      else if (block.language === 'yaml') parseYaml(block.code)
      else if (!['text', 'csv', 'http', ...unparsed].includes(block.language)) {
        expect.fail(`${page}:${block.line}: no way to run or parse "${block.language}"`)
      }
      if (printed !== undefined && block.note.isNoAnswer !== true) compare(block, printed)
      printed = undefined
    }
    if (python !== undefined && resumes) {
      expect(proxy.happened).toEqual(new Set(['limited', 'interrupted', 'resumed']))
    }
  })
})

it('every block runs except for these, each with a reason', () => {
  const notRun = pages.flatMap(blocksOf).filter(({ note }) => note.notRun !== undefined)
  for (const { page, line, code } of notRun) {
    expect(changesMachine.test(code) || needsMore.test(code), `${page}:${line} could be run`).toBe(true)
  }
  expect(notRun.map(({ page, note }) => `${page}: ${note.notRun}`)).toMatchInlineSnapshot(`
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
