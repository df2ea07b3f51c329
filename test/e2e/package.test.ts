import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pages, ROOT } from '../support/documents.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import type { Ran } from '../support/kpi.ts'
import { startProgram } from '../support/process.ts'

/** Makes a Node.js believe that it is older than the program needs. */
const PRETEND_OLD = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})`

let folder: Folder
let installed: string
/** Whether the manual page of the older version was there before. */
let wasOlder: boolean

const run = (args: readonly string[]): Ran => {
  const env = { PATH: process.env['PATH'], HOME: folder.path }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder.path, env, encoding: 'utf8' })
  return { code: status ?? -1, stdout, stderr }
}

/** What a run of the examples, an editor or an earlier build may have left behind. */
const LEFT_BEHIND = [
  'docs/draft.txt',
  'docs/draft.ts',
  'examples/monthly-report/out/all.csv',
  'examples/nightly/done/2026-11-21/shops.csv',
  'examples/nightly/inbox/web.rejects.csv',
  'examples/nightly/nightly.key',
  'examples/nightly/nightly.log',
  'examples/nightly/report.csv',
  'man/kpi-draft.txt',
  'bin/kpi.js.orig',
  'kpi.db',
]

/** Makes a copy of the project as a clone has it in which somebody has worked, but for its sources. */
const copyProject = (to: string): void => {
  for (const name of ['bin', 'dist', 'docs', 'examples', 'man', ...TOP])
    cpSync(join(ROOT, name), join(to, name), { recursive: true })
  for (const path of LEFT_BEHIND) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    writeFileSync(join(to, path), 'mine')
  }
}

/** The files of a package that are in no folder. */
const TOP = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']

/** Returns the line by which a page says to install the package. */
const installLine = (page: string): string =>
  /npm install --global "\.\/\$\(npm pack --silent\)"/.exec(readFileSync(join(ROOT, page), 'utf8'))?.[0] ?? 'false'

const shell = (line: string, cwd: string): string => {
  // Nothing is built here: other tests use what is.
  const settings = {
    npm_config_ignore_scripts: 'true',
    npm_config_prefix: folder.path,
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  return execFileSync('sh', ['-c', line], { cwd, env: { ...process.env, ...settings }, encoding: 'utf8' })
}

let packed: string[]

beforeAll(() => {
  folder = temporaryFolder()
  const [project, older] = [folder.in('project'), folder.in('older')]
  copyProject(project)
  // An older version, with a manual page and a part that the newer one lacks, is installed; its pack lies beside.
  for (const path of ['bin/kpi.js', 'man/kpi-old.1', 'dist/old.js']) {
    mkdirSync(dirname(join(older, path)), { recursive: true })
    writeFileSync(join(older, path), '')
  }
  const manifest = { name: 'kpi', version: '0.0.9', bin: { kpi: 'bin/kpi.js' }, man: ['./man/kpi-old.1'] }
  writeFileSync(join(older, 'package.json'), JSON.stringify(manifest))
  shell(`npm pack --silent --pack-destination '${project}' && npm install --global '${project}/kpi-0.0.9.tgz'`, older)
  wasOlder = existsSync(folder.in('share/man/man1/kpi-old.1'))
  shell(installLine('README.md'), project)
  packed = shell('tar -tzf kpi-0.1.0.tgz', project)
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''))
    .toSorted()
  installed = join(folder.path, 'lib', 'node_modules', 'kpi')
}, 120_000)

afterAll(() => {
  folder[Symbol.dispose]()
})

describe('the package', () => {
  const named = (folder: string, ending: RegExp): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => ending.test(name))
      .map((name) => `${folder}/${name}`)

  test('holds the program, its pages and the files of the examples, and nothing that was left behind', () => {
    expect(LEFT_BEHIND.filter((path) => packed.includes(path))).toEqual([])
    const others = packed.filter((path) => !path.startsWith('examples/'))
    const program = ['bin/kpi.js', 'bin/package.json', ...named('dist', /\.\w+$/), ...named('man', /\.1$/)]
    expect(others).toEqual([...TOP, ...program, ...named('docs', /\.(?:md|json)$/)].toSorted())
  })

  test('has all that the examples name', () => {
    const examples = packed.filter((path) => path.startsWith('examples/'))
    const texts = examples.filter((path) => /\.(?:md|sh|yaml|yml|service)$|crontab$/.test(path))
    const missing = texts.flatMap((path) => {
      const here = dirname(path)
      const words =
        readFileSync(join(ROOT, path), 'utf8').match(/[\w./-]+\.(?:csv|json|yaml|sh|md|service|timer)\b/g) ?? []
      return words.filter((word) => existsSync(join(ROOT, here, word)) && !packed.includes(join(here, word)))
    })
    expect(missing).toEqual([])
    expect(new Set(examples.map((path) => path.split('/')[1]))).toEqual(new Set(readdirSync(join(ROOT, 'examples'))))
  })

  test('is installed by the same line on each page', () => {
    expect(installLine('docs/upgrading.md')).toBe(installLine('README.md'))
    expect(installLine('docs/procedures.md')).toBe(installLine('README.md'))
    for (const page of pages()) expect(readFileSync(join(ROOT, page), 'utf8')).not.toMatch(/\*\.tgz/)
    expect(readFileSync(join(ROOT, 'examples/nightly/workflow.yml'), 'utf8')).not.toMatch(/\*\.tgz/)
  })
})

describe('the packed and installed package', () => {
  const program = (): string => join(installed, 'bin', 'kpi.js')

  test('runs the main job by the command that it installs', () => {
    const stdout = execFileSync(join(folder.path, 'bin', 'kpi'), ['demo'], {
      env: { PATH: process.env['PATH'], HOME: folder.path },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(stdout).toMatch(/Confirmed +World +2022-04-16 +504,155,459/)
  })

  test('installs the manual pages where man looks for them', () => {
    const page = join(folder.path, 'share', 'man', 'man1', 'kpi-entries.1')
    expect(readFileSync(page, 'utf8')).toBe(readFileSync(join(ROOT, 'man', 'kpi-entries.1'), 'utf8'))
    const pages = readdirSync(join(ROOT, 'man')).toSorted()
    expect(readdirSync(join(folder.path, 'share', 'man', 'man1')).toSorted()).toEqual(pages)
  })

  test('is the version that was packed, and leaves nothing of an older one whose pack lies beside', () => {
    expect(run([program(), '--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' })
    const [page, part] = [folder.in('share/man/man1/kpi-old.1'), join(installed, 'dist', 'old.js')]
    expect([wasOlder, existsSync(page), existsSync(part)]).toEqual([true, false, false])
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
      stderr: 'kpi kpis get: there is no KPI "Nothing"\n',
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
