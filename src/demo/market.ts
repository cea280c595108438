import type { Tier } from './formats.ts'

/** What the sample data knows of the world: countries, devices, and an invented market of buyers. */

export type Country = {
  readonly code: string
  readonly tier: Tier
  /** Hours ahead of UTC, for daily habits. */
  readonly hoursAhead: number
  /** Whether users there are asked for consent. */
  readonly asksConsent: boolean
}

const zones: readonly (readonly [tier: Tier, hoursAhead: number, asksConsent: boolean, codes: string])[] = [
  [0, -6, false, 'US CA'],
  [0, 0, true, 'GB IE'],
  [0, 1, true, 'DE FR NL SE CH AT DK NO BE'],
  [0, 9, false, 'JP KR'],
  [0, 10, false, 'AU'],
  [1, 0, true, 'PT'],
  [1, 1, true, 'IT ES PL CZ'],
  [1, 2, true, 'FI'],
  [1, -3, false, 'BR CL AR'],
  [1, -6, false, 'MX'],
  [2, -5, false, 'CO PE'],
  [2, 2, false, 'ZA'],
  [2, 3, false, 'TR'],
  [2, 5, false, 'IN'],
  [2, 7, false, 'ID'],
  [2, 8, false, 'PH'],
]

const countries = new Map<string, Country>(
  zones.flatMap(([tier, hoursAhead, asksConsent, codes]) =>
    codes.split(' ').map((code) => [code, { code, tier, hoursAhead, asksConsent }] as const),
  ),
)

export function countryOf(code: string): Country {
  return countries.get(code) ?? { code, tier: 2, hoursAhead: 0, asksConsent: false }
}

/** Most used first, each with the versions of the system that it runs, most used first too. */
export const devices = {
  iOS: [
    ['iPhone 15', '18.5 18.4 17.7'],
    ['iPhone 14', '18.5 18.4 17.7 16.7'],
    ['iPhone 13', '18.4 17.7 16.7'],
    ['iPhone 15 Pro', '18.5 18.4'],
    ['iPhone SE', '17.7 16.7 15.8'],
    ['iPad 10', '18.4 17.7'],
    ['iPhone 12', '17.7 16.7'],
    ['iPad mini 6', '18.4 17.7'],
    ['iPhone 11', '17.7 16.7 15.8'],
  ],
  Android: [
    ['Galaxy A15', '15 14'],
    ['Galaxy S23', '15 14 13'],
    ['Redmi Note 12', '14 13 12'],
    ['Pixel 8', '16 15 14'],
    ['Galaxy A54', '15 14 13'],
    ['Moto G54', '14 13'],
    ['Redmi 12C', '13 12'],
    ['Pixel 7a', '16 15'],
    ['Galaxy Tab A9', '14 13'],
    ['Moto E13', '13'],
    ['Nord CE 3', '14 13'],
    ['Galaxy A03', '12 11'],
  ],
} as const

/** Local hours of a day, from midnight on: a dip in the night, a small peak at noon and a large one in the evening. */
export const hourWeights = [22, 14, 9, 6, 6, 9, 18, 31, 39, 42, 45, 49, 57, 53, 49, 50, 54, 60, 68, 77, 86, 84, 66, 41]

export const bidders = [
  'Kestrelbid',
  'Marrowstone',
  'Ottervane',
  'Quayside Demand',
  'Tallowmere',
  'Umberline',
  'Pinhook Trading',
  'Vexillo',
  'Sedgeworth',
  'Hollin Reach',
]

/** Their domains end in .example, which can never belong to anyone. */
export const advertisers = [
  'harbor-foods',
  'merge-meadow',
  'orrin-motors',
  'velmora',
  'dragon-ledger',
  'nordvale-bank',
  'pebble-match',
  'sol-verano',
  'tarn-outdoors',
  'quickfern-delivery',
  'starling-mobile',
  'bakers-row',
  'idle-quarry',
  'lumen-learn',
  'cobalt-fitness',
  'wren-and-oak',
  'hexa-heroes',
  'marisol-travel',
  'plumb-insurance',
  'tidepool-tv',
]

export const viewabilityVendors = ['', 'sightmark', 'sightmark|viewproof', 'viewproof', 'truegaze']
