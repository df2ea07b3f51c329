import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/exit.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { shellIn } from '../support/kpi.ts'
import { type Ended, runKpi, startKpi } from '../support/process.ts'
import { oneIn } from '../support/soak/tests.ts'

const GOOD = 'user,kpi,date,actual\nadmin@localhost,Sales,2026-03-01,1\n'
const BAD = `${GOOD}admin@localhost,None,2026-03-02,2\n`
const JOB = 'log: job.log\nsteps:\n  - report:\n'
const MOVING = 'steps:\n  - import: inbox/*.csv\n    move_to: done\n'
const STATE = '.local/state/kpi'
const CONFIG = '.config/kpi'
const DATA = '.local/share/kpi'
const RANGE = ['--from', '2026-03-01', '--to', '2026-03-31']

/** A home with an account, a file to import, and an earlier export. */
let model: Folder
beforeAll(async () => {
  model = temporaryFolder()
  const kpi = shellIn({ home: model.path })
  writeFileSync(model.in('good.csv'), GOOD)
  writeFileSync(model.in('bad.csv'), BAD)
  writeFileSync(model.in('job.yaml'), JOB)
  writeFileSync(model.in('moving.yaml'), MOVING)
  for (const line of [
    'kpis create --name Sales --frequency daily',
    'assign add --kpis Sales --users admin@localhost',
    'entries import good.csv --no-undo',
    'dump --to-file configuration.yaml',
  ]) {
    const { code, stderr } = await kpi(...line.split(' '))
    if (code !== EXIT.done) throw new Error(`${line}: ${stderr}`)
  }
  mkdirSync(model.in('inbox'))
  writeFileSync(model.in('inbox/good.csv'), GOOD)
  mkdirSync(model.in('done'))
})
afterAll(() => model[Symbol.dispose]())

/** Each file that a command writes: its path in a home, and the command line. */
const PLACES: readonly (readonly [path: string, line: string])[] = [
  ['bad.rejects.csv', 'entries import bad.csv'],
  ['r.csv', 'entries import bad.csv --rejects r.csv'],
  ['good.receipt.json', 'entries import good.csv --verify --force'],
  ['r.json', 'entries import good.csv --verify --receipt r.json --force'],
  ['bad.rejects.csv', 'assign import bad.csv'],
  ['bad.rejects.csv', 'kpis import bad.csv'],
  ['list.csv', 'kpis list --to-file list.csv --force'],
  ['list.csv.gz', 'kpis list --to-file list.csv.gz --force'],
  ['report.csv', `report export ${RANGE.join(' ')} --to-file report.csv --force`],
  ['report.csv.manifest.json', `report export ${RANGE.join(' ')} --to-file report.csv --manifest`],
  ['report.csv', `report export ${RANGE.join(' ')} --append-since report.csv`],
  ['entries.csv', `entries export ${RANGE.join(' ')} --to-file entries.csv --force`],
  ['dump.yaml', 'dump --to-file dump.yaml --force'],
  ['plan.json', 'plan configuration.yaml --to-file plan.json --force'],
  [`${CONFIG}/config.json`, 'profiles add here --data-dir here'],
  [`${CONFIG}/secrets/there`, 'profiles add there --base-url http://127.0.0.1:1/v1 --token-stdin --no-check'],
  [`${CONFIG}/mappings/m.json`, 'entries import good.csv --save-mapping m'],
  [`.cache/kpi/names/NAMES`, 'kpis list'],
  [`${STATE}/locks/nightly.lock`, 'kpis list --lock nightly'],
  [`${STATE}/applied/APPLIED`, 'apply configuration.yaml --yes'],
  ['job.log', 'run job.yaml'],
  ['done/good.csv', 'run moving.yaml'],
  ['store.backup', 'service backup store.backup --force'],
  [`${DATA}/kpi.db`, 'kpis list'],
  [`${DATA}/kpi.db-journal`, 'kpis list'],
  ['access.log', 'serve --port 0 --access-log access.log'],
]

