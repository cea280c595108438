import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { cubes } from '../../src/catalog/cubes.ts'
import { beginLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import type { StorePlace } from '../../src/store/open-store.ts'
import type { CommandOutcome } from '../setup/run-commands.ts'
import { makePlace, databases, openStoreAt } from '../setup/stores.ts'

const spawnScript = ({ folder, databaseUrl = '' }: StorePlace, words: readonly string[]) =>
  spawn(process.execPath, words, {
    env: { ...process.env, ADCUBE_DATA_DIR: folder, ADCUBE_DATABASE_URL: databaseUrl },
  })

/** Runs the real command in a separate process, on a control database. */
const runner =
  (place: StorePlace) =>
  async (args: readonly string[], input = ''): Promise<CommandOutcome> => {
    const child = spawnScript(place, ['src/cli/main.ts', ...args])
    child.stdin.end(input)
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    return { code: Number(code), stdout, stderr }
  }

/** Runs commands in one process, which takes a tenth of the time of a process for each. */
function sharedRunner(place: StorePlace) {
  const child = spawnScript(place, ['tests/setup/run-commands.ts'])
  const outcomes = createInterface(child.stdout)[Symbol.asyncIterator]()
  afterAll(() => child.kill())
  return async (args: readonly string[]): Promise<CommandOutcome> => {
    child.stdin.write(`${JSON.stringify(args)}\n`)
    return JSON.parse(String((await outcomes.next()).value))
  }
}

describe.each(databases)('the commands, with the control data in %s', async (database) => {
  const place = await makePlace(database)
  const run = runner(place)
  const runShared = sharedRunner(place)
  const json = async (args: readonly string[], input?: string) => {
    const words = [...args, '--json']
    const { code, stdout, stderr } = await (input === undefined ? runShared(words) : run(words, input))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  it('create, list and remove an account, a sign-in and a key', async () => {
    const account = await json(['account', 'create', 'Aurora Games', '--cubes', 'auctions'])
    expect(account).toMatchObject({ id: 'aurora-games', name: 'Aurora Games', cubes: ['publisher_auctions_cube'] })
    const key = await json(['key', 'create', '--account', 'aurora-games', '--name', 'Nightly'])
    expect(key).toMatchObject({ id: expect.stringMatching(/^key_/), key: expect.stringMatching(/^adc_\w{46}$/) })
    const keys = await json(['key', 'list', '--account', 'aurora-games'])
    expect(keys).toMatchObject([{ id: key.id, name: 'Nightly', last_four: key.key.slice(-4), status: 'active' }])
    expect(JSON.stringify(keys)).not.toContain(key.key)

    const user = await json(['user', 'create', '--account', 'aurora-games', '--email', 'Boss@Aurora.example'])
    expect(user).toMatchObject({
      email: 'boss@aurora.example',
      role: 'administrator',
      password: expect.stringMatching(/.{20}/),
    })
    const given = 'from standard input'
    const member = ['user', 'create', '--account', 'aurora-games', '--email', 'm@aurora.example', '--role', 'member']
    expect(await json([...member, '--password-stdin'], `${given}\n`)).not.toHaveProperty('password')
    expect(await json(['user', 'list', '--account', 'aurora-games'])).toMatchObject([
      { email: 'boss@aurora.example' },
      { email: 'm@aurora.example', role: 'member' },
    ])

    const table = await runShared(['user', 'list'])
    expect(table.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['EMAIL', 'ACCOUNT', 'ROLE', 'STATUS', 'LAST SIGNED IN AT'],
      ['boss@aurora.example', 'aurora-games', 'administrator', 'active', '-'],
      ['m@aurora.example', 'aurora-games', 'member', 'active', '-'],
      [''],
    ])

    expect(await json(['account', 'set', 'aurora-games', '--rate-factor', '10'])).toMatchObject({ rate_factor: 10 })
    expect(await json(['account', 'show', 'aurora-games'])).toMatchObject({
      active_keys: 1,
      people: 2,
      status: 'active',
    })
    expect(await json(['account', 'disable', 'aurora-games'])).toMatchObject({ status: 'disabled' })
    expect(await json(['account', 'enable', 'aurora-games'])).toMatchObject({ status: 'active' })
    expect(await json(['user', 'password', 'BOSS@aurora.example'])).toHaveProperty('password')
    await json(['account', 'create', 'Borealis'])
    const second = ['user', 'create', '--account', 'borealis', '--email', 'm@aurora.example']
    expect(await runShared(second)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('m@aurora.example has a password, which an Administrator of another account'),
    })
    expect(await json([...second, '--keep-password'])).not.toHaveProperty('password')
    const everywhere = await json(['user', 'list'])
    expect(everywhere.map(({ email, account, role }: any) => [email, account, role])).toEqual([
      ['boss@aurora.example', 'aurora-games', 'administrator'],
      ['m@aurora.example', 'aurora-games', 'member'],
      ['m@aurora.example', 'borealis', 'administrator'],
    ])
    const remove = ['user', 'remove', 'm@aurora.example']
    expect(await run(remove)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('m@aurora.example belongs to aurora-games, borealis: specify --account.'),
    })
    expect(await json([...remove, '--account', 'aurora-games'])).toMatchObject({ role: 'member' })
    expect(await json(['user', 'list', '--account', 'borealis'])).toMatchObject([{ email: 'm@aurora.example' }])
    expect(await json(['key', 'delete', key.id])).toEqual({ id: key.id, account: 'aurora-games' })
    expect(await json(['key', 'list', '--account', 'aurora-games'])).toEqual([])
    expect(await json(['account', 'list'])).toMatchObject([{ id: 'aurora-games' }, { id: 'borealis' }])
  })

  // In SQLite only processes can compete. Another test shows it for nodes with PostgreSQL.
  it.runIf(database === 'SQLite')('never create an eleventh active key', async () => {
    await run(['account', 'create', 'Ten', '--id', 'ten'])
    const create = ['key', 'create', '--account', 'ten', '--name', 'x']
    const outcomes = await Promise.all(Array.from({ length: 11 }, () => run(create)))
    expect(outcomes.filter(({ code }) => code === 0)).toHaveLength(10)
    expect(outcomes.find(({ code }) => code !== 0)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('10 active keys'),
    })
  })

  it('lists the accounts whose data are not up to date', async () => {
    const store = await openStoreAt(place)
    const cube = cubes[0]!
    await run(['account', 'create', 'Stale', '--id', 'stale'])
    const id = await beginLoad(store, { cube: cube.name, now: 0 })
    const days = [{ account: 'stale', day: '2026-01-05' }]
    await publishLoad(store, { id, cube: cube.name, days, rows: 1, now: 0 })
    const stale = { account: 'stale', cube: cube.alias, last_day: '2026-01-05' }
    expect(await json(['loads', '--stale'])).toEqual([stale])
    expect(await json(['loads', '--stale', '--cube', cubes[1]!.alias])).toEqual([])
    expect((await run(['loads', '--stale', '--cube', cubes[1]!.alias])).stdout).toMatch(/^All enabled accounts/)
    await store.deleteFrom('visibleLoads').execute()
    await store.deleteFrom('loads').execute()
  })
})

