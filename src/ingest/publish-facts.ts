import type { Cube } from '../catalog/cube.ts'
import type { Day } from '../query/day.ts'
import type { Findings, LoadedFile, LoadMode } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import { publishLoad } from '../store/publish-load.ts'
import { addFindings, fileFault, LoadRefused } from './load-refused.ts'
import type { FactFile } from './split-stage.ts'

export type Loaded = {
  readonly id: number
  readonly rows: number
  readonly accounts: number
  readonly days: number
  readonly firstDay: Day
  readonly lastDay: Day
  /** The accounts that were made. */
  readonly created: readonly string[]
  /** What is strange, but was taken in. */
  readonly warnings: Findings
  /** The load that these files came in with before: then nothing was added. */
  readonly repeated: number | undefined
}

type Deps = { readonly store: Store; readonly now: () => number }

type Options = {
  readonly id: number
  readonly mode: LoadMode
  readonly files: readonly LoadedFile[]
  /** What it holds. */
  readonly portions: readonly FactFile[]
  readonly warnings: Findings
  readonly mayCreateAccounts?: boolean
  readonly mayRepeat?: boolean
}

/** Makes a load that is stored and right visible, wholly. */
export async function publishFacts({ store, now }: Deps, cube: Cube, options: Options): Promise<Loaded> {
  const { id, mode, files, portions, warnings, mayCreateAccounts = false, mayRepeat = false } = options
  const rows = portions.reduce((sum, each) => sum + each.rows, 0)
  const outcome = await publishLoad(store, {
    id,
    cube: cube.name,
    mode,
    days: portions,
    rows,
    mayCreateAccounts,
    files,
    warnings,
    mayRepeat,
    now: now(),
  })
  if (outcome.refusal === 'newer') {
    throw new Error(
      `Load ${outcome.load}, which was begun later, has replaced days of these files; nothing was loaded.`,
    )
  }
  if (outcome.refusal === 'partly_repeated') {
    const reason = (load: number): string => `was already appended, in load ${load}; omit it, or use --repeat`
    throw new LoadRefused(addFindings(...outcome.files.map(({ name, load }) => fileFault(name, reason(load)))))
  }
  if (outcome.refusal === 'given_up') throw new Error('The load was silent for too long and was given up; try again.')
  const days = [...new Set(portions.map(({ day }) => day))].toSorted()
  return {
    id,
    rows,
    accounts: new Set(portions.map(({ account }) => account)).size,
    days: days.length,
    firstDay: days[0] ?? '',
    lastDay: days.at(-1) ?? '',
    created: outcome.refusal === undefined ? outcome.created : [],
    warnings,
    repeated: outcome.refusal === 'repeated' ? outcome.load : undefined,
  }
}