/** Runs a line in a process of its own, as it would hang this one; a service is stopped once it is ready. */
const endOf = async (home: Folder, line: string): Promise<Ended> => {
  if (!line.startsWith('serve')) return runKpi(home, [...line.split(' '), '--deadline', '3s'], {}, 'secret')
  const { child, says, ended } = startKpi(home, line.split(' '))
  await Promise.race([says(/http:/).then(() => child.kill('SIGTERM')), ended]).catch(() => undefined)
  return ended
}

/** Each thing that may stand in the place of a file: how it gets there, with the foreign files beside. */
const THINGS: Readonly<Record<string, (place: string, foreign: string) => void>> = {
  'a link to a file': (place, foreign) => symlinkSync(join(foreign, 'profile'), place),
  'a link to a folder': (place, foreign) => symlinkSync(join(foreign, 'folder'), place),
  'a link to nothing': (place, foreign) => symlinkSync(join(foreign, 'none'), place),
  'a link to a link': (place, foreign) => symlinkSync(join(foreign, 'link'), place),
  'a link to itself': (place) => symlinkSync(basename(place), place),
  'a link to a device': (place) => symlinkSync('/dev/full', place),
  'a folder': (place) => mkdirSync(place),
  'a second name of a file': (place, foreign) => linkSync(join(foreign, 'profile'), place),
  'a second name of an empty file': (place, foreign) => linkSync(join(foreign, 'empty'), place),
  'a file that may not be written': (place) => {
    writeFileSync(place, '')
    chmodSync(place, 0o400)
  },
  'a pipe': (place) => execFileSync('mkfifo', [place]),
}

/** Makes the foreign files. */
const foreignIn = (home: Folder): string => {
  const foreign = home.in('foreign')
  mkdirSync(join(foreign, 'folder'), { recursive: true })
  writeFileSync(join(foreign, 'profile'), 'precious\n')
  writeFileSync(join(foreign, 'empty'), '')
  symlinkSync('profile', join(foreign, 'link'))
  return foreign
}

/** All that is in a folder, with what would show a change. */
const snapshot = (folder: string): unknown =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const found = lstatSync(join(folder, name))
      return [name, found.mode, found.size, found.mtimeMs, found.isFile() && readFileSync(join(folder, name), 'utf8')]
    })

/** Replaces a name that only the command knows by the one that it gave. */
const placeIn = (home: Folder, path: string): string => {
  if (!/(?:NAMES|APPLIED)$/.test(path)) return home.in(path)
  const folder = dirname(home.in(path))
  const [name = 'unknown'] = existsSync(folder) ? readdirSync(folder) : []
  return join(folder, name)
}

const prepared = async (home: Folder, path: string, line: string): Promise<string> => {
  cpSync(model.path, home.path, { recursive: true })
  // What only the command can name has to be there first.
  if (/(?:NAMES|APPLIED)$/.test(path)) await shellIn({ home: home.path })(...line.split(' '))
  const place = placeIn(home, path)
  mkdirSync(dirname(place), { recursive: true })
  rmSync(place, { force: true })
  return place
}

describe.each(PLACES.map((place, row) => [...place, row] as const))('%s, by kpi %s', (path, line, row) => {
  test.each(Object.keys(THINGS).filter(oneIn(9, row)))(
    'changes nothing else where %s is in its place',
    async (name) => {
      using home = temporaryFolder()
      const place = await prepared(home, path, line)
      const foreign = foreignIn(home)
      THINGS[name]?.(place, foreign)
      const before = snapshot(foreign)
      const ended =
        name === 'a pipe' || line.startsWith('serve')
          ? await endOf(home, line)
          : await shellIn({ home: home.path, stdin: 'secret' })(...line.split(' '))
      expect(snapshot(foreign)).toEqual(before)
      expect(Object.values(EXIT)).toContain(ended.code)
      // A command line that is wrong anyway is refused before any file is looked at.
      if (ended.code === EXIT.done || ended.code === EXIT.partial || ended.code === EXIT.usage) return
      expect(ended.stderr).toContain(basename(place))
    },
  )
})
