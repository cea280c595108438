import { execFileSync } from 'node:child_process'
import { totalmem } from 'node:os'
import type { Settings } from '../settings.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const nodeMajorMin = 24
/** The most connections of a server, and some files. */
const openFilesWanted = 24_000
const openFilesMin = 1_024
const mb = 2 ** 20
/** Memory of a server with some thousands of connections. */
const serverMb = 300
/** Memory of the query process besides that of the engine. */
const queryOverheadMb = 300

export function checkNode(): Finding {
  const { node } = process.versions
  if (Number(node.split('.', 1)[0]) < nodeMajorMin) return fail(`Node ${node}: install ${nodeMajorMin} or newer.`)
  return ok(`Node ${node}`)
}

export function checkOpenFiles(): Finding {
  const text = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  const limit = text === 'unlimited' ? Infinity : Number(text)
  const advice = `raise it with LimitNOFILE= of the service or ulimit -n; ${openFilesWanted} is enough for all connections.`
  if (limit < openFilesMin) return fail(`At most ${limit} open files in this shell: ${advice}`)
  if (limit < openFilesWanted) return warn(`At most ${limit} open files in this shell: ${advice}`)
  return ok(`${text} in this shell`)
}

/** Only large queries and reports reach the limits of memory, but all of them together should fit. */
export function checkMemory(settings: Settings): Finding {
  const { cacheMb, queryMemoryMb, exportMemoryMb, exports, clickhouseUrl } = settings
  const constrained = process.constrainedMemory()
  const isConstrained = constrained > 0 && constrained < totalmem()
  const availableMb = Math.floor((isConstrained ? constrained : totalmem()) / mb)
  const place = isConstrained ? 'The control group' : 'The machine'
  if (clickhouseUrl !== undefined) {
    return availableMb < serverMb
      ? warn(`${place} has ${availableMb} MB.`)
      : ok(`${availableMb} MB; ClickHouse has its own`)
  }
  const queriesMb = serverMb + cacheMb + queryMemoryMb + queryOverheadMb
  const wantedMb = queriesMb + exports * exportMemoryMb
  if (queriesMb > availableMb) {
    return fail(
      `${place} has ${availableMb} MB, and queries alone may take ${queriesMb} MB: lower ADCUBE_QUERY_MEMORY_MB (${queryMemoryMb}).`,
    )
  }
  if (wantedMb > availableMb) {
    return warn(
      `${place} has ${availableMb} MB, and queries and ${exports} reports at once may take ${wantedMb} MB: lower ` +
        `ADCUBE_QUERY_MEMORY_MB (${queryMemoryMb}), ADCUBE_EXPORTS (${exports}) or ADCUBE_EXPORT_MEMORY_MB (${exportMemoryMb}).`,
    )
  }
  return ok(`${availableMb} MB, of which queries and reports take at most ${wantedMb} MB`)
}
