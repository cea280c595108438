import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'vitest'
import type { Block } from './blocks.ts'
import type { Playground } from './playground.ts'

export type Workspace = { readonly playground: Playground; readonly folder: string; readonly proxyUrl: string }

/** Longer than any block takes, so that a block that hangs fails and names its line. */
const blockMsMax = 90_000

/** Replaces the addresses, the key and the folders of a reader's machine with those of the test. */
function adapt(code: string, { playground, folder }: Workspace): string {
  return code
    .replaceAll('http://127.0.0.1:8080', playground.url)
    .replaceAll('http://127.0.0.1:9464', playground.metricsUrl)
    .replaceAll('adc_…', playground.key)
    .replaceAll('/backups/', `${folder}/backups/`)
    .replaceAll('/var/tmp/', `${folder}/tmp/`)
}

const where = ({ page, line }: Block): string => `${page}:${line}`

async function execute(
  command: string,
  args: readonly string[],
  { block, folder, env }: { readonly block: Block; readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: blockMsMax })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect({ code }, `${where(block)} ends with the exit code it should\n${stdout}\n${stderr}`).toEqual({
    code: block.note.exitCode ?? 0,
  })
  // If the command is expected to fail, the page shows stderr as well.
  return block.note.exitCode === undefined ? stdout : stdout + stderr
}

/** Runs a shell block. Exported variables are kept for the next blocks of the page, as in a terminal. */
export async function runShell(block: Block, workspace: Workspace, isShownAsTable: boolean): Promise<string> {
  const { folder, playground } = workspace
  const state = join(folder, '.exported')
  if (!existsSync(state)) await writeFile(state, '')
  const script = ['. ./.exported', adapt(block.code, workspace), 'export -p > ./.exported'].join('\n')
  const env = { ...playground.env, ...(isShownAsTable && { AS_ON_A_TERMINAL: '1' }) }
  return execute('sh', ['-euc', script], { block, folder, env })
}

/** Runs a server or a worker until it reports that it is ready, and then stops it. */
export async function runEndless(block: Block, workspace: Workspace): Promise<void> {
  const env = { ...workspace.playground.env, ADCUBE_PORT: '0', ADCUBE_METRICS_PORT: '0', ADCUBE_DEMO_DAYS: '1' }
  const code = block.code.replaceAll(/ADCUBE_METRICS_PORT=\d+ /g, '').replaceAll(/ --port \d+/g, '')
  const script = adapt(code.replaceAll(/^(?=adcube |ADCUBE)/gm, '').trim(), workspace)
  const child = spawn('sh', ['-euc', script], {
    cwd: workspace.folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const isUp = new Promise<void>((resolve) => {
    const hear = (chunk: unknown): void => {
      output += String(chunk)
      if (/Adcube is ready|worker ready|"making reports|Making reports/.test(output)) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
  })
  const exited = once(child, 'exit')
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), blockMsMax)
  try {
    await Promise.race([isUp, exited.then(() => expect.fail(`${where(block)} ended by itself\n${output}`))])
    process.kill(-child.pid!, 'SIGTERM')
    await exited
  } finally {
    clearTimeout(timer)
  }
}

export async function runPython(block: Block, workspace: Workspace, python: string): Promise<string> {
  const { folder, playground, proxyUrl } = workspace
  const file = join(folder, `block-${block.line}.py`)
  // Use the proxy, which rate-limits a request and interrupts a download.
  await writeFile(file, adapt(block.code, { ...workspace, playground: { ...playground, url: proxyUrl } }))
  return execute(python, [file], { block, folder, env: { ...playground.env, ADCUBE_BASE_URL: proxyUrl } })
}

export async function runTypeScript(block: Block, workspace: Workspace): Promise<string> {
  const file = await writeTypeScript(block, workspace)
  return execute(process.execPath, [file], { block, folder: workspace.folder, env: workspace.playground.env })
}

async function writeTypeScript(block: Block, workspace: Workspace): Promise<string> {
  const file = join(workspace.folder, `block-${block.line}.ts`)
  await writeFile(file, adapt(block.code, workspace))
  return file
}

/** Checks the types of all blocks in one run, because the compiler takes a second to start. */
export async function checkTypes(blocks: readonly Block[], workspace: Workspace, compiler: string): Promise<void> {
  const [first] = blocks
  if (!first) return
  const files = await Promise.all(blocks.map((block) => writeTypeScript(block, workspace)))
  const repository = join(compiler, '../../..')
  const config = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(repository, 'node_modules/@types')], noUnusedLocals: false },
    files,
  }
  const file = join(workspace.folder, 'tsconfig.json')
  await writeFile(file, JSON.stringify(config))
  const block = { ...first, note: {} }
  await execute(compiler, ['-p', file], { block, folder: workspace.folder, env: workspace.playground.env })
}

/** Runs a block in DuckDB. Relative paths start at the page's folder. */
export async function runSql(block: Block, { folder }: Workspace): Promise<string> {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    await connection.run(`SET file_search_path = '${folder}'`)
    const rows = (await connection.runAndReadAll(block.code)).getRowObjectsJson()
    expect(rows, `${where(block)} finds something`).not.toEqual([])
    return JSON.stringify(rows)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
