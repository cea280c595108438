/** Sample publishers. All lists have the largest first. */
type DemoPublisher = {
  readonly id: string
  readonly name: string
  /** The account's key on the ad platform. */
  readonly accountKey: string
  /** Its share of the traffic of all sample publishers. */
  readonly share: number
  /** Games are played at weekends, news is read on weekdays. */
  readonly rhythm: 'games' | 'news'
  readonly countries: readonly string[]
  /** The places are rows of `places` in `inventory.ts`. Each system makes an app. */
  readonly apps: readonly (readonly [name: string, systems: string, pack: string, places: string, version: string])[]
  /** The terms are a row of `terms` in `inventory.ts`. */
  readonly orders: readonly (readonly [terms: string, name: string, advertiser: string, adgroups: string])[]
}

export const demoPublishers: readonly DemoPublisher[] = [
  {
    id: 'aurora-games',
    name: 'Aurora Games',
    accountKey: 'AUR-7F31',
    share: 0.6,
    rhythm: 'games',
    countries: 'US GB DE CA BR FR JP AU MX IN IT ES KR NL SE PL TR ID PH AR ZA CH'.split(' '),
    apps: [
      ['Lantern Drift', 'Android iOS', 'Games - Adventure', 'menu level-end extra-life pause shop', '4.12'],
      ['Marble Parade', 'Android iOS', 'Games - Puzzle', 'menu level-end hint daily-gift', '2.30'],
      ['Sky Orchard', 'Android', 'Games - Simulation', 'menu harvest shop', '1.8'],
      ['Castle of Crumbs', 'iOS', 'Games - Strategy', 'pause level-end daily-gift', '3.4'],
      ['Snailroad Rally', 'Android', 'Games - Racing', 'menu level-end garage', '0.9'],
      ['Night Ferry', 'iOS', 'Games - Adventure', 'level-end hint', '1.2'],
      ['Word Burrow', 'Android', 'Games - Word', 'menu hint', '5.4'],
      ['Tiny Observatory', 'iOS', 'Games - Simulation', 'shop harvest', '1.3'],
    ],
    orders: [
      ['marketplace', 'Open marketplace', 'Marketplace', 'Premium,Standard,Backfill'],
      ['network', 'Brightmoor mediation', 'Brightmoor', 'High floor,Mid floor,Backfill'],
      ['network', 'Cinderpath mediation', 'Cinderpath', 'High floor,Default'],
      ['deal', 'Private marketplace', 'Private deals', 'Seasonal brands,Performance'],
      ['network', 'Dovetide mediation', 'Dovetide', 'Default'],
      ['network', 'Everhollow mediation', 'Everhollow', 'High floor,Default'],
      ['guaranteed', 'Harbor Foods always on', 'Harbor Foods', 'Breakfast hours,Evening hours'],
      ['guaranteed', 'Velmora autumn colours', 'Velmora Cosmetics', 'Launch weeks'],
      ['promotional', 'House promotion', 'Aurora Games', 'Season pass,New games'],
    ],
  },
  {
    id: 'fernway-media',
    name: 'Fernway Media',
    accountKey: 'FRN-20C8',
    share: 0.28,
    rhythm: 'news',
    countries: 'DE US AT CH GB NL FR PL DK BE SE CZ IT NO ES FI IE PT'.split(' '),
    apps: [
      ['Fernway News', 'Android iOS', 'News', 'front-page article story-break clip', '11.3'],
      ['Cloudline Weather', 'Android iOS', 'Weather', 'forecast map', '6.2'],
      ['Touchline Scores', 'Android', 'Sports', 'front-page article clip', '3.7'],
      ['Kitchen Almanac', 'iOS', 'Lifestyle', 'article story-break', '2.2'],
    ],
    orders: [
      ['marketplace', 'Open marketplace', 'Marketplace', 'Core,Backfill'],
      ['network', 'Foxglade mediation', 'Foxglade', 'Default,Backfill'],
      ['guaranteed', 'Nordvale savings', 'Nordvale Bank', 'Mornings,All day'],
      ['deal', 'Private marketplace', 'Private deals', 'Premium news,Automotive'],
      ['network', 'Everhollow mediation', 'Everhollow', 'High floor,Default'],
      ['guaranteed', 'Orrin electric', 'Orrin Motors', 'Launch weeks'],
      ['promotional', 'House promotion', 'Fernway Media', 'Subscriptions'],
    ],
  },
  {
    id: 'tin-kite',
    name: 'Tin Kite Studio',
    accountKey: 'TKS-94AD',
    share: 0.12,
    rhythm: 'games',
    countries: 'BR MX US IN ID AR CO PH TR PT ES CL PE ZA'.split(' '),
    apps: [
      ['Papagaio Pop', 'Android iOS', 'Games - Puzzle', 'menu level-end extra-life', '1.14'],
      ['Bus Stop Solitaire', 'Android', 'Games - Cards', 'menu pause hint', '2.5'],
      ['Market Day', 'Android', 'Games - Simulation', 'harvest shop', '0.6'],
    ],
    orders: [
      ['marketplace', 'Open marketplace', 'Marketplace', 'Standard,Backfill'],
      ['network', 'Brightmoor mediation', 'Brightmoor', 'Default'],
      ['network', 'Cinderpath mediation', 'Cinderpath', 'High floor,Default'],
      ['deal', 'Private marketplace', 'Private deals', 'Summer brands'],
      ['guaranteed', 'Verano summer', 'Sol Verano Drinks', 'Big cities'],
      ['promotional', 'House promotion', 'Tin Kite Studio', 'New games'],
    ],
  },
]
