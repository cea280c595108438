import { checkClock, checkControlData } from './doctor/check-control-data.ts'
import { checkEngine } from './doctor/check-engine.ts'
import { checkDataFolder, checkReportsFolder } from './doctor/check-folders.ts'
import { checkMemory, checkNode, checkOpenFiles } from './doctor/check-machine.ts'
import { checkMetricsPort, checkPort } from './doctor/check-ports.ts'
import { checkTls } from './doctor/check-tls.ts'
import { fail, messageOf, ok, warn, type Check, type Finding } from './doctor/finding.ts'
import { hideSecrets } from './doctor/hide-secrets.ts'
import { print } from './output.ts'
import { demandSafeHost, readSettings, SettingsError, unknownSettings, type Settings } from './settings.ts'

const checks: Readonly<Record<string, Check>> = {
  Node: checkNode,
  'Open files': checkOpenFiles,
  Memory: checkMemory,
  'Data folder': checkDataFolder,
  'Reports folder': checkReportsFolder,
  'Control data': checkControlData,
  Clock: checkClock,
  Engine: checkEngine,
  TLS: checkTls,
  Port: checkPort,
  'Metrics port': checkMetricsPort,
}

/** A server that accepts connections and says nothing is as good as away. */
const checkMsMax = 20_000

export async function doctorCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const found = await examine(process.env, flags)
  const shown = found.map(([name, { status, detail }]) => ({ name, status, detail }))
  const lines = shown.map(({ name, status, detail }) => `${status.padEnd(6)}${name.padEnd(16)}${detail}\n`)
  const hasFailed = shown.some(({ status }) => status === 'fail')
  print(flags, { healthy: !hasFailed, checks: shown }, lines.join(''))
  return hasFailed ? 1 : 0
}

type Found = readonly (readonly [name: string, finding: Finding])[]

async function examine(env: NodeJS.ProcessEnv, flags: Readonly<Record<string, unknown>>): Promise<Found> {
  const named = (findings: readonly Finding[]): Found => findings.map((finding) => ['Settings', finding])
  const unknown = unknownSettings(env).map(warn)
  let settings: Settings
  try {
    settings = readSettings(env, flags)
    demandSafeHost(settings)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    // Each fault is a line of its own. What they are about cannot be looked at before they are right.
    return named([...error.message.split('\n').map(fail), ...unknown])
  }
  const found: [string, Finding][] = []
  for (const [name, check] of Object.entries(checks)) found.push([name, await look(check, settings)])
  return [...named(unknown.length > 0 ? unknown : [ok('all known and valid')]), ...found]
}

async function look(check: Check, settings: Settings): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(fail(`No answer within ${checkMsMax / 1_000} s.`)), checkMsMax)
  })
  try {
    const { status, detail } = await Promise.race([check(settings), late])
    return { status, detail: hideSecrets(detail, settings) }
  } catch (error) {
    return fail(hideSecrets(messageOf(error), settings))
  } finally {
    clearTimeout(timer)
  }
}
