import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/exit.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { shellIn } from '../support/kpi.ts'
import { type Ended, runKpi, startKpi } from '../support/process.ts'
import { oneIn, some } from '../support/soak/tests.ts'

const GOOD = 'user,kpi,date,actual\nadmin@localhost,Sales,2026-03-01,1\n'
const BAD = `${GOOD}admin@localhost,None,2026-03-02,2\n`
const STATE = '.local/state/kpi'
const CONFIG = '.config/kpi'
const RECEIPT = '20260301T000000-test'
const HEAD = '{"service":"HOME/.local/share/kpi","file":"good.csv","at":"2026-03-01T00:00:00.000Z"}\n'
const REMOTE = { KPI_BASE_URL: 'http://127.0.0.1:1/v1' }
const HOOK = 'steps:\n  - webhook: http://127.0.0.1:1/\n    token_file: hook\n'

let model: Folder
beforeAll(async () => {
  model = temporaryFolder()
  const kpi = shellIn({ home: model.path })
  for (const [name, text] of [
    ['good.csv', GOOD],
    ['bad.csv', BAD],
    ['hook.yaml', HOOK],
    ['configuration.yaml', 'units: []\n'],
  ] as const)
    writeFileSync(model.in(name), text)
  for (const line of [
    'kpis create --name Sales --frequency daily',
    'assign add --kpis Sales --users admin@localhost',
    'report export --from 2026-03-01 --to 2026-03-31 --to-file r.csv --manifest',
  ]) {
    const { code, stderr } = await kpi(...line.split(' '))
    if (code !== EXIT.done) throw new Error(`${line}: ${stderr}`)
  }
  await kpi('profiles', 'add', 'there', '--base-url', REMOTE.KPI_BASE_URL, '--token-stdin', '--no-check')
  mkdirSync(model.in(`${STATE}/receipts`), { recursive: true })
  writeFileSync(model.in(`${STATE}/receipts/${RECEIPT}.receipt.jsonl`), HEAD.replace('HOME', model.path))
})
afterAll(() => model[Symbol.dispose]())

type Place = { readonly path: string; readonly line: string; readonly env?: Readonly<Record<string, string>> }

/** Each file that a command reads without being asked for it, or that a variable or another file names. */
const PLACES: readonly Place[] = [
  { path: 'kpi.yaml', line: 'kpis list' },
  { path: `${CONFIG}/config.json`, line: 'kpis list' },
  { path: `${CONFIG}/secrets/there`, line: 'kpis list --profile there' },
  { path: `${CONFIG}/mappings/m.json`, line: 'entries import good.csv --mapping m' },
  { path: `${STATE}/receipts/${RECEIPT}.receipt.jsonl`, line: `entries undo ${RECEIPT} --yes` },
  { path: `${STATE}/receipts/${RECEIPT}.receipt.jsonl`, line: 'entries undo' },
  { path: `${STATE}/receipts/${RECEIPT}.entries.jsonl`, line: `entries undo ${RECEIPT} --yes` },
  { path: `${STATE}/journals/0.journal`, line: 'entries import good.csv' },
  { path: `${STATE}/locks/nightly.lock`, line: 'kpis list --lock nightly' },
  { path: 'bad.rejects.csv', line: 'entries import bad.csv' },
  { path: 'good.receipt.json', line: 'entries import good.csv --verify' },
  { path: 'r.csv.manifest.json', line: 'report verify r.csv' },
  { path: 'r.csv', line: 'report verify r.csv' },
  { path: 'hook', line: 'run hook.yaml' },
  { path: '.local/share/kpi/kpi.db', line: 'kpis list' },
  { path: 'good.csv', line: 'entries import good.csv' },
  { path: 'other.db', line: 'entries import --from-db other.db --sql select --dry-run' },
]

