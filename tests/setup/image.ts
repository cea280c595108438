import { execFile } from 'node:child_process'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

export type Stage = {
  readonly copies: readonly { readonly from: string | undefined; readonly sources: readonly string[]; to: string }[]
  readonly commands: readonly string[]
}

/** Reads the stages of the Dockerfile: their COPY and RUN lines. Without Docker, tests do what these say. */
export async function readDockerfile(): Promise<readonly Stage[]> {
  const text = await readFile('ops/docker/Dockerfile', 'utf8')
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  const stages = lines
    .join('\n')
    .split(/^FROM /m)
    .slice(1)
  return stages.map((stage) => ({
    copies: [...stage.matchAll(/^COPY (?:--from=(\S+) )?(.+) (\S+)$/gm)].map(([, from, sources = '', to = '']) => ({
      from,
      sources: sources.split(' '),
      to,
    })),
    commands: [...stage.matchAll(/^RUN (.+)$/gm)].map(([, command = '']) => command),
  }))
}

/** Lists the files that Docker would send to the builder: those of the repository that the ignore file lets through. */
export async function listContext(): Promise<readonly string[]> {
  const isSent = await readIgnoreFile()
  const { stdout } = await promisify(execFile)('git', ['ls-files', '--cached', '--others', '--exclude-standard'])
  return stdout.trim().split('\n').filter(isSent)
}

/** The rules of Docker's ignore files: the last rule that matches a path, or a folder above it, decides. */
export async function readIgnoreFile(): Promise<(path: string) => boolean> {
  const text = await readFile('ops/docker/Dockerfile.dockerignore', 'utf8')
  const rules = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isException: line.startsWith('!'), pattern: compile(line.replace(/^!/, '')) }))
  return (path) => {
    const parts = path.split('/')
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    const last = rules.findLast(({ pattern }) => paths.some((each) => pattern.test(each)))
    return last?.isException ?? true
  }
}

/** Unlike in globs of a shell, a star also matches names that begin with a dot. */
function compile(rule: string): RegExp {
  const marks: Record<string, string> = { '**/': '(?:.*/)?', '*': '[^/]*' }
  return new RegExp(`^${rule.replaceAll(/\*\*\/|\*|[.+?^$(){}|[\]\\]/g, (mark) => marks[mark] ?? `\\${mark}`)}$`)
}

/** Copies files as a COPY line does: a folder's contents, or a file into a folder or to a name. */
export async function runCopy(
  { sources, to }: Stage['copies'][number],
  context: readonly string[],
  folders: { readonly from: string; readonly to: string },
): Promise<void> {
  for (const source of sources) {
    for (const file of context.filter((path) => path === source || path.startsWith(`${source}/`))) {
      const inFolder = file === source ? basename(file) : file.slice(source.length + 1)
      const name = file === source && !to.endsWith('/') ? to : join(to, inFolder)
      const target = resolve(folders.to, name)
      await mkdir(dirname(target), { recursive: true })
      await cp(join(folders.from, file), target)
    }
  }
}
