/** The client, published as `adcube/client`. At run time it imports nothing outside of this folder. */
export { Adcube, type Answer } from './adcube.ts'
export type { ConnectionOptions } from './connection.ts'
export { AdcubeError, ReportDamaged, ReportFailed, type Fault } from './errors.ts'
export type { CubeName, DimensionName, Filter, MetricName, Query, Row, Sort } from './fields.ts'
export type { Metadata, Range } from './metadata.ts'
export { Report } from './report.ts'