/** Those that the user names, so that they may be pipes: a wait for one has to end. */
const NAMED: readonly Place[] = [
  { path: 'ca.pem', line: 'kpis list --ca-file ca.pem' },
  { path: 'token', line: 'kpis list', env: { ...REMOTE, KPI_TOKEN_FILE: 'token' } },
  { path: 'token', line: 'profiles add other --base-url http://127.0.0.1:1/v1 --token-file token --no-check' },
  { path: 'kpi.json', line: 'kpis create --from-json kpi.json' },
  { path: 'job.yaml', line: 'run job.yaml' },
  { path: 'plan.yaml', line: 'plan plan.yaml' },
  { path: 'cert', line: 'serve --port 0 --tls-cert cert --tls-key cert' },
]

const UNREADABLE = 'a file that cannot be read'
const THINGS: Readonly<Record<string, (place: string) => void>> = {
  'a link to a device without end': (place) => symlinkSync('/dev/zero', place),
  'a device without end behind two links': (place) => {
    symlinkSync('/dev/zero', `${place}.link`)
    symlinkSync(basename(`${place}.link`), place)
  },
  'a pipe that nobody writes to': (place) => execFileSync('mkfifo', [place]),
  'a folder': (place) => mkdirSync(place),
  'a file of 1 GB': (place) => {
    writeFileSync(place, '', { mode: 0o600 })
    truncateSync(place, 2 ** 30)
  },
  [UNREADABLE]: (place) => {
    writeFileSync(place, 'x')
    chmodSync(place, 0)
  },
}

const MOST_MIB = 450
const DEADLINE = ['--deadline', '2s']

/** Returns the most memory that a process has had so far, in MiB; 0 where it has ended. */
const memoryOf = (pid: number | undefined): number => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Runs a line to its end; returns how it ended, and the most memory that it was seen to have. */
const watched = async (home: Folder, { line, env }: Place): Promise<Ended & { readonly most: number }> => {
  const { child, ended } = startKpi(home, [...line.split(' '), ...DEADLINE], env)
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, memoryOf(child.pid))), 20)
  child.stdin.end()
  try {
    return { ...(await ended), most }
  } finally {
    clearInterval(timer)
  }
}

/** Tells whether a process has a file open. */
const isOpenIn = (pid: number | undefined, path: string): boolean => {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).some((file) => {
    try {
      return readlinkSync(`${folder}/${file}`) === realpathSync(path)
    } catch {
      return false
    }
  })
}

const prepared = (home: Folder, { path }: Place): string => {
  cpSync(model.path, home.path, { recursive: true })
  const place = home.in(path)
  const receipt = home.in(`${STATE}/receipts/${RECEIPT}.receipt.jsonl`)
  writeFileSync(receipt, HEAD.replace('HOME', home.path))
  mkdirSync(dirname(place), { recursive: true })
  rmSync(place, { force: true })
  return place
}

describe.each(Object.keys(THINGS).map((name, row) => [name, row] as const))('%s', (name, row) => {
  test.each([...PLACES, ...NAMED].filter(oneIn(12, 2 * row)))(
    'in the place of $path ends kpi $line soon, in little memory',
    async (place) => {
      using home = temporaryFolder()
      const at = prepared(home, place)
      THINGS[name]?.(at)
      const { code, signal, stderr, most } = await watched(home, place)
      expect(signal).toBeNull()
      expect(Object.values(EXIT)).toContain(code)
      expect(most).toBeLessThan(MOST_MIB)
      // Root can read all files, and a device that is named as a file is read until the deadline.
      const isUsed = name === UNREADABLE && process.getuid?.() === 0
      if (code === EXIT.done || code === EXIT.partial || code === EXIT.workLeft || isUsed) return
      expect(stderr).toContain(basename(at).split('.')[0])
    },
  )
})

test.each(some(2, NAMED))('a pipe in the place of $path lets kpi $line end at SIGTERM', async (place) => {
  using home = temporaryFolder()
  execFileSync('mkfifo', [prepared(home, place)])
  const { path, line, env } = place
  const { child, ended } = startKpi(home, [...line.split(' '), '--verbose'], env)
  // It waits in the pipe once that is open.
  while (!isOpenIn(child.pid, home.in(path))) await new Promise((resolve) => void setTimeout(resolve, 10))
  child.kill('SIGTERM')
  expect((await ended).code).toBe(EXIT.interrupted)
})

