import type { CsvWriter } from './csv-writer.ts'
import { Lottery, scatter, type Random } from './random.ts'

/**
 * The devices of a cohort: a ring of serial numbers. A window of those that are around moves along it: every day some
 * arrive at its front and some drop out at its end. New ones are the busiest, so a device is seen often at first and
 * less with age. Once gone it stays away for longer than facts are kept, so none seems to come back from the dead.
 */
export type DevicePool = {
  readonly firstSerial: number
  readonly size: number
  readonly around: number
  readonly gapMax: number
}

const aroundMin = 12
// A device is seen along two windows' length at most, a third of the ring or 225 days; then not for 450 days.
const ringToAround = 6
const daysToClose = 675

// Five devices on a row on average.
const countWeights = [8, 13, 15, 14, 12, 10, 8, 6, 5, 4, 3, 2]
const devicesMax = countWeights.length
export const devicesMean = 5

/** How many devices stand on a row. */
export const deviceCounts = new Lottery(
  countWeights.map((_, index) => index + 1),
  countWeights,
)

export function createDevicePool(around: number, firstSerial: number): DevicePool {
  const window = Math.max(aroundMin, Math.round(around))
  const size = window * ringToAround
  return {
    firstSerial,
    size,
    around: window,
    gapMax: Math.max(1, Math.floor(window / devicesMax)),
  }
}

/** How far round the rings a day has come, at least 0 and below 1. */
export const turnOf = (dayNumber: number): number => (dayNumber % daysToClose) / daysToClose

/**
 * Writes the ids of that many different devices: gaps keep them apart and never add up to once around the ring, and
 * scatter gives no two serial numbers the same id.
 */
export function drawDevices(pool: DevicePool, turn: number, count: number, random: Random, writer: CsvWriter): void {
  const { firstSerial, size, gapMax } = pool
  const likely = random.unit()
  let position = Math.floor(turn * size) - Math.floor(likely * likely * pool.around)
  if (position < 0) position += size
  for (let drawn = 0; drawn < count; drawn++) {
    writer.device(scatter((firstSerial + position) | 0), drawn === 0)
    position -= 1 + ((random.bits(16) * gapMax) >>> 16)
    if (position < 0) position += size
  }
}
