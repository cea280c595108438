import type { Day } from '../query/day.ts'
import { between, combineSeeds, list, seedFrom } from './chance.ts'

// Both weeks begin on Sunday.
const gamesWeek = [1.2, 0.92, 0.9, 0.91, 0.93, 1.02, 1.18]
const newsWeek = [0.82, 1.08, 1.1, 1.08, 1.06, 1.04, 0.8]

// For the middle of each month; the days between are interpolated.
const volumeByMonth = [0.99, 0.95, 0.93, 0.93, 0.92, 0.94, 0.98, 0.99, 0.97, 1.04, 1.15, 1.22]
const pricesByMonth = [0.8, 0.84, 0.92, 0.95, 0.99, 1.02, 0.95, 0.97, 1.04, 1.09, 1.26, 1.3]

const yearlyGrowth = 0.18

/** More than a publisher has on any day. */
const factsADayMax = 2000

const inSeason = (byMonth: readonly number[]): string =>
  `((1 - past) * ${list(byMonth)}[1 + (middle + 11) % 12] + past * ${list(byMonth)}[1 + middle % 12])`

/**
 * One row for each fact, with the influence of its day. Waves change the number of facts and the events of each fact
 * equally; growth changes only the events, so that any thirteen months have about as many facts. The rows are
 * materialized, because DuckDB unnests with one thread and reads a materialized table with all.
 */
export const trafficSql = (cubeAlias: string, rowsADay: number, start: Day, end: Day): string => `
  calendar AS (
    SELECT day::DATE AS day, date_diff('day', DATE '2026-01-01', day::DATE) AS day_number,
      month(day) + dayofmonth(day) / 31 - 0.5 AS months, floor(months)::INTEGER AS middle, months - middle AS past
    FROM range(DATE '${start}', DATE '${end}' + 1, INTERVAL 1 DAY) AS days(day)),
  tides AS (
    SELECT account, publisher, account_key, share, day, day_number,
      first_placement, placement_count, first_adgroup, adgroup_count,
      CASE rhythm WHEN 'games' THEN ${list(gamesWeek)} ELSE ${list(newsWeek)} END[1 + dayofweek(day)] AS weekly,
      ${seedFrom("'tide'", 'account', 'day')} AS seed,
      sqrt(weekly * ${inSeason(volumeByMonth)} * ${between('volume', 0.95, 1.05)}) AS wave,
      wave * greatest(0.2, 1 + ${yearlyGrowth} * day_number / 365) AS volume,
      ${inSeason(pricesByMonth)} * ${between('prices', 0.96, 1.04)} AS prices
    FROM calendar, publishers),
  numbers AS (
    SELECT list(${seedFrom(`'${cubeAlias}'`, 'number')} ORDER BY number) AS seeds
    FROM range(${factsADayMax}) AS numbers(number)),
  numbered AS MATERIALIZED (
    SELECT tides.*, unnest(seeds[1:round(${rowsADay} * share * wave)::INTEGER]) AS number_seed
    FROM tides, numbers),
  facts AS (
    SELECT * REPLACE (${combineSeeds('seed', 'number_seed')} AS seed)
    FROM numbered)`
