import type { Fields } from './csv-layout.ts'
import { createDevicePool, type DevicePool } from './device-pool.ts'
import type { Tier } from './formats.ts'
import type { App } from './inventory.ts'
import { countryOf, devices, type Country } from './market.ts'
import type { DemoPublisher } from './publishers.ts'
import { hashOf, Lottery, Random, sumOf, zipf, zipfLottery } from './random.ts'

/** Users of one app who are alike: same country, same device, same choices. Their devices are theirs alone. */
export type Cohort = {
  readonly fields: Fields
  readonly tier: Tier
  readonly hoursAhead: number
  /** Buyers bid less often, and less, for users they cannot recognise. */
  readonly appeal: number
  readonly pool: DevicePool
}

export type Audience = {
  readonly app: App
  /** The app's part of its publisher's traffic. */
  readonly share: number
  readonly cohorts: Lottery<Cohort>
}

/** For each app. */
const cohortsEach = 80

/** Of all publishers together: some three times as many as are seen on a day. */
const devicesAround = 20_000

const consents = {
  asked: new Lottery(
    [
      ['explicit_yes', 'accepted_in_dialog'],
      ['explicit_no', 'declined_in_dialog'],
      ['unknown', 'dialog_dismissed'],
      ['explicit_yes', 'accepted_by_publisher'],
      ['explicit_no', 'withdrawn_in_settings'],
    ] as const,
    [50, 18, 14, 12, 6],
  ),
  notAsked: new Lottery(
    [
      ['unknown', 'outside_consent_region'],
      ['explicit_no', 'tracking_limited'],
    ] as const,
    [86, 14],
  ),
}

// Most users declare neither, so the empty value leads.
const genders = new Lottery(['', 'female', 'male', 'other'], [62, 20, 16.5, 1.5])
const ageRanges = new Lottery(['', '25-34', '18-24', '35-44', '45-54', '55-64', '65+'], [58, 13, 11, 8, 5, 3, 2])

const deviceLotteries = { iOS: zipfLottery(devices.iOS, 0.7), Android: zipfLottery(devices.Android, 0.7) }

function describeCohort(app: App, country: Country, random: Random): { fields: Fields; appeal: number } {
  const [device, osVersions] = deviceLotteries[app.os].pick(random)
  const [status, details] = consents[country.asksConsent ? 'asked' : 'notAsked'].pick(random)
  const versions = osVersions.split(' ')
  const recognised = status !== 'explicit_no' && random.unit() < (app.os === 'iOS' ? 0.42 : 0.96)
  return {
    appeal: (recognised ? 1.06 : 0.8) * random.between(0.93, 1.07),
    fields: {
      country: country.code,
      device,
      os: app.os,
      os_version: versions[Math.floor(random.unit() ** 2 * versions.length)]!,
      consent_status: status,
      consent_status_details: details,
      gender: genders.pick(random),
      age_range: ageRanges.pick(random),
      has_device_id: String(recognised),
      has_location: String(status !== 'explicit_no' && random.unit() < 0.35),
    },
  }
}

/** Each country has its share of the cohorts, and of the traffic, exactly. */
function createCohorts(publisher: DemoPublisher, app: App, appShare: number): Lottery<Cohort> {
  const random = new Random(`audience ${publisher.id} ${app.id}`)
  const countryWeights = zipf(publisher.countries.length, 1.35)
  const countryTotal = sumOf(countryWeights)
  const cohorts: Cohort[] = []
  const weights: number[] = []
  let serial = hashOf(app.id)
  publisher.countries.forEach((code, index) => {
    const country = countryOf(code)
    const countryShare = countryWeights[index]! / countryTotal
    const parts = Array.from({ length: Math.max(1, Math.round(cohortsEach * countryShare)) }, () =>
      random.between(0.3, 1.7),
    )
    const partsTotal = sumOf(parts)
    for (const part of parts) {
      const weight = (countryShare * part) / partsTotal
      const pool = createDevicePool(devicesAround * publisher.share * appShare * weight, serial)
      serial = (serial + pool.size) | 0
      weights.push(weight)
      cohorts.push({
        ...describeCohort(app, country, random),
        pool,
        tier: country.tier,
        hoursAhead: country.hoursAhead,
      })
    }
  })
  return new Lottery(cohorts, weights)
}

const audiences = new WeakMap<DemoPublisher, readonly Audience[]>()

/** The audiences of a publisher's apps. They are kept, since both cubes draw on the same devices every day. */
export function audiencesOf(publisher: DemoPublisher): readonly Audience[] {
  const kept = audiences.get(publisher)
  if (kept !== undefined) return kept
  // A few apps carry most of the traffic.
  const appWeights = zipf(publisher.apps.length, 0.9)
  const created = publisher.apps.map((app, index): Audience => {
    const share = appWeights[index]! / sumOf(appWeights)
    return { app, share, cohorts: createCohorts(publisher, app, share) }
  })
  audiences.set(publisher, created)
  return created
}
