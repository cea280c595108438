import type { Cube } from '../catalog/cube.ts'
import { sampleAuctionsDay } from './auctions-day.ts'
import { samplePlatformPerformanceDay } from './platform-performance-day.ts'
import type { DemoPublisher } from './publishers.ts'

/** The header line of the sample files of a cube. */
export function sampleHeader(cube: Cube): string {
  const columns = [
    'account',
    ...cube.dimensions.map(({ column }) => column),
    ...cube.measures.map(({ column }) => column),
    'devices',
  ]
  return `${columns.join(',')}\n`
}

/**
 * The facts of one publisher for one UTC day as CSV rows without a header. The arguments alone decide the text, so days
 * may be made in any order, by any process, as often as needed.
 */
export function sampleDay(cube: Cube, publisher: DemoPublisher, day: string): string {
  switch (cube.alias) {
    case 'auctions':
      return sampleAuctionsDay(publisher, day)
    case 'platform-performance':
      return samplePlatformPerformanceDay(publisher, day)
    default:
      throw new Error(`there is no sample data for the cube ${cube.alias}`)
  }
}
