import { list, table } from './chance.ts'
import { formats } from './market.ts'
import { demoPublishers } from './publishers.ts'

const places = table('places', 'place, place_name, adunit_format, ad_size, interstitial_playables_enabled', [
  ['menu', 'Menu banner', 'banner', '320x50', false],
  ['pause', 'Pause screen', 'banner', '300x250', false],
  ['garage', 'Garage banner', 'banner', '728x90', false],
  ['level-end', 'Level end', 'interstitial', '320x480', true],
  ['extra-life', 'Extra life', 'rewarded video', '320x480', false],
  ['hint', 'Buy a hint', 'rewarded video', '320x480', false],
  ['daily-gift', 'Daily gift', 'rewarded video', '480x320', false],
  ['harvest', 'Double harvest', 'rewarded video', '320x480', false],
  ['shop', 'Shop shelf', 'native', '1200x627', false],
  ['front-page', 'Front page top', 'banner', '320x100', false],
  ['article', 'In article', 'native', '1200x627', false],
  ['story-break', 'Between stories', 'interstitial', '320x480', false],
  ['clip', 'Before the clip', 'rewarded video', '480x320', false],
  ['forecast', 'Forecast footer', 'banner', '320x50', false],
  ['map', 'Under the map', 'banner', '300x250', false],
])

/**
 * Terms of ad groups: type, first priority, calls per request, share of calls answered, share of requests filled, whether
 * that depends on the market, price relative to the marketplace's, milliseconds to an answer.
 */
const terms = table(
  'terms',
  'terms, adgroup_type, first_priority, depth, answer_rate, best_fill_rate, by_market, terms_factor, latency_ms',
  [
    ['guaranteed', 'guaranteed', 1, 1.05, 0.995, 0.97, false, 1.7, 55],
    ['deal', 'marketplace', 5, 2.2, 0.94, 0.67, true, 1.3, 180],
    ['marketplace', 'marketplace', 9, 2.2, 0.94, 0.67, true, 1, 210],
    ['network', 'network', 12, 3.1, 0.9, 0.6, true, 0.85, 430],
    ['promotional', 'promotional', 16, 1.02, 0.999, 0.99, false, 0, 30],
  ],
)

/** The SDKs that an app's versions are built with, the newest first. */
const sdks = ['7.4.0', '7.3.1', '7.2.0']

const publishers = demoPublishers.map(({ id, name, accountKey, share, rhythm, countries }) => {
  return [id, name, accountKey, share, rhythm, countries.join(' ')]
})
const apps = demoPublishers.flatMap(({ id, apps }) => apps.map((app, index) => [id, index, ...app]))
const orders = demoPublishers.flatMap(({ id, orders }) => orders.map((order, index) => [id, index, ...order]))

const numbersOf = (thing: string): string =>
  `(SELECT account, min(${thing}) AS first_${thing}, count(*) AS ${thing}_count FROM ${thing}s GROUP BY account)`

/**
 * Placements of the publishers (an ad unit in a version of its app) and ad groups, each of one order. They are numbered
 * publisher by publisher, the busiest first, so that a fact finds its own by one number.
 */
export const inventorySql = (adgroupsUsed: string): string => `
  owners AS (
    FROM ${table('owners', 'account, publisher, account_key, share, rhythm, countries', publishers)}),
  apps AS (
    SELECT *, 'app_' || left(md5(account || app || os), 8) AS app_id, app || ' (' || os || ')' AS app_name,
      lower(replace(app, ' ', '-') || '.example/' || os) AS site,
      row_number() OVER (ORDER BY account, listed, os) AS app_number,
      row_number() OVER (PARTITION BY account ORDER BY listed, os) AS app_rank
    FROM (
      SELECT *, unnest(string_split(systems, ' ')) AS os
      FROM ${table('apps', 'account, listed, app, systems, inventory_package, places, version', apps)})),
  adunits AS (
    SELECT *, 'au_' || left(md5(app_id || place), 8) AS adunit_id, app || ' - ' || place_name AS adunit_name,
      dense_rank() OVER (ORDER BY adunit_format, ad_size) AS slot
    FROM (
      SELECT *, unnest(string_split(places, ' ')) AS place, generate_subscripts(string_split(places, ' '), 1) AS place_rank
      FROM apps)
    JOIN ${places} USING (place)
    JOIN ${formats} USING (adunit_format)),
  placements AS (
    SELECT *, ${list(sdks)}[age] AS sdk_version,
      split_part(version, '.', 1) || '.' || (split_part(version, '.', 2)::INTEGER - age + 1) || '.0' AS app_version,
      row_number() OVER (ORDER BY account, app_rank * (place_rank + 1) * age, app_rank, place_rank) AS placement
    FROM adunits, range(1, ${sdks.length + 1}) AS ages(age)),
  adgroups AS (
    SELECT *, 'or_' || left(md5(account || order_name), 8) AS order_id,
      'ag_' || left(md5(account || order_name || name), 8) AS adgroup_id, order_advertiser || ' - ' || name AS adgroup_name,
      first_priority + name_rank - 1 AS adgroup_priority,
      CASE adgroup_type WHEN 'network' THEN lower(order_advertiser) END AS adgroup_network_type,
      row_number() OVER (ORDER BY account, (listed + 2) * name_rank, listed) AS adgroup
    FROM (
      SELECT *, unnest(string_split(names, ',')) AS name, generate_subscripts(string_split(names, ','), 1) AS name_rank
      FROM ${table('orders', 'account, listed, terms, order_name, order_advertiser, names', orders)})
    JOIN ${terms} USING (terms)
    WHERE ${adgroupsUsed}),
  publishers AS (
    FROM owners JOIN ${numbersOf('placement')} USING (account) JOIN ${numbersOf('adgroup')} USING (account))`
