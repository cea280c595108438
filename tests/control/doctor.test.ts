import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { recordAudit } from '../../src/store/audit.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { openStore } from '../../src/store/open-store.ts'
import { findSecret } from '../../src/store/secrets.ts'
import { atEnd } from '../setup/at-end.ts'
import { makeCertificate } from '../setup/certificate.ts'
import { openFolder } from '../setup/serve.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

/** Runs the real command with only these settings. */
async function examine(settings: Readonly<Record<string, string>>, flags: readonly string[] = ['--json']) {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'doctor', ...flags], {
    env: { PATH: process.env.PATH, ADCUBE_PORT: '0', ADCUBE_QUERY_MEMORY_MB: '256', ADCUBE_EXPORTS: '0', ...settings },
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: Number(code), stdout, stderr }
}

type Found = { readonly name: string; readonly status: string; readonly detail: string }

async function find(settings: Readonly<Record<string, string>>) {
  const { code, stdout } = await examine(settings)
  const { healthy, checks } = JSON.parse(stdout) as { healthy: boolean; checks: readonly Found[] }
  expect(code).toBe(healthy ? 0 : 1)
  const of = (name: string): Found => checks.find((check) => check.name === name)!
  return { code, checks, of, worst: checks.filter(({ status }) => status === 'fail').map(({ name }) => name) }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-doctor-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Reads every file of a folder. */
async function contentOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.toSorted().map(async (file) => `${file} ${(await readFile(file)).toString('base64')}`))
}

it('a running installation is healthy, and the check changes nothing', async () => {
  const { folder, serve } = await openFolder()
  const metrics = String(await findFreePort())
  const { child, address } = serve([], { ADCUBE_METRICS_PORT: metrics })
  const { port } = new URL(await address())
  const beside = await find({ ADCUBE_DATA_DIR: folder, ADCUBE_PORT: port, ADCUBE_METRICS_PORT: metrics })
  expect(beside.worst).toEqual([])
  expect(beside.of('Port')).toMatchObject({ status: 'ok', detail: expect.stringContaining('Adcube is running') })
  expect(beside.of('Metrics port').detail).toContain('Adcube is running')
  expect(beside.of('Engine')).toMatchObject({ status: 'ok', detail: expect.stringContaining('DuckDB') })
  expect(beside.of('Control data')).toMatchObject({ status: 'ok' })

  child.kill('SIGTERM')
  await once(child, 'exit')
  const before = await contentOf(folder)
  expect((await find({ ADCUBE_DATA_DIR: folder })).worst).toEqual([])
  expect(await contentOf(folder)).toEqual(before)
})

it('a folder that does not exist is not created', async () => {
  const folder = join(await makeFolder(), 'data')
  const { worst, of } = await find({ ADCUBE_DATA_DIR: folder })
  expect(worst).toEqual([])
  expect(of('Data folder').status).toBe('warn')
  await expect(stat(folder)).rejects.toThrow('ENOENT')
})

it('all invalid and unknown settings are reported', async () => {
  const { code, checks } = await find({ ADCUBE_PORT: 'x', ADCUBE_EXPORTS: '-1', ADCUBE_PROT: '1' })
  expect(code).toBe(1)
  expect(checks.map(({ status, detail }) => `${status} ${detail.split(' ', 1)[0]}`)).toEqual([
    'fail ADCUBE_PORT',
    'fail ADCUBE_EXPORTS',
    'warn ADCUBE_PROT',
  ])
  expect((await find({ ADCUBE_HOST: '0.0.0.0' })).checks[0]).toMatchObject({ status: 'fail', name: 'Settings' })
})

it('the text output has a line for each check', async () => {
  const { stdout, stderr } = await examine({ ADCUBE_DATA_DIR: await makeFolder() }, [])
  expect(stderr).toBe('')
  const lines = stdout.trimEnd().split('\n')
  expect(lines.map((line) => /^(?:ok|warn|fail) +([A-Z]\w+(?: \w+)?) {2,}\S/.exec(line)?.[1])).toEqual([
    'Settings',
    'Node',
    'Open files',
    'Memory',
    'Data folder',
    'Reports folder',
    'Control data',
    'Clock',
    'Engine',
    'TLS',
    'Port',
    'Metrics port',
  ])
})

it('more memory than the machine has, a folder that is a file, and a port in use are failures', async () => {
  const folder = await makeFolder()
  const file = join(folder, 'file')
  await writeFile(file, '')
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { worst, of } = await find({
    ADCUBE_DATA_DIR: folder,
    ADCUBE_REPORTS: file,
    ADCUBE_QUERY_MEMORY_MB: '1048576',
    ADCUBE_PORT: String((server.address() as AddressInfo).port),
  })
  server.close()
  expect(worst).toEqual(['Memory', 'Reports folder', 'Port'])
  expect(of('Memory').detail).toContain('lower ADCUBE_QUERY_MEMORY_MB')
})

it('a folder that everybody can read is a warning', async () => {
  const folder = await makeFolder()
  await chmod(folder, 0o755)
  expect((await find({ ADCUBE_DATA_DIR: folder })).of('Data folder')).toMatchObject({
    status: 'warn',
    detail: expect.stringContaining('chmod'),
  })
})

