import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'

const folder = await mkdtemp(join(tmpdir(), 'adcube-serve-'))
const started: ChildProcess[] = []
afterAll(async () => {
  for (const { pid } of started) kill(pid)
  await rm(folder, { recursive: true, force: true })
})

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The real command in a process of its own, on a port that the system gives. */
function serve() {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'serve', '--demo', '--port', '0', '--demo-days', '2'], {
    env: { ...process.env, ADCUBE_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)))
  const ready = vi.waitFor(
    () => {
      if (child.exitCode !== null) return
      expect(output.stdout).toContain('Try it:')
    },
    { timeout: 300_000, interval: 50 },
  )
  const enginePid = () => Number([...output.stderr.matchAll(/"pid":(\d+).*engine ready/g)].at(-1)?.[1])
  return { child, output, ready, enginePid }
}

/** Runs the line that the first start printed, as a person would paste it. */
async function paste(line: string) {
  const [, url, key, body] =
    /^curl -s '([^']+)' -H 'x-api-key: ([^']+)' -H 'content-type: application\/json' -d '([^']+)'$/.exec(line)!
  const response = await fetch(url!, {
    method: 'POST',
    headers: { 'x-api-key': key!, 'content-type': 'application/json' },
    body: body!,
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as any,
  }
}

describe('adcube serve --demo', () => {
  let line = ''

  it(
    'answers the printed line, refuses a second process, survives the death of its engine, and ends on SIGTERM',
    { timeout: 900_000 },
    async () => {
      const { child, output, ready, enginePid } = serve()
      await ready
      line = /^curl .*$/m.exec(output.stdout)![0]
      const before = await paste(line)
      expect(before.status).toBe(200)
      expect(before.body.data).toHaveLength(5)
      expect(before.body.data[0]['Net Revenue']).toBeGreaterThan(0)

      const second = serve()
      const [code] = await once(second.child, 'exit')
      expect(code).toBe(1)
      expect(second.output.stderr).toContain(`in use by another Adcube`)

      const firstEngine = enginePid()
      const answers: number[] = []
      kill(firstEngine)
      await vi.waitFor(
        async () => {
          const { status, retryAfter } = await paste(line)
          answers.push(status)
          if (status === 503) expect(retryAfter).toBe('1')
          expect(status).toBe(200)
        },
        { timeout: 300_000, interval: 100 },
      )
      expect(new Set(answers)).toEqual(new Set([503, 200]))
      expect((await paste(line)).body.data).toEqual(before.body.data)
      expect(enginePid()).not.toBe(firstEngine)

      const last = paste(line)
      await vi.waitFor(() => expect(output.stderr.split('"status":200').length).toBeGreaterThan(1))
      child.kill('SIGTERM')
      const [exitCode] = await once(child, 'exit')
      expect(exitCode).toBe(0)
      expect((await last).status).toBe(200)
      expect(isAlive(enginePid())).toBe(false)
    },
  )

  it(
    'starts again with its data, shows no key twice, and leaves no engine behind when it is killed',
    { timeout: 600_000 },
    async () => {
      const { child, output, ready, enginePid } = serve()
      await ready
      expect(output.stdout).toContain('was shown at the first start')
      expect(output.stdout).not.toMatch(/adc_\w{46}/)
      expect(output.stderr).not.toContain('Making sample data')
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output.stdout)![0]
      const { status, body } = await paste(line.replace(/http:\/\/127\.0\.0\.1:\d+/, address))
      expect(status).toBe(200)
      expect(body.data).toHaveLength(5)

      kill(child.pid)
      await vi.waitFor(() => expect(isAlive(enginePid())).toBe(false), { timeout: 10_000 })
    },
  )

  it('keeps no key in its files or its log', async () => {
    const key = /adc_\w{46}/.exec(line)![0]
    const files = ['adcube.db', 'adcube.db-wal', 'engine/config/users.xml', 'engine/config/config.xml']
    for (const file of files) {
      const text = await readFile(join(folder, file), 'latin1').catch(() => '')
      expect(text).not.toContain(key)
      expect(text).not.toContain(key.slice(4, 44))
    }
  })
})