describe('a command', async () => {
  const place = await makePlace('SQLite')
  const run = runner(place)
  const runShared = sharedRunner(place)

  it('reports errors on stderr and prints nothing on stdout', async () => {
    await runShared(['account', 'create', 'Borealis', '--id', 'borealis'])
    await runShared(['user', 'create', '--account', 'borealis', '--email', 'b@borealis.example'])
    const wrong: readonly (readonly [readonly string[], number, string])[] = [
      [['account', 'create'], 2, "missing required argument 'name'"],
      [['account', 'create', 'A', 'B'], 2, 'Expected 1 argument but got 2'],
      [['account', 'create', '  '], 2, 'A name of 1 to 100 printable characters.'],
      [['account', 'create', 'A', '--id', 'Not An Id'], 2, 'lower-case letters'],
      [['account', 'create', 'A', '--id', 'borealis'], 1, 'The account borealis already exists.'],
      [['account', 'create', 'A', '--cubes', 'auction'], 2, 'Did you mean "auctions"?'],
      [['account', 'show', 'borealiss'], 1, 'Did you mean "borealis"?'],
      [['account', 'set', 'borealis'], 2, 'Specify --name, --cubes or --rate-factor.'],
      [['account', 'set', 'borealis', '--rate-factor', '0'], 2, 'a whole number from 1 to 100'],
      [['account', 'set', 'borealis', '--rate-factor', 'x'], 2, 'a whole number from 1 to 100'],
      [['user', 'create', '--account', 'borealis', '--email', 'b@borealis.example'], 1, 'already'],
      [['user', 'create', '--account', 'borealis', '--email', 'x'], 2, 'An e-mail address.'],
      [
        ['user', 'create', '--account', 'borealis', '--email', 'x@y', '--role', 'boss'],
        2,
        'Allowed choices are administrator, member.',
      ],
      [['user', 'password', 'nobody@nowhere.example'], 1, 'Unknown e-mail address'],
      [['user', 'remove', 'b@borealis.example'], 1, 'only Administrator'],
      [['key', 'create', '--account', 'borealis'], 2, "required option '--name <name>' not specified"],
      [['key', 'create', '--account', 'nobody', '--name', 'x'], 1, 'Unknown account "nobody".'],
      [['key', 'delete', 'key_x'], 1, 'Unknown key'],
      [['key', 'lost'], 2, "unknown command 'lost'\n(Did you mean list?)"],
      [['key', 'delete', 'x', '--jsno'], 2, "unknown option '--jsno'\n(Did you mean --json?)"],
    ]
    for (const [args, code, words] of wrong) {
      const outcome = await runShared(args)
      expect({ args, code: outcome.code, stdout: outcome.stdout }).toEqual({ args, code, stdout: '' })
      expect(outcome.stderr).toContain(words)
      expect(outcome.stderr).not.toContain('    at ')
    }
    const short = ['user', 'create', '--account', 'borealis', '--email', 'x@y', '--password-stdin']
    expect(await run(short, 'short\n')).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('12 to 200') })
  })

  it('prints its help, in groups, and its version on stdout', async () => {
    const [help, none, load, version] = await Promise.all([
      run(['--help']),
      run([]),
      run(['load', '--help']),
      run(['--version']),
    ])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout.match(/^\w.*:$/gm)).toEqual([
      'Options:',
      'The service:',
      'Data:',
      'Accounts:',
      'Analysis:',
      'More:',
    ])
    expect(none).toEqual({ code: 2, stdout: '', stderr: help.stdout })
    expect(load).toMatchObject({ code: 0, stdout: expect.stringContaining('Examples:\n  adcube load auctions ') })
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('shows its help without loading an engine, a database or a server', async () => {
    const show = `import { registerHooks } from 'node:module'
      registerHooks({ load: (url, context, next) => (process.stderr.write(url + '\\n'), next(url, context)) })`
    const hook = `--import=data:text/javascript,${encodeURIComponent(show)}`
    const loaded = async (...args: string[]) => {
      const child = spawn(process.execPath, [hook, 'src/cli/main.ts', ...args])
      const [urls, help] = await Promise.all([text(child.stderr), text(child.stdout)])
      expect({ args, help }).toEqual({ args, help: expect.stringContaining('Usage: adcube') })
      return new Set(urls.match(/(?<=node_modules\/)(?:@[^/]+\/)?[^/]+/g))
    }
    const libraries = new Set(['@commander-js/extra-typings', 'commander', 'fastest-levenshtein'])
    const names = ['serve', 'doctor', 'load', 'verify', 'query', 'mcp']
    for (const args of [['--help'], ['key', 'list', '--help'], ...names.map((name) => [name, '--help'])]) {
      expect((await loaded(...args)).difference(libraries)).toEqual(new Set())
    }
  })

  it('is completed by the shell', async () => {
    const complete = async (...words: string[]) => (await run(['complete', '--', ...words])).stdout.match(/^[-\w]+/gm)
    expect(await complete('key', '')).toEqual(['create', 'list', 'delete'])
    expect(await complete('load', '')).toEqual(cubes.map(({ alias }) => alias))
    expect(await complete('load', '--cr')).toEqual(['--create-accounts'])
    expect(await complete('user', 'create', '--role', '')).toEqual(['administrator', 'member'])
    expect((await run(['complete', 'zsh'])).stdout).toContain('#compdef adcube')
  })

  it('ends quietly when its output is closed', async () => {
    const child = spawn(process.execPath, ['src/cli/main.ts', '--help'])
    child.stdout.destroy()
    expect(await Promise.all([text(child.stderr), once(child, 'exit')])).toEqual(['', [0, null]])
  })

  it('reports a folder without Adcube, and does not create one there', async () => {
    const { code, stderr } = await run(['account', 'list', '--data-dir', '/tmp/adcube-nowhere'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('There is no Adcube data in the folder'),
    })
    expect(existsSync('/tmp/adcube-nowhere')).toBe(false)
  })

  it('describes the columns of files and writes a template of each format, without an engine', async () => {
    const { folder } = await makePlace('SQLite')
    const templates = join(folder, 'new', 'templates')
    const described = await run(['load', '--describe', 'auctions', '--templates', templates, '--json'])
    expect(described).toMatchObject({ code: 0, stderr: '' })
    const columns = JSON.parse(described.stdout)
    expect(columns).toContainEqual({ column: 'app_name', or: 'App Name', type: 'text', description: 'Name of the app' })
    expect(columns.filter(({ type }: { type: string }) => type.endsWith('required'))).toMatchObject([
      { column: 'account' },
      { column: 'day' },
    ])
    expect((await readdir(templates)).toSorted()).toEqual(['auctions.csv', 'auctions.ndjson', 'auctions.parquet'])
    const { code, stdout } = await run(['load', '--describe', 'platform-performance'])
    expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 34 })
  })

  it('lists loads, and refuses invalid arguments', async () => {
    await runShared(['account', 'create', 'Loads', '--id', 'loads'])
    expect(await runShared(['loads', '--json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
    expect(await runShared(['loads'])).toEqual({ code: 0, stdout: 'Nothing has been loaded yet.\n', stderr: '' })
    const wrong: readonly (readonly [readonly string[], number, string])[] = [
      [['load'], 2, "missing required argument 'cube'"],
      [['load', 'auctions'], 2, 'Specify at least one FILE'],
      [['load', 'auction', 'x.csv'], 2, 'Did you mean "auctions"?'],
      [['load', 'auctions', 'x.csv', '--format', 'xls'], 2, 'Allowed choices are parquet, csv, ndjson.'],
      [['load', 'auctions', 'x.csv', '--data-dir', '/tmp/adcube-nowhere'], 1, 'There is no Adcube data in the folder'],
      [['loads', '--limit', '0'], 2, 'Must be a whole number from 1 to 100.'],
      [['loads', '--before', 'x'], 2, 'Must be a whole number of at least 1.'],
      [['loads', '--cube', 'auction'], 2, 'Did you mean "auctions"?'],
    ]
    for (const [args, code, words] of wrong) {
      const outcome = await runShared(args)
      expect({ args, code: outcome.code, stdout: outcome.stdout }).toEqual({ args, code, stdout: '' })
      expect(outcome.stderr).toContain(words)
    }
  })

  it('does not show the password of a database that it cannot reach', async () => {
    const { folder } = await makePlace('SQLite')
    const lost = runner({ folder, databaseUrl: 'postgres://adcube:planted@127.0.0.1:1/none' })
    const { code, stderr } = await lost(['account', 'list'])
    expect(code).toBe(1)
    expect(stderr).toContain('adcube: The control database cannot be reached: connect ECONNREFUSED')
    expect(stderr).not.toContain('planted')
  })
})
