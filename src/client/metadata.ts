import type { MetadataAnswer } from '../contract/answers.ts'

export type Metadata = MetadataAnswer

/** The days of a cube that are loaded; null where there are none. */
export type Range = { readonly cube: string; readonly start: string | null; readonly end: string | null }
