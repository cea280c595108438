import type { Query } from '../../query/query.ts'
import { FactsError } from '../errors.ts'
import type { FactFolder } from '../fact-folder.ts'
import type { Scope } from '../facts.ts'
import { chooseSources } from '../rollups.ts'
import { compileQuery } from './compile-query.ts'
import { filesOf } from './merged-files.ts'
import type { OpenedFiles } from './opened-files.ts'

type Deps = { readonly folder: FactFolder; readonly opened: OpenedFiles }

/** Compiles a query to a statement over the files of its scope. Instead of a damaged rollup, facts are read. */
export async function chooseFiles({ folder, opened }: Deps, query: Query, scope: Scope, rows: number) {
  const avoided = new Set<string>()
  for (;;) {
    const { files, ...compiled } = compileOver(folder, query, scope, rows, avoided)
    const damaged = await opened.findDamaged(query.cube.name, files)
    if (damaged.length === 0) return compiled
    const facts = damaged.find(({ kind }) => kind === 'facts')
    if (facts) throw new FactsError('damaged', new Error(`${facts.path} is damaged`))
    for (const { path } of damaged) avoided.add(path)
  }
}

function compileOver(folder: FactFolder, query: Query, scope: Scope, rows: number, avoided: ReadonlySet<string>) {
  const { cube } = query
  const { account } = scope
  const rollupOf = ({ day, load }: Scope['visible'][number]): string =>
    folder.rollupOfPortion(cube, { account, day, load })
  const visible =
    avoided.size === 0
      ? scope.visible
      : scope.visible.map((each) => (avoided.has(rollupOf(each)) ? { ...each, rollupHas: null } : each))
  const { dimension, rolled, others, readFrom } = chooseSources(query, { account, visible }, { countsApart: true })
  const files = filesOf(folder, cube, scope, avoided)
  const rollups = rolled.map((each) => ({
    ...each,
    account,
    kind: 'rollup' as const,
    path: rollupOf(each),
    columns: each.columns ?? null,
    bytes: null,
    checksum: each.rollupChecksum ?? null,
  }))
  const statement = compileQuery(query, scope, {
    files,
    ...(rolled.length > 0 && {
      rolled: { dimension, rollups, others: filesOf(folder, cube, { account, visible: others }, avoided) },
    }),
    rows,
  })
  return { statement, readFrom, files: readFrom.includes('facts') ? [...files, ...rollups] : rollups }
}
