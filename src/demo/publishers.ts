import { app, type App } from './inventory.ts'
import { orderBook, type Order } from './orders.ts'

export type DemoPublisher = {
  readonly id: string
  readonly name: string
  /** The account's key on the ad platform. */
  readonly accountKey: string
  /** Its part of the traffic of all sample publishers. */
  readonly share: number
  /** Games are played at the weekend, news is read on weekdays. */
  readonly rhythm: 'games' | 'news'
  /** Country codes, most users first; the empty one stands for users whose country is not known. */
  readonly countries: readonly string[]
  /** Largest first. */
  readonly apps: readonly App[]
  readonly orders: readonly Order[]
}

const codes = (text: string): readonly string[] => [...text.split(' '), '']

const aurora = orderBook('aurora-games')

const auroraGames: DemoPublisher = {
  id: 'aurora-games',
  name: 'Aurora Games',
  accountKey: 'AUR-7F31',
  share: 0.6,
  rhythm: 'games',
  countries: codes('US GB DE CA BR FR JP AU MX IN IT ES KR NL SE PL TR ID PH AR ZA CH'),
  apps: [
    app(
      'Lantern Drift',
      'Android',
      'Games - Adventure',
      'menu pause level-end extra-life shop',
      '4.12.0 4.11.2 4.11.0 4.10.3 4.9.0',
    ),
    app(
      'Lantern Drift',
      'iOS',
      'Games - Adventure',
      'menu pause level-end extra-life shop',
      '4.12.1 4.12.0 4.11.1 4.10.0',
    ),
    app('Marble Parade', 'Android', 'Games - Puzzle', 'menu level-end hint daily-gift', '2.30.0 2.29.1 2.28.0'),
    app('Marble Parade', 'iOS', 'Games - Puzzle', 'menu level-end hint daily-gift', '2.30.0 2.29.0 2.27.4'),
    app('Sky Orchard', 'Android', 'Games - Simulation', 'menu harvest shop', '1.8.2 1.8.0 1.7.5'),
    app('Castle of Crumbs', 'iOS', 'Games - Strategy', 'pause level-end daily-gift', '3.1.0 3.0.4'),
    app('Snailroad Rally', 'Android', 'Games - Racing', 'menu level-end garage', '0.9.7 0.9.6 0.9.1'),
    app('Night Ferry', 'iOS', 'Games - Adventure', 'level-end hint', '1.2.0 1.1.8'),
    app('Word Burrow', 'Android', 'Games - Word', 'menu hint', '5.4.1 5.4.0 5.2.2'),
    app('Tiny Observatory', 'iOS', 'Games - Simulation', 'shop harvest', '1.0.3 1.0.2'),
  ],
  orders: [
    aurora.marketplace('Premium', 'Standard', 'Backfill'),
    aurora.privateDeals('Seasonal brands', 'Performance'),
    aurora.network('Brightmoor', 'High floor', 'Mid floor', 'Backfill'),
    aurora.network('Cinderpath', 'High floor', 'Default'),
    aurora.network('Dovetide', 'Default'),
    aurora.network('Everhollow', 'High floor', 'Default'),
    aurora.guaranteed('Harbor Foods', 'Harbor Foods always on', 'Breakfast hours', 'Evening hours'),
    aurora.guaranteed('Velmora Cosmetics', 'Velmora autumn colours', 'Launch weeks'),
    aurora.promotional('Aurora Games', 'Season pass', 'New games'),
  ],
}

const fernway = orderBook('fernway-media')

const fernwayMedia: DemoPublisher = {
  id: 'fernway-media',
  name: 'Fernway Media',
  accountKey: 'FRN-20C8',
  share: 0.28,
  rhythm: 'news',
  countries: codes('DE US AT CH GB NL FR PL DK BE SE CZ IT NO ES FI IE PT'),
  apps: [
    app('Fernway News', 'Android', 'News', 'front-page article story-break clip', '11.3.0 11.2.4 11.2.0 11.0.1'),
    app('Fernway News', 'iOS', 'News', 'front-page article story-break clip', '11.3.0 11.2.5 11.1.0'),
    app('Cloudline Weather', 'Android', 'Weather', 'forecast map', '6.0.2 6.0.0 5.9.8'),
    app('Cloudline Weather', 'iOS', 'Weather', 'forecast map', '6.0.1 5.9.9'),
    app('Touchline Scores', 'Android', 'Sports', 'front-page article clip', '3.7.0 3.6.2'),
    app('Kitchen Almanac', 'iOS', 'Lifestyle', 'article story-break', '2.2.0 2.1.1'),
  ],
  orders: [
    fernway.marketplace('Core', 'Backfill'),
    fernway.privateDeals('Premium news', 'Automotive'),
    fernway.network('Foxglade', 'Default', 'Backfill'),
    fernway.network('Everhollow', 'High floor', 'Default'),
    fernway.guaranteed('Nordvale Bank', 'Nordvale savings', 'Mornings', 'All day'),
    fernway.guaranteed('Orrin Motors', 'Orrin electric', 'Launch weeks'),
    fernway.guaranteed('Tarn Outdoors', 'Tarn winter gear', 'Cold days'),
    fernway.promotional('Fernway Media', 'Subscriptions'),
  ],
}

const tin = orderBook('tin-kite')

const tinKite: DemoPublisher = {
  id: 'tin-kite',
  name: 'Tin Kite Studio',
  accountKey: 'TKS-94AD',
  share: 0.12,
  rhythm: 'games',
  countries: codes('BR MX US IN ID AR CO PH TR PT ES CL PE ZA'),
  apps: [
    app('Papagaio Pop', 'Android', 'Games - Puzzle', 'menu level-end extra-life', '1.14.0 1.13.2 1.13.0'),
    app('Bus Stop Solitaire', 'Android', 'Games - Cards', 'menu pause hint', '2.0.5 2.0.4'),
    app('Papagaio Pop', 'iOS', 'Games - Puzzle', 'menu level-end extra-life', '1.14.0 1.13.1'),
    app('Market Day', 'Android', 'Games - Simulation', 'harvest shop', '0.6.1 0.6.0'),
  ],
  orders: [
    tin.marketplace('Standard', 'Backfill'),
    tin.privateDeals('Summer brands'),
    tin.network('Brightmoor', 'Default'),
    tin.network('Cinderpath', 'High floor', 'Default'),
    tin.guaranteed('Sol Verano Drinks', 'Verano summer', 'Big cities'),
    tin.promotional('Tin Kite Studio', 'New games'),
  ],
}

/** Invented publishers: one large, one middle, one small. */
export const demoPublishers: readonly DemoPublisher[] = [auroraGames, fernwayMedia, tinKite]
