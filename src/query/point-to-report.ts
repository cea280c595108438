import type { QueryBounds } from '../catalog/limits.ts'

/** Returns a hint if a report would accept what is too much for a synchronous query. */
export const pointToReport = ({ endpoint }: QueryBounds, fitsReport: boolean, able: string): string =>
  endpoint === 'synchronous' && fitsReport ? ` A report (POST /v2/data/asynchronous) ${able}.` : ''