test('a secret may come from a pipe of the shell', async () => {
  using home = temporaryFolder()
  const line = 'profiles add other --base-url http://127.0.0.1:1/v1 --token-file pipe --no-check'
  execFileSync('mkfifo', ['-m', '600', prepared(home, { path: 'pipe', line })])
  const { ended } = startKpi(home, line.split(' '))
  writeFileSync(home.in('pipe'), 'secret\n')
  expect(await ended).toMatchObject({ code: EXIT.done })
})

test('a socket is not read', async () => {
  using home = temporaryFolder()
  const server = createServer().listen(prepared(home, { path: 'kpi.yaml', line: '' }))
  const ran = await shellIn({ home: home.path })('kpis', 'list')
  server.close()
  expect(ran).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('kpi.yaml: it is a socket') as string })
  expect(existsSync(home.in('kpi.yaml'))).toBe(false)
})

describe('compiled code in the cache', () => {
  const CODE = `.cache/kpi/code-${process.version}`
  /** Without the cache that all tests share. */
  const OWN_CACHE = { NODE_COMPILE_CACHE: '' }

  const filled = async (home: Folder): Promise<string> => {
    await runKpi(home, ['--help'], OWN_CACHE)
    return home.in(CODE)
  }

  const filesIn = (code: string): string[] =>
    readdirSync(code, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))

  test('is kept for the user alone, and used again', async () => {
    using home = temporaryFolder()
    const code = await filled(home)
    const files = filesIn(code)
    expect([statSync(code).mode & 0o777, files.length > 0]).toEqual([0o700, true])
    const times = files.map((file) => statSync(`${code}/${file}`).mtimeMs)
    await filled(home)
    expect(files.map((file) => statSync(`${code}/${file}`).mtimeMs)).toEqual(times)
  })

  test.each(
    some(
      2,
      Object.entries(THINGS).filter(([name]) => name !== UNREADABLE),
    ),
  )('is made anew where %s is in it', async (_, plant) => {
    using home = temporaryFolder()
    const code = await filled(home)
    for (const file of filesIn(code)) {
      rmSync(`${code}/${file}`)
      plant(`${code}/${file}`)
    }
    const { code: exit, stderr, most } = await watched(home, { path: CODE, line: 'kpis --help', env: OWN_CACHE })
    expect([exit, stderr, most < MOST_MIB]).toEqual([EXIT.done, '', true])
    expect(statSync(code).mode & 0o777).toBe(0o700)
    expect(filesIn(code).map((file) => lstatSync(`${code}/${file}`).isFile())).not.toContain(false)
  })

  test.each<[string, (code: string) => void]>([
    ['others may write to', (code) => chmodSync(code, 0o777)],
    ['others may write to above it', (code) => chmodSync(dirname(code), 0o777)],
    [
      'is a link',
      (code) => {
        renameSync(code, `${code}.there`)
        symlinkSync(`${code}.there`, code)
      },
    ],
  ])('is not used in a folder that %s', async (_, spoil) => {
    using home = temporaryFolder()
    const code = await filled(home)
    for (const file of filesIn(code)) rmSync(`${code}/${file}`)
    spoil(code)
    expect(await runKpi(home, ['--help'], OWN_CACHE)).toMatchObject({ code: EXIT.done, stderr: '' })
    expect(filesIn(code)).toEqual([])
  })

  test.runIf(process.getuid?.() === 0)('is not used in a folder of another user', async () => {
    using home = temporaryFolder()
    const code = await filled(home)
    for (const file of filesIn(code)) rmSync(`${code}/${file}`)
    chownSync(code, 12_345, 12_345)
    expect(await runKpi(home, ['--help'], OWN_CACHE)).toMatchObject({ code: EXIT.done, stderr: '' })
    expect(filesIn(code)).toEqual([])
  })
})
