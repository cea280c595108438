import { between, chance, skewed, whole } from './chance.ts'

const requestsAViewer = 40
/** The largest share of rows whose requests all got no ad. */
const unfilledRowsMax = 0.25
/** The time until an unanswered call ends. */
const giveUpMs = 1500
/** The time of a request besides its calls. */
const overheadMs = 45

/**
 * The columns of the platform performance cube. Requests without an ad, with ads that were shown and with ads that were
 * clicked have rows of their own, so that the devices of a row with clicks are those that clicked.
 */
export const platformPerformanceSql = `
  asked AS (
    SELECT *, ${requestsAViewer} * viewers * volume AS requests_expected, best_click_rate * click_factor AS click_rate,
      CASE WHEN by_market THEN best_fill_rate * win_factor * appeal ELSE best_fill_rate END AS fill_rate,
      least(${unfilledRowsMax}, 1 - fill_rate) AS unfilled_rows, 0.05 + 4 * click_rate AS clicked_rows,
      ${chance('outcome')} < clicked_rows AS clicked
    FROM placed),
  clicked AS (
    SELECT *, requests_expected * fill_rate * survival_rate * click_rate / clicked_rows * ${skewed('clicking')} AS clicks_expected,
      CASE WHEN clicked THEN greatest(1, ${whole('clicks', 'clicks_expected')}) ELSE 0 END AS clicks
    FROM asked),
  requested AS (
    SELECT *,
      CASE WHEN clicked THEN ${whole('unclicked', 'clicks * 1.1')}
        ELSE greatest(1, ${whole('requests', `requests_expected * (0.35 + 0.65 * ${skewed('requesting')})`)}) END AS ad_requests,
      CASE WHEN clicked THEN ad_requests WHEN ${chance('unfilled')} < unfilled_rows THEN 0
        ELSE ${whole('fills', 'ad_requests * fill_rate / (1 - unfilled_rows)')} END AS fills_wanted
    FROM clicked),
  called AS (
    SELECT *, ad_requests + ${whole('attempts', `ad_requests * (depth - 1) * ${between('depth', 0.6, 1.4)}`)} AS attempts,
      greatest(clicks, ${whole('responses', `attempts * answer_rate * ${between('answering', 0.97, 1.03)}`)}) AS answers,
      least(attempts, answers) AS attempt_responses
    FROM requested),
  shown AS (
    SELECT *, least(ad_requests, attempt_responses, fills_wanted) AS fills,
      greatest(clicks, ${whole('impressions', `fills * survival_rate * ${between('survival', 0.95, 1.05)}`)}) AS renders,
      least(fills, renders) AS impressions,
      floor(attempt_responses * latency_ms * latency_factor * ${between('latency', 0.75, 1.3)}) AS demand_latency_ms
    FROM called),
  counted AS (
    SELECT *, publisher AS publisher_name, adgroup_network_type AS nr_network_type,
      impressions * best_floor / 1000 * 1.35 * price_factor * terms_factor * appeal * prices * ${between('price', 0.7, 1.3)}
        AS revenue,
      demand_latency_ms + (attempts - attempt_responses) * ${giveUpMs} + ad_requests * ${overheadMs} AS waterfall_latency_ms,
      CASE adgroup_type WHEN 'network' THEN round(impressions * ${between('network impressions', 0.95, 1.03)}) ELSE 0 END
        AS nr_impressions,
      CASE WHEN nr_impressions > 0 THEN revenue * ${between('network revenue', 0.93, 1.02)} ELSE 0 END AS nr_revenue,
      CASE WHEN clicked THEN clicks ELSE ad_requests END AS devices_max
    FROM shown)`
