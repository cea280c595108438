import { between, chance, pick, pickSkewed, rank, repeat, seedFrom, table } from './chance.ts'

/**
 * Formats of ad units in the best market: the higher of two price floors; shares of auctions won, of those shown, of
 * those clicked; longest video in seconds; share of videos among creatives; share of videos watched to the end.
 */
export const formats = table(
  'formats',
  'adunit_format, best_floor, best_win_rate, survival_rate, best_click_rate, video_seconds, video_share, completion_rate',
  [
    ['banner', 0.5, 0.58, 0.94, 0.004, 0, 0, 0],
    ['interstitial', 4, 0.64, 0.73, 0.022, 30, 0.55, 0.58],
    ['rewarded video', 8, 0.71, 0.81, 0.016, 60, 0.93, 0.91],
    ['native', 1.2, 0.49, 0.88, 0.007, 0, 0, 0],
  ],
)

/** Markets, with factors against the best one: prices, share of auctions won, clicks, latency. */
const markets = table('markets', 'market, price_factor, win_factor, click_factor, latency_factor', [
  ['best', 1, 1, 1, 1],
  ['middle', 0.5, 0.79, 1.25, 1.2],
  ['low', 0.2, 0.57, 1.9, 1.6],
])

/** Market, hours ahead of UTC, whether users are asked for consent. An empty code stands for an unknown country. */
const zones = table('zones', 'market, hours_ahead, asks_consent, codes', [
  ['best', -6, false, 'US CA'],
  ['best', 0, true, 'GB IE'],
  ['best', 1, true, 'DE FR NL SE CH AT DK NO BE'],
  ['best', 9, false, 'JP KR AU'],
  ['middle', 1, true, 'PT IT ES PL CZ FI'],
  ['middle', -4, false, 'BR CL AR MX'],
  ['low', -5, false, 'CO PE'],
  ['low', 2, false, 'ZA TR'],
  ['low', 6, false, 'IN ID PH'],
  ['low', 0, false, ''],
])

const bidders = ['Kestrelbid', 'Marrowstone', 'Ottervane', 'Quayside', 'Tallowmere', 'Umberline', 'Pinhook', 'Vexillo']
const advertisers =
  'harbor-foods merge-meadow orrin-motors velmora dragon-ledger nordvale-bank pebble-match sol-verano tarn-outdoors ' +
  'quickfern-delivery starling-mobile bakers-row idle-quarry lumen-learn cobalt-fitness hexa-heroes'
const viewabilityVendors = ['', 'sightmark', 'sightmark|viewproof', 'viewproof', 'truegaze']

// For each kind of slot. Deals are bids by invitation, so their creatives are apart, and fewer.
const openCreatives = 30
const dealCreatives = 10
const creativesEach = openCreatives + dealCreatives

/** Countries, and the creatives of the buyers. */
export const marketSql = `
  countries AS (
    SELECT * EXCLUDE (codes), unnest(string_split(codes, ' ')) AS country
    FROM ${zones} JOIN ${markets} USING (market)),
  slots AS (
    SELECT *, ${seedFrom("'creative'", 'adunit_format', 'ad_size', 'number')} AS seed
    FROM (SELECT DISTINCT slot, adunit_format, ad_size, video_share FROM placements),
      range(${creativesEach}) AS numbers(number)),
  brought AS (
    SELECT *, number >= ${openCreatives} AS by_deal, ${chance('video')} < video_share AS is_video,
      ${pickSkewed('bidder', bidders)} AS bidder_name, ${pickSkewed('advertiser', advertisers.split(' '))} AS advertiser
    FROM slots),
  creatives AS (
    SELECT ${creativesEach} * slot + number AS creative, is_video, bidder_name, advertiser || '.example' AS adomain,
      CASE WHEN ${chance('seat told')} < 0.9 THEN lower(left(bidder_name, 3)) || '-' || ${pickSkewed('seat', [1, 2, 3, 4])} END
        AS buyer_seat,
      'cr_' || seed AS creative_id, 'ga_' || left(md5(advertiser), 8) AS global_aid,
      NOT is_video AND ${chance('mraid')} < 0.4 AS creative_mraid, is_video AS creative_video_served,
      CASE WHEN by_deal THEN 'deal-' || left(md5(bidder_name || advertiser), 8) END AS response_deal_id,
      CASE WHEN is_video THEN ${pickSkewed('length', [30, 15])} END AS response_video_duration,
      ${pickSkewed('vendor', viewabilityVendors)} AS viewability_vendors_response,
      CASE adunit_format WHEN 'interstitial' THEN ${pick('size', repeat({ '320x480': 2, '300x250': 1 }))} ELSE ad_size END
        AS winning_creative_ad_size,
      ${between('price', 0.75, 1.25)} * CASE WHEN is_video THEN 1.35 ELSE 1 END * CASE WHEN by_deal THEN 1.6 ELSE 1 END
        AS price
    FROM brought)`

/** The number of a creative for a fact's slot and terms. */
export const pickCreative = `${creativesEach} * slot + CASE terms
        WHEN 'deal' THEN ${openCreatives} + ${rank('creative', dealCreatives)} ELSE ${rank('creative', openCreatives)} END`
