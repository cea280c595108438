import type { Cube } from '../catalog/cube.ts'
import type { Day } from '../query/day.ts'
import { auctionsSql } from './auctions.ts'
import { audienceSql, devicesSql, pickCohort } from './audience.ts'
import { rank } from './chance.ts'
import { inventorySql } from './inventory.ts'
import { marketSql } from './market.ts'
import { platformPerformanceSql } from './platform-performance.ts'
import { trafficSql } from './traffic.ts'

/** The samples by their cubes: rows of an average day of all publishers together, the ad groups used, and the SQL. */
const samples = new Map([
  ['auctions', { rowsADay: 1540, adgroups: "adgroup_type = 'marketplace'", sql: auctionsSql }],
  ['platform-performance', { rowsADay: 1030, adgroups: 'true', sql: platformPerformanceSql }],
])

export const hasSample = ({ alias }: Cube): boolean => samples.has(alias)

/**
 * Compiles a SELECT of the sample facts of all publishers from `start` to `end`, in no order, with the columns of a file
 * to load. The rows of a day depend only on publisher, cube and day, so days can be made again and in any order. DuckDB
 * takes 0.1 s to plan it, so make many days at once.
 */
export function sampleSql(cube: Cube, start: Day, end: Day): string {
  const sample = samples.get(cube.alias)
  if (sample === undefined) throw new Error(`There is no sample data for the cube ${cube.alias}`)
  const dimensions = cube.dimensions.map(({ column, type }) =>
    type === 'date' ? column : `coalesce(${column}::VARCHAR, '') AS ${column}`,
  )
  const measures = cube.measures.map(
    ({ column, type }) => `coalesce(${column}, 0)::${type === 'money' ? 'DECIMAL(18, 6)' : 'BIGINT'} AS ${column}`,
  )
  // Columns that a sample does not fill are empty.
  const unfilled = [...cube.dimensions, ...cube.measures].map(({ column }) => `NULL AS ${column}`)
  return `
WITH ${inventorySql(sample.adgroups)}, ${marketSql}, ${audienceSql}, ${trafficSql(cube.alias, sample.rowsADay, start, end)},
  picked AS (
    SELECT *, first_placement + ${rank('placement', 'placement_count')} AS placement,
      first_adgroup + ${rank('ad group', 'adgroup_count')} AS adgroup, 1 + ${rank('viewers', 4)} AS viewers
    FROM facts),
  placed AS (
    SELECT *
    FROM picked
    JOIN placements USING (placement)
    JOIN adgroups USING (adgroup)
    JOIN cohorts ON cohorts.cohort = ${pickCohort}), ${sample.sql}
SELECT account, ${[...dimensions, ...measures].join(', ')}, ${devicesSql} AS devices
FROM (FROM counted UNION ALL BY NAME SELECT ${unfilled.join(', ')} WHERE false)`
}
