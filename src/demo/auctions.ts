import { between, chance, list, pick, repeat, skewed, whole } from './chance.ts'
import { pickCreative } from './market.ts'

const auctionsAViewer = 60
/** The share of rows with lost auctions. The auctions themselves are divided by the win rate. */
const lostRows = 0.3
const wonRows = 1 - lostRows
const publisherShare = 0.88

// Local hours from midnight on: a dip in the night, a small peak at noon and a large one in the evening.
const hourWeights = [2, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 5, 6, 5, 5, 5, 5, 6, 7, 8, 9, 8, 6, 4]
const localHours = hourWeights.flatMap((weight, hour) => Array<number>(weight).fill(hour))
const hourNames = hourWeights.map((_, hour) => `${String(hour).padStart(2, '0')}:00`)
const latencies = repeat({ '0-1s': 29, '1-2s': 12, '2-5s': 6, '5s+': 3 })

/**
 * The columns of the auctions cube. Lost auctions have rows of their own, because they have no creative.
 * Prices are for a thousand impressions, bids for one.
 */
export const auctionsSql = `
  asked AS (
    SELECT *, ${chance('outcome')} < ${lostRows} AS lost, CASE WHEN NOT lost THEN ${pickCreative} END AS creative,
      (best_floor * price_factor * ${pick('floor', [0.8, 1])})::DECIMAL(6, 2) AS price_floor,
      least(0.95, best_win_rate * win_factor * appeal) AS win_rate,
      ${auctionsAViewer} * viewers * volume * (0.35 + 0.65 * ${skewed('events')})
        * CASE WHEN lost THEN (1 - win_rate) / ${lostRows} ELSE win_rate / ${wonRows} END AS events
    FROM placed),
  held AS (
    SELECT *, greatest(1, ${whole('auctions', 'events')}) AS auctions, CASE WHEN lost THEN 0 ELSE auctions END AS auctions_won,
      price_floor::DOUBLE / 1000 * CASE WHEN lost THEN 1
        ELSE greatest(1.01, price * appeal * prices * (0.95 + 0.5 * ${skewed('bid')})) END AS bid,
      CASE WHEN lost THEN ${between('rivals', 0, 0.7)} ELSE ${between('rivals', 0.2, '1 + 4 * price_factor')} END AS rivals_each
    FROM asked LEFT JOIN creatives USING (creative)),
  shown AS (
    SELECT *, auctions_won * bid AS winning_bid_amount, ${whole('bids', 'auctions * rivals_each')} AS rivals,
      least(auctions_won, ${whole('cleared', `auctions_won * survival_rate * ${between('survival', 0.92, 1.06)}`)}) AS cleared
    FROM held),
  watched AS (
    SELECT *,
      CASE WHEN is_video THEN least(cleared, ${whole('start', `cleared * ${between('starting', 0.94, 1)}`)}) ELSE 0 END
        AS video_start,
      least(video_start, ${whole('complete', `video_start * completion_rate * ${between('watching', 0.9, 1.08)}`)})
        AS video_complete
    FROM shown),
  counted AS (
    SELECT *, account AS publisher_id, nullif(video_seconds, 0) AS request_video_duration,
      video_seconds > 0 AS video_inventory_enabled, auctions AS devices_max, auctions_won + rivals AS bids,
      winning_bid_amount + rivals * bid * ${between('rival bid', 0.4, 0.9)} AS bid_amount,
      least(cleared, ${whole('clicks', `cleared * best_click_rate * click_factor * ${between('clicking', 0.6, 1.4)}`)}) AS clicks,
      cleared * bid * ${publisherShare} AS net_revenue,
      video_complete + floor((video_start - video_complete) * ${between('midpoint', 0.3, 0.7)}) AS video_midpoint,
      CASE WHEN cleared > 0 THEN ${pick('latency', latencies)} END AS impression_latency,
      ${list(hourNames)}[1 + (${pick('hour', localHours)} - hours_ahead + 24) % 24] AS time
    FROM watched)`
