import type { Measure } from '../../catalog/cube.ts'

/** The types that base measures have in fact files; dimensions are text, never null, and missing is the empty text. */
export const columnTypes: Record<Measure['type'], string> = { count: 'BIGINT', money: 'DECIMAL(18, 6)' }
