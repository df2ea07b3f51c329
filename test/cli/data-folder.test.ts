import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder, type Folder } from '../support/folder.ts'
import { type Ran, shellIn } from '../support/kpi.ts'

let home: Folder
beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => {
  home[Symbol.dispose]()
})

const listIn = (dataDir: string): Promise<Ran> =>
  shellIn({ home: home.path })('--data-dir', dataDir, 'categories', 'list')
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe('the data directory', () => {
  test('is made on first use, where nobody else can read it', async () => {
    expect((await shellIn({ home: home.path })('categories', 'list')).stdout).toContain('General')
    const folder = home.in('.local/share/kpi')
    expect([modeOf(home.in('.local')), modeOf(folder), modeOf(join(folder, 'kpi.db'))]).toEqual(['700', '700', '600'])
  })

  test('may be a link, and a path with spaces and other letters', async () => {
    mkdirSync(home.in('real'))
    symlinkSync(home.in('real'), home.in('link'))
    expect((await listIn('link')).code).toBe(0)
    expect(existsSync(home.in('real/kpi.db'))).toBe(true)
    expect((await listIn('a b/ö/ß')).code).toBe(0)
    expect(existsSync(home.in('a b/ö/ß/kpi.db'))).toBe(true)
  })
})

test('without a home directory, its place has to be named', async () => {
  const kpi = shellIn({ home: '', cwd: home.path })
  const ran = await kpi('categories', 'list')
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toMatch(
    /^kpi categories list: there is no home directory \(HOME is empty\); set it, or KPI_DATA_DIR/,
  )
  expect((await kpi('categories', 'list', '--data-dir', 'here')).code).toBe(0)
})

/** Makes something bad under a name in the home, which the command is given as its data directory. */
const BAD: readonly [name: string, make: (path: string) => string, message: string][] = [
  [
    'a file',
    (path) => (writeFileSync(path, 'x'), path),
    'cannot make the data directory HOME/bad: a file is in its place',
  ],
  [
    'below a file',
    (path) => (writeFileSync(path, 'x'), join(path, 'sub')),
    'cannot make the data directory HOME/bad/sub: ',
  ],
  ['a link to nowhere', (path) => (symlinkSync('/nope/nope', path), path), 'cannot make the data directory HOME/bad: '],
  ['in /proc', () => '/proc/nope', 'cannot make the data directory /proc/nope: no folder can be made there'],
  ['below that', () => '/proc/nope/sub', 'cannot make the data directory /proc/nope/sub: no folder can be made there'],
  ['/proc itself', () => '/proc', '/proc/kpi.db cannot be written'],
  [
    'one whose database is something else',
    (path) => {
      mkdirSync(path)
      writeFileSync(join(path, 'kpi.db'), 'this is a text, and a long one at that')
      return path
    },
    'HOME/bad/kpi.db is not a kpi database; move it away, or choose another data directory',
  ],
  [
    'one whose database is a folder',
    (path) => {
      mkdirSync(join(path, 'kpi.db'), { recursive: true })
      return path
    },
    'HOME/bad/kpi.db cannot be written',
  ],
  [
    'one of a newer program',
    (path) => {
      mkdirSync(path)
      const database = new DatabaseSync(join(path, 'kpi.db'))
      database.exec('pragma application_id = 0x6b7069; pragma user_version = 999')
      database.close()
      return path
    },
    'HOME/bad/kpi.db was written by a newer kpi; update this one',
  ],
]

describe.each(BAD)('a data directory that is %s', (_, make, message) => {
  test('is refused in one line that names it and says why, whoever needs it', async () => {
    const dataDir = make(home.in('bad'))
    const expected = `kpi: ${message.replace('HOME', home.path)}`
    const shell = shellIn({ home: home.path, env: { KPI_DATA_DIR: dataDir } })
    for (const ran of [
      await listIn(dataDir),
      await shell('categories', 'list'),
      await shell('service', 'accounts', 'list'),
      await shell('serve', '--port', '0'),
    ]) {
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr.slice(0, expected.length)).toBe(expected)
      expect(ran.stderr.indexOf('\n')).toBe(ran.stderr.length - 1)
    }
  })
})
