import { between, chance, pick, rank, repeat, seedFrom, table } from './chance.ts'

/** Devices and versions of each system, the most used first. */
const systems = table('systems', 'os, device_list, version_list', [
  ['iOS', 'iPhone 15,iPhone 14,iPhone 13,iPad 10,iPhone 12,iPhone SE,iPhone 11', '18.5,18.4,17.7'],
  ['Android', 'Galaxy A54,Galaxy S23,Redmi 12,Pixel 7a,Moto G54,Galaxy A34,Galaxy Tab A9', '15,14,13'],
])

const askedConsents = repeat({
  'explicit_yes accepted_in_dialog': 25,
  'explicit_no declined_in_dialog': 9,
  'unknown dialog_dismissed': 7,
  'explicit_yes accepted_by_publisher': 6,
  'explicit_no withdrawn_in_settings': 3,
})
const presumedConsents = repeat({ 'unknown outside_consent_region': 6, 'explicit_no tracking_limited': 1 })
const genders = repeat({ '': 31, female: 10, male: 8, other: 1 })
const ageRanges = repeat({ '': 29, '25-34': 7, '18-24': 5, '35-44': 4, '45-54': 2, '55-64': 2, '65+': 1 })

const cohortsEach = 64

/**
 * Cohorts: users of one app who are alike, with devices of their own. Countries share the cohorts by a cubic curve, so
 * that the first of twenty has over a third. Buyers bid less for users whom they do not recognise: their `appeal`.
 */
export const audienceSql = `
  crowds AS (
    SELECT *, ${cohortsEach} * app_number + number AS cohort,
      concat_ws('-', left(account, 3), app_number, number) AS cohort_key,
      ${seedFrom("'cohort'", 'app_id', 'number')} AS seed, (number + 0.5) / ${cohortsEach} AS part,
      string_split(countries || ' ', ' ') AS codes,
      string_split(device_list, ',') AS devices, string_split(version_list, ',') AS versions,
      codes[1 + floor(len(codes) * part * part * part)::INTEGER] AS country
    FROM apps JOIN owners USING (account) JOIN ${systems} USING (os), range(${cohortsEach}) AS numbers(number)),
  described AS (
    SELECT *,
      CASE WHEN asks_consent THEN ${pick('consent', askedConsents)} ELSE ${pick('consent', presumedConsents)} END AS consent,
      consent NOT LIKE 'explicit_no %' AS consents,
      consents AND ${chance('recognised')} < CASE os WHEN 'iOS' THEN 0.42 ELSE 0.96 END AS recognised
    FROM crowds JOIN countries USING (country)),
  cohorts AS (
    SELECT cohort, cohort_key, country, hours_ahead, price_factor, win_factor, click_factor, latency_factor,
      devices[1 + ${rank('device', 'len(devices)')}] AS device,
      versions[1 + ${rank('version', 'len(versions)')}] AS os_version,
      consents, split_part(consent, ' ', 1) AS consent_status, split_part(consent, ' ', 2) AS consent_status_details,
      ${pick('gender', genders)} AS gender, ${pick('age', ageRanges)} AS age_range,
      recognised AS has_device_id, consents AND ${chance('location')} < 0.35 AS has_location,
      CASE WHEN recognised THEN 1.06 ELSE 0.8 END * ${between('appeal', 0.93, 1.07)} AS appeal,
      5 + 36 * share / app_rank AS devices_around
    FROM described)`

/** The number of a cohort of a fact's app. */
export const pickCohort = `${cohortsEach} * app_number + floor(${cohortsEach} * ${chance('cohort')})::INTEGER`

const newest = `floor((10000 + day_number) * devices_around / 112)::INTEGER - ${rank('device', 'devices_around')}`
const step = `(1 + ${rank('device step', 'devices_around / 3')})`
const deviceCount = 'CASE WHEN consents THEN least(viewers, devices_max)::INTEGER ELSE 0 END'

/**
 * Up to four devices of a fact's cohort, none of users who refused consent. New devices arrive all the time and are the
 * busiest, and each is seen for some months at most. The step keeps the devices of a fact apart.
 */
export const devicesSql = `list_transform(range(${deviceCount}), lambda i: cohort_key || '-' || (${newest} - i * ${step}))`
