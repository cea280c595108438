import { execFile, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { createReadStream } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'

/** strace may be missing, or not be allowed to trace in a container. */
export const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

const changes = 'write,writev,pwrite64,pwritev,ftruncate,copy_file_range,sendfile,openat,mkdir,mkdirat'
const moves = 'rename,renameat,renameat2,link,linkat,fsync,fdatasync'

/** The arguments of strace that run a command of Adcube and write what it does to its files. */
export const straceOf = (trace: string, args: readonly string[]): readonly string[] => [
  '-fys300',
  `-etrace=${changes},${moves}`,
  `-o${trace}`,
  process.execPath,
  'src/cli/main.ts',
  ...args,
]

/** Runs a command to its end. */
export const traceCommand = (trace: string, args: readonly string[]) =>
  promisify(execFile)('strace', straceOf(trace, args))

export type Step =
  /** The content of a file changes, or a name in a folder. */
  | { readonly kind: 'changed' | 'named' | 'synced'; readonly path: string }
  | { readonly kind: 'moved'; readonly from: string; readonly path: string }
  /** The command tells its user or its log. */
  | { readonly kind: 'told'; readonly text: string }

/** Reads a trace. A call that is interrupted by others counts when it returns. */
export async function* readTrace(trace: string): AsyncGenerator<Step> {
  const unfinished = new Map<string, string>()
  for await (const line of createInterface({ input: createReadStream(trace) })) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(thread, rest.slice(0, -'<unfinished ...>'.length))
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1]
    const call = resumed === undefined ? rest : (unfinished.get(thread) ?? '') + resumed
    if (!/\) += \d/.test(call)) continue
    yield* stepsOf(call)
  }
}

function* stepsOf(call: string): Generator<Step> {
  const name = /^\w+/.exec(call)?.[0] ?? ''
  const texts = [...call.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text)
  const opened = /^\w+\((\d+)<([^>]*)>/.exec(call)
  const path = opened?.[2] ?? ''
  if (name === 'fsync' || name === 'fdatasync') yield { kind: 'synced', path }
  else if (name.startsWith('rename') || name.startsWith('link')) {
    const [from = '', to = ''] = texts.map((text) => resolve(text))
    if (name.startsWith('rename')) yield { kind: 'moved', from, path: to }
    yield { kind: 'named', path: to }
  } else if (name.startsWith('mkdir')) yield { kind: 'named', path: resolve(texts[0] ?? '') }
  else if (name === 'openat') {
    if (!call.includes('O_CREAT')) return
    const made = resolve(texts[0] ?? '')
    yield { kind: 'changed', path: made }
    yield { kind: 'named', path: made }
  } else if (opened?.[1] === '1' || opened?.[1] === '2') yield { kind: 'told', text: texts.join('') }
  else if (path.startsWith('/')) yield { kind: 'changed', path }
}

/** What a power failure would lose. */
export class Unsynced {
  /** Files whose content is not on the disk. */
  readonly contents = new Set<string>()
  /** Files and folders whose name is not on the disk. */
  readonly names = new Set<string>()

  take(step: Step): void {
    if (step.kind === 'changed') this.contents.add(step.path)
    if (step.kind === 'named') this.names.add(step.path)
    if (step.kind === 'synced') {
      this.contents.delete(step.path)
      for (const path of this.names) if (dirname(path) === step.path) this.names.delete(path)
    }
    if (step.kind !== 'moved') return
    for (const paths of [this.contents, this.names]) {
      for (const path of paths) {
        if (path !== step.from && !path.startsWith(`${step.from}/`)) continue
        paths.delete(path)
        paths.add(step.path + path.slice(step.from.length))
      }
    }
  }

  /** Contents of a file or folder that are not on the disk, and names in it. */
  in(folder: string): readonly string[] {
    const contents = [...this.contents].filter((path) => path === folder || path.startsWith(`${folder}/`))
    return [...contents, ...[...this.names].filter((path) => path.startsWith(`${folder}/`))]
  }
}
