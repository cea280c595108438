import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readOwner } from '../../facts/claim-folder.ts'
import { describeOthersReports } from '../../reports/storage.ts'
import type { Settings } from '../settings.ts'
import { fail, ok, warn, worst, type Finding } from './finding.ts'
import { inspectStore } from './inspect-store.ts'

const mb = 2 ** 20
/** Enough space to load a large day. */
const freeMbWanted = 5_120

/** The numbers that statfs returns on Linux. SQLite's locks and its shared memory need a local file system. */
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff53_4d42, 'CIFS'],
  [0xfe53_4d42, 'SMB2'],
  [0x00c3_6400, 'Ceph'],
  [0x0bd0_0bd0, 'Lustre'],
  [0x0102_1997, '9P'],
  [0x4750_4653, 'GPFS'],
])
const memoryFileSystems = new Map([[0x0102_1994, 'tmpfs']])

export async function checkDataFolder({ dataDir, databaseUrl, exportFreeMb }: Settings): Promise<Finding> {
  const folder = resolve(dataDir)
  const found = await stat(folder).catch(() => undefined)
  if (!found) return checkNewFolder(folder, 'ADCUBE_DATA_DIR')
  const usable = await checkUsable(folder, found.isDirectory(), 'ADCUBE_DATA_DIR')
  if (usable.status === 'fail') return usable
  const type = (await statfs(folder)).type
  const network = networkFileSystems.get(type)
  const memory = memoryFileSystems.get(type)
  return worst([
    usable,
    await checkSecrecy(folder),
    await checkOwner(folder),
    await checkFree(folder, exportFreeMb),
    network !== undefined &&
      databaseUrl === undefined &&
      warn(`${folder} is on ${network}: SQLite needs a local disk, or set ADCUBE_DATABASE_URL.`),
    memory !== undefined && warn(`${folder} is on ${memory} and is lost when the machine stops.`),
  ])
}

export async function checkReportsFolder(settings: Settings): Promise<Finding> {
  const { dataDir, reports, exportFreeMb } = settings
  const folder = resolve(reports)
  const stats = await stat(folder).catch(() => undefined)
  if (!stats) {
    return folder === resolve(join(dataDir, 'reports'))
      ? ok('made by the first server')
      : checkNewFolder(folder, 'ADCUBE_REPORTS')
  }
  const usable = await checkUsable(folder, stats.isDirectory(), 'ADCUBE_REPORTS')
  if (usable.status === 'fail') return usable
  const owner = (await inspectStore(settings).catch(() => undefined))?.owner
  const found = await readOwner(folder)
  return worst([
    usable,
    await checkSecrecy(folder),
    await checkFree(folder, exportFreeMb),
    owner !== undefined && found !== undefined && found !== owner && fail(describeOthersReports(folder)),
  ])
}

async function checkNewFolder(folder: string, setting: string): Promise<Finding> {
  let parent = dirname(folder)
  while (!(await stat(parent).catch(() => undefined))) parent = dirname(parent)
  if (await isUsable(parent)) return warn(`${folder} does not exist yet; the first start creates it.`)
  return fail(`${folder} does not exist and cannot be created in ${parent}: choose another folder with ${setting}.`)
}

async function checkUsable(folder: string, isFolder: boolean, setting: string): Promise<Finding> {
  if (!isFolder) return fail(`${folder} is not a folder: choose another one with ${setting}.`)
  if (await isUsable(folder)) return ok(folder)
  return fail(`This user cannot read and write ${folder}: run as its owner, or chown it.`)
}

const isUsable = (folder: string): Promise<boolean> =>
  access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )

async function checkSecrecy(folder: string): Promise<Finding | false> {
  const { mode } = await stat(folder)
  return (mode & 0o007) !== 0 && warn(`All users of this machine can read ${folder}: run chmod o-rwx on it.`)
}

/** Another user cannot write the files of the server's user. */
async function checkOwner(folder: string): Promise<Finding | false> {
  const { uid } = await stat(folder)
  const own = process.getuid?.() ?? uid
  return (
    own !== uid &&
    warn(`${folder} belongs to user ${uid}, but this is user ${own}: run Adcube and its commands as the same user.`)
  )
}

async function checkFree(folder: string, freeMbMin: number): Promise<Finding> {
  const { bavail, bsize, blocks } = await statfs(folder)
  const freeMb = Math.floor((bavail * bsize) / mb)
  const share = Math.round((100 * bavail) / Math.max(1, blocks))
  if (freeMb < freeMbMin) {
    return fail(
      `Only ${freeMb} MB are free. Reports wait below ADCUBE_EXPORT_FREE_MB (${freeMbMin}): free some disk space.`,
    )
  }
  return freeMb < freeMbWanted
    ? warn(`Only ${freeMb} MB are free (${share} %): free some disk space soon.`)
    : ok(`${freeMb} MB free`)
}
