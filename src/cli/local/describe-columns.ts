import type { Cube } from '../../catalog/cube.ts'
import { fileColumnsOf, type FileColumn } from '../../ingest/file-columns.ts'
import { describeAmount, describeCount } from '../../ingest/compile-values.ts'
import { writeTemplates } from '../../ingest/templates.ts'
import { addDays, dayOf } from '../../query/day.ts'
import { note, printTable, type OutputFlags } from '../output.ts'

const types: Record<FileColumn['kind'], string> = {
  account: 'text, required',
  day: 'yyyy-MM-DD, required',
  text: 'text',
  count: describeCount,
  money: describeAmount,
  device: 'text',
  devices: 'list of text',
}

type Flags = OutputFlags & { readonly templates?: string | undefined }

/** Prints the columns of a cube's files, and writes an example in each format to the folder of templates. */
export async function describeColumns(flags: Flags, cube: Cube): Promise<void> {
  const columns = fileColumnsOf(cube).map(({ column, name, kind, description }) => ({
    column,
    or: name === column ? null : name,
    type: types[kind],
    description,
  }))
  await printTable(flags, columns, { none: '' })
  if (flags.templates !== undefined) {
    // With yesterday as the day, so that the examples can be loaded as they are.
    const paths = await writeTemplates(cube, addDays(dayOf(Date.now()), -1), flags.templates)
    for (const path of paths) note(flags, `Wrote ${path}`)
  } else {
    note(
      flags,
      `\nMissing text is empty, and missing numbers are zero. Examples: adcube load --describe ${cube.alias} --templates FOLDER`,
    )
  }
}