it('facts and reports that belong to other control data are failures', async () => {
  const place = await makePlace('SQLite')
  const store = await openStoreAt(place)
  const owner = (await findSecret(store, 'engine-owner')).toString('hex')
  await mkdir(join(place.folder, 'facts'))
  await mkdir(join(place.folder, 'reports'), { mode: 0o700 })
  for (const name of ['facts', 'reports']) await writeFile(join(place.folder, name, 'owner'), owner)
  expect((await find({ ADCUBE_DATA_DIR: place.folder })).worst).toEqual([])
  for (const name of ['facts', 'reports']) await writeFile(join(place.folder, name, 'owner'), 'another')
  const { of } = await find({ ADCUBE_DATA_DIR: place.folder })
  expect(of('Engine')).toMatchObject({ status: 'fail', detail: expect.stringContaining('other control data') })
  expect(of('Engine').detail).not.toContain(owner)
  expect(of('Reports folder')).toMatchObject({ status: 'fail', detail: expect.stringContaining('ADCUBE_REPORTS') })
})

it.each(['SQLite', 'PostgreSQL'] as const)(
  'steps that are missing or unknown and times in the future are found in %s',
  async (database) => {
    const place = await makePlace(database)
    const store = await openStoreAt(place)
    const settings = { ADCUBE_DATA_DIR: place.folder, ADCUBE_DATABASE_URL: place.databaseUrl ?? '' }
    await insertAccount(store, { id: 'a', name: 'A', createdAt: Date.now() })
    const past = { accountId: 'a', at: Date.now(), actor: 'a', action: 'key.created', subject: 'a' } as const
    await recordAudit(store, past)
    const fine = await find(settings)
    expect([fine.of('Control data').status, fine.of('Clock').status]).toEqual(['ok', 'ok'])
    if (place.databaseUrl !== undefined) {
      // Another address of this machine, which is not known to be one.
      const remote = { ...settings, ADCUBE_DATABASE_URL: place.databaseUrl.replace('127.0.0.1', '0.0.0.0') }
      expect((await find(remote)).of('Control data')).toMatchObject({
        status: 'warn',
        detail: expect.stringContaining('without TLS'),
      })
    }

    const ahead = { NODE_OPTIONS: '--import=data:text/javascript,let{now}=Date;Date.now=()=>now()+36e5' }
    // With SQLite there is no other clock to compare with.
    const { status, detail } = (await find({ ...settings, ...ahead })).of('Clock')
    if (database === 'PostgreSQL')
      expect([status, detail]).toEqual(['warn', expect.stringMatching(/36\d\d\.\d s behind/)])
    else expect(status).toBe('ok')

    await recordAudit(store, { ...past, at: Date.now() + 3_600_000 })
    expect((await find(settings)).of('Clock')).toMatchObject({ status: 'fail', detail: expect.stringContaining('NTP') })

    const steps = (store as any).withTables()
    await steps.deleteFrom('kysely_migration').where('name', '=', '001-control-data').execute()
    const pending = (await find(settings)).of('Control data')
    expect(pending).toMatchObject({ status: 'warn', detail: expect.stringContaining('001-control-data') })
    await steps.insertInto('kysely_migration').values({ name: '999-later', timestamp: '' }).execute()
    const unknown = (await find(settings)).of('Control data')
    expect(unknown).toMatchObject({ status: 'fail', detail: expect.stringContaining('999-later') })
    // A start says it in words, too.
    await steps.insertInto('kysely_migration').values({ name: '001-control-data', timestamp: '' }).execute()
    await expect(openStore(place)).rejects.toThrow(
      /^The control data belong to a newer version of Adcube: this version does not know 999-later\. Install /,
    )
  },
)

it('a damaged SQLite file is a failure', async () => {
  const folder = await makeFolder()
  await writeFile(join(folder, 'adcube.db'), 'this is no database'.repeat(1_000), { mode: 0o600 })
  expect((await find({ ADCUBE_DATA_DIR: folder })).of('Control data').status).toBe('fail')
})

it('servers that are away or refuse the connection are failures, reported without passwords', async () => {
  const folder = await makeFolder()
  const place = await makePlace('PostgreSQL')
  const wrong = new URL(place.databaseUrl!)
  wrong.username = 'nobody'
  wrong.password = 'swordfish%2F'
  for (const url of [wrong.href, 'postgres://u:swordfish%2F@127.0.0.1:1/x']) {
    const { stdout, code, stderr } = await examine({
      ADCUBE_DATA_DIR: folder,
      ADCUBE_DATABASE_URL: url,
      ADCUBE_CLICKHOUSE_URL: 'http://u:swordfish%2F@127.0.0.1:1/x',
    })
    expect(code).toBe(1)
    expect(stdout + stderr).not.toContain('swordfish')
    const { checks } = JSON.parse(stdout) as { checks: readonly Found[] }
    const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name)
    expect(failed).toEqual(['Control data', 'Engine'])
  }
})

it('an expired certificate and a key of another certificate are failures', async () => {
  const folder = await makeFolder()
  const make = async (name: string, until: string) => {
    const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
    const { cert, key } = makeCertificate('2020-01-01', until)
    await writeFile(certFile, cert)
    await writeFile(keyFile, key, { mode: 0o600 })
    return { ADCUBE_DATA_DIR: folder, ADCUBE_TLS_CERT: certFile, ADCUBE_TLS_KEY: keyFile }
  }
  const good = await make('good', '2099-01-01')
  expect((await find(good)).of('TLS')).toEqual({ name: 'TLS', status: 'ok', detail: 'valid until 2099-01-01' })
  const old = await make('old', '2021-01-01')
  expect((await find(old)).of('TLS')).toMatchObject({ status: 'fail', detail: expect.stringContaining('expired') })
  const mixed = { ...good, ADCUBE_TLS_KEY: old.ADCUBE_TLS_KEY }
  expect((await find(mixed)).of('TLS')).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining('does not belong'),
  })
})
