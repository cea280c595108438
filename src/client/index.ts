/** The client, published as `adcube/client`. At run time it imports `@noble/hashes` and nothing else from outside of this folder. */
export { Adcube, type Answer, type Metadata, type Range } from './adcube.ts'
export type { ConnectionOptions } from './connection.ts'
export { AdcubeError, ReportDamaged, ReportFailed, type Fault } from './errors.ts'
export type { CubeName, DimensionName, Filter, MetricName, Query, Row, Sort } from './fields.ts'
export { Report } from './report.ts'
