import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../support/documents.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import type { Ran } from '../support/kpi.ts'
import { startProgram } from '../support/process.ts'

/** Makes a Node.js believe that it is older than the program needs. */
const PRETEND_OLD = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})`

let folder: Folder
let installed: string

const run = (args: readonly string[]): Ran => {
  const env = { PATH: process.env['PATH'], HOME: folder.path }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder.path, env, encoding: 'utf8' })
  return { code: status ?? -1, stdout, stderr }
}

beforeAll(() => {
  folder = temporaryFolder()
  const npm = (...args: string[]): unknown => execFileSync('npm', args, { cwd: ROOT, stdio: 'ignore' })
  npm('pack', '--ignore-scripts', '--pack-destination', folder.path)
  const tarball = readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? ''
  npm('install', '--global', '--prefix', folder.path, folder.in(tarball))
  installed = join(folder.path, 'lib', 'node_modules', 'kpi')
}, 120_000)

afterAll(() => {
  folder[Symbol.dispose]()
})

describe('the packed and installed package', () => {
  const program = (): string => join(installed, 'bin', 'kpi.js')

  test('runs the main job by the command that it installs', () => {
    const stdout = execFileSync(join(folder.path, 'bin', 'kpi'), ['demo'], {
      env: { PATH: process.env['PATH'], HOME: folder.path },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(stdout).toMatch(/Confirmed +World +2022-04-16 +504155459/)
  })

  test('installs the manual pages where man looks for them', () => {
    const page = join(folder.path, 'share', 'man', 'man1', 'kpi-entries.1')
    expect(readFileSync(page, 'utf8')).toBe(readFileSync(join(ROOT, 'man', 'kpi-entries.1'), 'utf8'))
    const pages = readdirSync(join(ROOT, 'man')).toSorted()
    expect(readdirSync(join(folder.path, 'share', 'man', 'man1')).toSorted()).toEqual(pages)
  })

  test('carries the licences of what it is made of', () => {
    const licences = readFileSync(join(installed, 'dist', 'licences.txt'), 'utf8')
    for (const name of ['commander', 'undici', 'csv-parse', 'conf', 'ora']) expect(licences).toContain(`${name} `)
  })

  test('brings a newer Node.js for a machine that has less', () => {
    expect(run(['--import', PRETEND_OLD, program(), '--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' })
  })

  test('says what it needs where that is missing', () => {
    rmSync(join(installed, 'node_modules'), { recursive: true })
    const { code, stdout, stderr } = run(['--import', PRETEND_OLD, program(), '--version'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^kpi: needs Node\.js 24 or newer, this is v[\d.]+; install it from https:\/\/nodejs\.org, or [^\n]+\n$/,
    )
  })
})

describe('a clone on an older Node.js', () => {
  const inClone = (...args: string[]): Ran => run(['--import', PRETEND_OLD, join(ROOT, 'bin', 'kpi.js'), ...args])

  test('hands over to the one that was installed with it', () => {
    expect(inClone('--version')).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' })
  })

  test('passes on exit codes and errors', () => {
    expect(inClone('kpis', 'get', 'Nothing')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'kpi: there is no KPI "Nothing"\n',
    })
  })

  test.each<[signal: NodeJS.Signals, ended: object]>([
    ['SIGINT', { code: 0, signal: null }],
    ['SIGTERM', { code: 0, signal: null }],
    ['SIGKILL', { code: null, signal: 'SIGKILL' }],
  ])('ends as a whole with %s', async (signal, end) => {
    using home = temporaryFolder()
    const line = ['--import', PRETEND_OLD, join(ROOT, 'bin', 'kpi.js'), 'serve', '--port', '0']
    const { child, says, ended } = startProgram(home, [process.execPath, ...line])
    await says(/http:.*\n/)
    child.kill(signal)
    // Whoever still ran would hold the output open.
    expect(await ended).toMatchObject(end)
  })

  test('passes on SIGHUP, which is no reason to end', async () => {
    using home = temporaryFolder()
    const line = ['--import', PRETEND_OLD, join(ROOT, 'bin', 'kpi.js'), 'serve', '--port', '0', '--access-log', 'log']
    const { child, says, ended } = startProgram(home, [process.execPath, ...line])
    await says(/http:.*\n/)
    renameSync(home.in('log'), home.in('log.1'))
    child.kill('SIGHUP')
    await expect.poll(() => existsSync(home.in('log'))).toBe(true)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, signal: null })
  })

  test.runIf(process.platform !== 'win32').each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
    'takes %s that the whole group gets for one request to stop',
    async (signal) => {
      using home = temporaryFolder()
      const line = ['--import', PRETEND_OLD, join(ROOT, 'bin', 'kpi.js'), 'serve', '--port', '0']
      const env = { PATH: process.env['PATH'], HOME: home.path }
      const child = spawn(process.execPath, line, { env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
      await once(child.stdout, 'data')
      const ended = once(child, 'close')
      process.kill(-(child.pid ?? NaN), signal)
      expect(await ended).toEqual([0, null])
    },
  )
})
