import type { FormatName } from './formats.ts'
import { hashOf, hex } from './random.ts'

export type Adunit = {
  readonly id: string
  readonly name: string
  readonly format: FormatName
  readonly size: string
  readonly playables: boolean
}

export type Version = {
  readonly app: string
  /** The ad SDK that this version of the app was built with. */
  readonly sdk: string
}

export type App = {
  readonly id: string
  readonly name: string
  readonly site: string
  readonly os: 'iOS' | 'Android'
  readonly inventoryPackage: string
  /** Newest, and most used, first. */
  readonly versions: readonly Version[]
  /** Busiest first. */
  readonly adunits: readonly Adunit[]
}

type Place = { readonly name: string; readonly format: FormatName; readonly size: string; readonly playables?: boolean }

const places: Readonly<Record<string, Place>> = {
  menu: { name: 'Menu banner', format: 'banner', size: '320x50' },
  pause: { name: 'Pause screen', format: 'banner', size: '300x250' },
  garage: { name: 'Garage banner', format: 'banner', size: '728x90' },
  'level-end': { name: 'Level end', format: 'interstitial', size: '320x480', playables: true },
  'extra-life': { name: 'Extra life', format: 'rewarded video', size: '320x480' },
  hint: { name: 'Buy a hint', format: 'rewarded video', size: '320x480' },
  'daily-gift': { name: 'Daily gift', format: 'rewarded video', size: '480x320' },
  harvest: { name: 'Double harvest', format: 'rewarded video', size: '320x480' },
  shop: { name: 'Shop shelf', format: 'native', size: '1200x627' },
  'front-page': { name: 'Front page top', format: 'banner', size: '320x100' },
  article: { name: 'In article', format: 'native', size: '1200x627' },
  'story-break': { name: 'Between stories', format: 'interstitial', size: '320x480' },
  clip: { name: 'Before the clip', format: 'rewarded video', size: '480x320' },
  forecast: { name: 'Forecast footer', format: 'banner', size: '320x50' },
  map: { name: 'Under the map', format: 'banner', size: '300x250' },
}

const sdkVersions = ['7.4.0', '7.3.1', '7.2.0', '7.0.2', '6.9.5']

/** An app with its ad units and versions; what it owns is named after it, so that nothing is owned twice. */
export function app(name: string, os: App['os'], inventoryPackage: string, placesUsed: string, versions: string): App {
  const slug = name.toLowerCase().replaceAll(' ', '-')
  const key = `${slug}-${os.toLowerCase()}`
  const adunits = placesUsed.split(' ').map((placeName): Adunit => {
    const place = places[placeName]
    if (place === undefined) throw new Error(`no place is called ${placeName}`)
    return {
      id: `au_${hex(hashOf(`adunit ${key} ${placeName}`))}`,
      name: `${name} - ${place.name}`,
      format: place.format,
      size: place.size,
      playables: place.playables ?? false,
    }
  })
  return {
    id: `app_${hex(hashOf(`app ${key}`))}`,
    name: `${name} (${os})`,
    site: `${slug}.example/${os.toLowerCase()}`,
    os,
    inventoryPackage,
    versions: versions.split(' ').map((version, index) => ({ app: version, sdk: sdkVersions[index] ?? '6.9.5' })),
    adunits,
  }
}
