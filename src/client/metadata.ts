import type { describeCatalog } from '../http/metadata.ts'

export type Metadata = ReturnType<typeof describeCatalog>

/** The days of a cube that are loaded; null where there are none. */
export type Range = { readonly cube: string; readonly start: string | null; readonly end: string | null }
