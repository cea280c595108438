import { formats, type FormatName } from './formats.ts'
import type { Fields } from './csv-layout.ts'
import { advertisers, bidders, viewabilityVendors } from './market.ts'
import { hashOf, hex, Random, zipfLottery, type Lottery } from './random.ts'

/** What can win an auction: a creative of an advertiser, brought by a bidder's seat. */
export type Creative = {
  readonly fields: Fields
  readonly video: boolean
  /** What it pays against the others. */
  readonly price: number
}

/** An auction that nobody won has none of these. */
export const noCreative: Fields = {
  adomain: '',
  bidder_name: '',
  buyer_seat: '',
  creative_id: '',
  creative_mraid: '',
  creative_video_served: '',
  global_aid: '',
  response_deal_id: '',
  response_video_duration: '',
  viewability_vendors_response: '',
  winning_creative_ad_size: '',
}

const creativesEach = 90

const allBidders = zipfLottery(bidders, 0.9)
const allAdvertisers = zipfLottery(advertisers, 0.7)
const allVendors = zipfLottery(viewabilityVendors, 1)

function createCreative(
  formatName: FormatName,
  size: string,
  byDeal: boolean,
  random: Random,
  index: number,
): Creative {
  const format = formats[formatName]
  const key = `${formatName} ${size} ${byDeal ? 'private' : 'open'} ${index}`
  const bidder = allBidders.pick(random)
  const advertiser = allAdvertisers.pick(random)
  const video = random.unit() < format.videoShare
  const seconds = random.unit() < 0.6 ? 30 : 15
  const seat = `${bidder.slice(0, 3).toLowerCase()}-${1 + random.bits(2)}`
  const sizes = format.creativeSizes.length === 0 ? [size] : format.creativeSizes
  return {
    video,
    price: random.between(0.75, 1.25) * (video ? 1.35 : 1) * (byDeal ? 1.6 : 1),
    fields: {
      adomain: `${advertiser}.example`,
      bidder_name: bidder,
      // Some bidders do not tell their seats.
      buyer_seat: random.unit() < 0.12 ? '' : seat,
      creative_id: `cr_${hex(hashOf(`creative ${key}`))}`,
      creative_mraid: String(!video && formatName !== 'native' && random.unit() < 0.4),
      creative_video_served: String(video),
      global_aid: `ga_${hex(hashOf(`advertiser ${advertiser}`))}`,
      response_deal_id: byDeal ? `deal-${hex(hashOf(`deal ${bidder} ${advertiser}`))}` : '',
      response_video_duration: video ? String(seconds) : '',
      viewability_vendors_response: allVendors.pick(random),
      winning_creative_ad_size: sizes[Math.floor(random.unit() ** 2 * sizes.length)]!,
    },
  }
}

/** The creatives that compete for a slot. Deals are bids by invitation, so theirs are apart, and fewer. */
export function creativesFor(formatName: FormatName, size: string, byDeal: boolean): Lottery<Creative> {
  const random = new Random(`creatives ${formatName} ${size} ${byDeal}`)
  const creatives = Array.from({ length: byDeal ? creativesEach / 3 : creativesEach }, (_, index) =>
    createCreative(formatName, size, byDeal, random, index),
  )
  return zipfLottery(creatives, 0.8)
}
