import { unescape } from 'node:querystring'
import { checkClock, checkControlData, checkEngine } from './check-control-data.ts'
import { checkDataFolder, checkReportsFolder } from './check-folders.ts'
import { checkMemory, checkNode, checkOpenFiles } from './check-machine.ts'
import { checkMetricsPort, checkPort } from './check-ports.ts'
import { checkTls } from './check-tls.ts'
import { fail, messageOf, ok, warn, type Check, type Finding } from './finding.ts'
import { readSettings, requireSafeHost, unknownSettings, UsageError, type Settings } from '../settings.ts'

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

/** A server that accepts connections but does not answer counts as down. */
const checkMsMax = 20_000

/** Checks the settings, and then everything that they refer to. */
export async function examine(env: NodeJS.ProcessEnv, flags: Readonly<Record<string, unknown>>) {
  const named = (findings: readonly Finding[]) => findings.map((finding) => ({ name: 'Settings', ...finding }))
  const unknown = unknownSettings(env).map(warn)
  let settings: Settings
  try {
    settings = readSettings(env, flags)
    requireSafeHost(settings)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    // Other checks need valid settings.
    return named([...error.message.split('\n').map(fail), ...unknown])
  }
  const found = named(unknown.length > 0 ? unknown : [ok('all known and valid')])
  for (const [name, check] of Object.entries(checks)) found.push({ name, ...(await run(check, settings)) })
  return found
}

async function run(check: Check, settings: Settings): Promise<Finding> {
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

/** Removes the passwords of the settings from a text. Errors of drivers can contain them. */
function hideSecrets(text: string, { databaseUrl, clickhouseUrl, clickhouseReaderUrl }: Settings): string {
  const passwords = [databaseUrl, clickhouseUrl, clickhouseReaderUrl]
    .map((url) => (url === undefined ? '' : (URL.parse(url)?.password ?? '')))
    .flatMap((password) => [password, unescape(password)])
    .filter((password) => password !== '')
  return passwords.reduce((rest, password) => rest.replaceAll(password, '…'), text)
}
