export type FormatName = 'banner' | 'interstitial' | 'rewarded video' | 'native'

/** How well a country's users are paid for: 0 best, 2 least. It indexes the lists below. */
export type Tier = 0 | 1 | 2

export type Format = {
  readonly name: FormatName
  /** How often a placement of it is used, against the others. */
  readonly traffic: number
  /** Longest video accepted, in seconds; none where video is not shown. */
  readonly videoSeconds: number | undefined
  /** The share of creatives that are videos. */
  readonly videoShare: number
  /** Two floors are tried against each other in each tier, in currency for a thousand impressions. */
  readonly floors: readonly (readonly [string, string])[]
  /** The share of auctions with a bid above the floor. */
  readonly winRate: readonly number[]
  /** The share of won auctions that become an impression. */
  readonly survivalRate: number
  readonly clickRate: readonly number[]
  /** The share of shown videos that play to the end. */
  readonly completionRate: number
  readonly creativeSizes: readonly string[]
}

export const formats: Readonly<Record<FormatName, Format>> = {
  banner: {
    name: 'banner',
    traffic: 1.6,
    videoSeconds: undefined,
    videoShare: 0,
    floors: [
      ['0.40', '0.50'],
      ['0.20', '0.25'],
      ['0.08', '0.10'],
    ],
    winRate: [0.58, 0.47, 0.34],
    survivalRate: 0.94,
    clickRate: [0.004, 0.005, 0.008],
    completionRate: 0,
    creativeSizes: [],
  },
  interstitial: {
    name: 'interstitial',
    traffic: 0.9,
    videoSeconds: 30,
    videoShare: 0.55,
    floors: [
      ['3.50', '4.00'],
      ['1.50', '2.00'],
      ['0.60', '0.80'],
    ],
    winRate: [0.64, 0.5, 0.36],
    survivalRate: 0.73,
    clickRate: [0.022, 0.027, 0.041],
    completionRate: 0.58,
    creativeSizes: ['320x480', '480x320', '300x250', '768x1024'],
  },
  'rewarded video': {
    name: 'rewarded video',
    traffic: 0.7,
    videoSeconds: 60,
    videoShare: 0.93,
    floors: [
      ['6.00', '8.00'],
      ['3.00', '4.00'],
      ['1.00', '1.50'],
    ],
    winRate: [0.71, 0.57, 0.41],
    survivalRate: 0.81,
    clickRate: [0.016, 0.02, 0.03],
    completionRate: 0.91,
    creativeSizes: ['320x480', '480x320'],
  },
  native: {
    name: 'native',
    traffic: 0.8,
    videoSeconds: undefined,
    videoShare: 0,
    floors: [
      ['0.90', '1.20'],
      ['0.50', '0.60'],
      ['0.20', '0.25'],
    ],
    winRate: [0.49, 0.38, 0.27],
    survivalRate: 0.88,
    clickRate: [0.007, 0.008, 0.011],
    completionRate: 0,
    creativeSizes: [],
  },
}
