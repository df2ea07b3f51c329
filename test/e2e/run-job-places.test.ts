import {
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requireOwnFolder } from '../../src/files/place.ts'
import type { Handler } from '../../src/server/wire.ts'
import { temporaryFolder } from '../support/folder.ts'
import { embeddedImporter, heldIn, type Importer, remoteImporter } from '../support/import.ts'
import { errorOf, type Ran } from '../support/kpi.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\nBob,Sales,2026-03-01,2\n'
const ADDING = 'steps:\n  - import: inbox/*.csv\n    move_to: done\n    flags: { on-conflict: add }\n'

/** A folder with a job and a file to import. */
const withJob = (importer: Importer, job: string): Importer => {
  mkdirSync(importer.folder.in('inbox'))
  importer.write('inbox/a.csv', FILE)
  importer.write('job.yaml', job)
  return importer
}

/** The actuals that are stored. */
const actuals = async (importer: Importer): Promise<string[]> =>
  (await heldIn(importer)).map((entry) => entry.split(' ')[3] ?? '')

/** The faults of a job of which nothing ran. */
const faultsOf = async (importer: Importer): Promise<unknown> => {
  const ran = await importer.kpi('run', 'job.yaml', '-o', 'json')
  expect({ code: ran.code, stdout: ran.stdout, held: await heldIn(importer) }).toEqual({
    code: 2,
    stdout: '',
    held: [],
  })
  expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1)
  return errorOf(ran).issues.map(({ field, message }) => `${field}: ${message}`)
}

const stepsOf = ({ stdout }: Ran) => JSON.parse(stdout) as { exit_code: number | null; message: string | null }[]

/** A service that, whenever entries are sent, puts a file or a link in the place of the folder for imported files. */
const losingFolder = async (put = (path: string) => writeFileSync(path, 'no folder')): Promise<Importer> => {
  let lose = (): void => undefined
  const wrap =
    (handler: Handler): Handler =>
    (request) => {
      if (request.target.endsWith('/kpientries/list')) lose()
      return handler(request)
    }
  const importer = await remoteImporter({ wrap })
  lose = () => {
    rmSync(importer.folder.in('done'), { recursive: true, force: true })
    put(importer.folder.in('done'))
  }
  return importer
}

describe('nothing is sent where files could not be moved afterwards', () => {
  test.each([
    ['done', 'done'],
    ['done/{date}', 'done/2026-11-21'],
  ])('as a file is in the place of the folder: %s', async (moveTo, shown) => {
    await using importer = withJob(await embeddedImporter(), ADDING.replace('done', moveTo))
    importer.write('done', 'no folder')
    expect(await faultsOf(importer)).toEqual([
      `line 3: move_to ${shown}: done is a file, and has to be a folder; move the file away, or name another folder`,
    ])
  })

  test.each(['inbox', './inbox/', 'inbox/../inbox'])('as the next run would find them again: %s', async (moveTo) => {
    await using importer = withJob(await embeddedImporter(), ADDING.replace('done', moveTo))
    expect(await faultsOf(importer)).toEqual([
      `line 3: move_to ${moveTo}: inbox/*.csv would find the moved files again; name another folder`,
    ])
  })

  test('as they are no files', async () => {
    const job = 'steps:\n  - import: ["https://a.example.com/x.csv?key=canary", "-"]\n    move_to: done\n'
    await using importer = withJob(await embeddedImporter(), job)
    expect(await faultsOf(importer)).toEqual([
      'line 3: move_to goes with files, and https://a.example.com/x.csv is none: import it in a step without',
      'line 3: move_to goes with files, and - is none: import it in a step without',
    ])
  })
})

const WRITING = `log: none/{date}.log
steps:
  - import: inbox/*.csv
    move_to: done/{date}
    flags:
      rejects: none/rejects.csv
      verify: true
      receipt: none/receipt.json
  - export: none/{date}.csv
    flags: { from: yesterday, manifest: true }
  - export_entries: folder.csv
  - report:
    flags: { from: yesterday,
             to-file: job.yaml/report.json }
  - export: done/{date}/report.csv
  - export_entries: done/entries.csv
  - export_entries: link.csv
`

test('nothing runs where a file could not be written in the end, and all of them are told', async () => {
  await using importer = withJob(await embeddedImporter(), WRITING)
  mkdirSync(importer.folder.in('folder.csv'))
  symlinkSync('elsewhere.csv', importer.folder.in('link.csv'))
  const lost = (name: string): string => `cannot write none/${name}: there is no such folder; make it first`
  expect(await faultsOf(importer)).toEqual([
    `line 1: ${lost('2026-11-21.log')}`,
    `line 6: ${lost('rejects.csv')}`,
    `line 8: ${lost('receipt.json')}`,
    `line 9: ${lost('2026-11-21.csv')}`,
    'line 11: folder.csv is a folder; name a file, such as one in it',
    'line 14: cannot write job.yaml/report.json: part of its path is not a directory',
    'line 17: cannot write link.csv: it is a link to elsewhere.csv, and nothing is written through a link; remove the link, or name the file itself',
  ])
})

const KEEPING = `steps:
  - import: inbox/*.csv
    move_to: done
  - export: report.html
    flags: { from: 2026-03-01, to: today }
  - report:
    flags:
      from: 2026-03-01
      to-file: report.json
`

describe('a file that is there, and that a step would not replace,', () => {
  const why = (name: string): string =>
    `${name} exists already, and this step would fail, as it does not replace files: add flags: { force: true }, and to keep the file of each day name it after the day: report-{date}`

  test('is told before anything runs, and by a dry run', async () => {
    await using importer = withJob(await embeddedImporter(), KEEPING)
    for (const name of ['report.html', 'report.json']) importer.write(name, 'of the night before')
    const faults = [`line 4: ${why('report.html')}.html`, `line 9: ${why('report.json')}.json`]
    expect(await faultsOf(importer)).toEqual(faults)
    const { code, stderr } = await importer.kpi('run', 'job.yaml', '--dry-run')
    expect([code, stderr.split('\n').slice(1, 3)]).toEqual([2, faults.map((one) => `  ${one}`)])
  })

  test('is told in the second night of the job that wrote it', async () => {
    await using importer = withJob(await embeddedImporter(), KEEPING)
    expect(await importer.kpi('run', 'job.yaml')).toMatchObject({ code: 0 })
    expect((await importer.kpi('run', 'job.yaml')).stderr).toContain(why('report.html'))
  })

  test('is replaced by a second run of the same day where the step is written as advised', async () => {
    const advised = 'steps:\n  - export: report-{date}.html\n    flags: { from: 2026-03-01, to: today, force: true }\n'
    await using importer = withJob(await embeddedImporter(), advised)
    for (const _ of ['first', 'second']) expect(await importer.kpi('run', 'job.yaml')).toMatchObject({ code: 0 })
  })

  test.each([
    ['holds nothing', 'report.html', '', KEEPING],
    ['may be replaced', 'report.html', 'old', KEEPING.replace('to: today', 'to: today, force: true')],
    ['is of another day', 'r-2026-11-20.html', 'old', KEEPING.replace('report.html', 'r-{date}.html')],
    ['is moved away before', 'inbox/b.csv', FILE, KEEPING.replace('report.html', 'inbox/b.csv')],
  ])('is no fault where it %s', async (_, name, text, job) => {
    await using importer = withJob(await embeddedImporter(), job)
    importer.write(name, text)
    expect(await importer.kpi('run', 'job.yaml', '--dry-run')).toMatchObject({ code: 0 })
  })

  test.each([
    ['is of a day', 'r-2026-11-21.html', KEEPING.replace('report.html', 'r-{date}.html')],
    [
      'is not written where the job goes on',
      'report.html',
      KEEPING.replace('  - report:', '    on_failure: continue\n  - report:'),
    ],
  ])('fails its step, and is no fault of the job, where it %s', async (_, name, job) => {
    await using importer = withJob(await embeddedImporter(), job)
    importer.write(name, 'old')
    for (const more of [['--dry-run'], []])
      expect(await importer.kpi('run', 'job.yaml', ...more)).toMatchObject({ code: 1 })
  })

  test('is no fault where rows are added to it', async () => {
    const flags = '{ from: 2026-03-01, to: today, append-since: report.csv }'
    await using importer = withJob(await embeddedImporter(), `steps:\n  - export: report.csv\n    flags: ${flags}\n`)
    for (const _ of ['first', 'second']) expect(await importer.kpi('run', 'job.yaml')).toMatchObject({ code: 0 })
  })
})

test('the folder for imported files is made when there are any, and not by a dry run', async () => {
  await using importer = withJob(await embeddedImporter(), ADDING.replace('done', 'done/{date}'))
  expect(await importer.kpi('run', 'job.yaml', '--dry-run')).toMatchObject({ code: 0 })
  expect(existsSync(importer.folder.in('done'))).toBe(false)
  expect(await importer.kpi('run', 'job.yaml')).toMatchObject({ code: 0 })
  expect(readdirSync(importer.folder.in('done'))).toHaveLength(1)
})

test('a file that could not be moved is moved by the next run, which sends nothing of it again', async () => {
  await using importer = withJob(await losingFolder(), ADDING)
  importer.write('inbox/b.csv', FILE.replaceAll('03-01', '03-02'))
  const first = await importer.kpi('run', 'job.yaml', '-o', 'json')
  expect(first.code).toBe(1)
  expect(stepsOf(first)[0]?.message).toMatch(
    /^inbox\/a\.csv was imported, but could not be moved: cannot write done: a file is in its place; once that is fixed, leave the file there and run the job again/,
  )
  rmSync(importer.folder.in('done'))
  expect(await importer.kpi('run', 'job.yaml')).toMatchObject({ code: 0 })
  expect(await actuals(importer)).toEqual(['1', '2', '1', '2'])
  expect([readdirSync(importer.folder.in('inbox')), readdirSync(importer.folder.in('done'))]).toEqual([
    [],
    ['a.csv', 'b.csv'],
  ])
})

test('a file that was moved is imported again where it comes again', async () => {
  await using importer = withJob(await embeddedImporter(), ADDING)
  for (const expected of [
    ['1', '2'],
    ['2', '4'],
  ]) {
    importer.write('inbox/a.csv', FILE)
    expect(await importer.kpi('run', 'job.yaml')).toMatchObject({ code: 0 })
    expect(await actuals(importer)).toEqual(expected)
  }
})

/** A folder on another disk than that of the tests, where there is one. */
const otherDisk = (): string | undefined => {
  using here = temporaryFolder()
  const { dev } = statSync(here.path)
  return ['/dev/shm', '/var/tmp'].find((one) => (statSync(one, { throwIfNoEntry: false })?.dev ?? dev) !== dev)
}

test.skipIf(otherDisk() === undefined)('files are moved to another disk, with their times', async () => {
  const folder = mkdtempSync(join(otherDisk() ?? '', 'kpi-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using importer = withJob(await embeddedImporter(), ADDING.replace('done', folder))
  writeFileSync(join(folder, 'a.csv'), 'of another night')
  utimesSync(importer.folder.in('inbox/a.csv'), 1_000_000_000, 1_000_000_000)
  expect(await importer.kpi('run', 'job.yaml')).toMatchObject({ code: 0 })
  expect([readdirSync(importer.folder.in('inbox')), readdirSync(folder)]).toEqual([[], ['a.1.csv', 'a.csv']])
  expect(statSync(join(folder, 'a.1.csv')).mtime).toEqual(new Date(1_000_000_000_000))
})

test.skipIf(!existsSync('/proc/self'))(
  'a folder that the system refuses ends the step, before anything is sent',
  async () => {
    await using importer = withJob(await embeddedImporter(), ADDING.replace('done', '/proc/none'))
    const ran = await importer.kpi('run', 'job.yaml', '-o', 'json')
    expect([errorOf(ran).message, ran.stderr.trimEnd().split('\n').length]).toEqual([
      expect.stringContaining('/proc/none'),
      1,
    ])
    expect(await heldIn(importer)).toEqual([])
  },
)

describe('through a link', () => {
  const job = (moveTo: string): string => ADDING.replace('done', moveTo)
  const NOT_OWN = 'and no file is moved through it; remove the link, or name the folder itself'

  test('in the place of its folder no file is moved', async () => {
    await using importer = withJob(await embeddedImporter(), job('inbox/done'))
    mkdirSync(importer.folder.in('foreign'))
    symlinkSync('../foreign', importer.folder.in('inbox/done'))
    expect(await faultsOf(importer)).toEqual([`line 3: move_to inbox/done: it is a link to ../foreign, ${NOT_OWN}`])
    expect(readdirSync(importer.folder.in('foreign'))).toEqual([])
  })

  test('that appears while the job runs no file is moved', async () => {
    const importer = await losingFolder((path) => symlinkSync('.', path))
    await using _ = withJob(importer, ADDING)
    const ran = await importer.kpi('run', 'job.yaml', '-o', 'json')
    expect(stepsOf(ran)[0]?.message).toContain(`cannot write done: it is a link to ., ${NOT_OWN}`)
    expect(readdirSync(importer.folder.in('inbox'))).toEqual(['a.csv'])
  })

  test('of this user on the way to its folder files are moved, and through one of another user none is', async () => {
    await using importer = withJob(await embeddedImporter(), job('archive/{date}'))
    mkdirSync(importer.folder.in('big'))
    const link = importer.folder.in('archive')
    symlinkSync('big', link)
    expect((await importer.kpi('run', 'job.yaml')).code).toBe(0)
    expect(readdirSync(importer.folder.in('big/2026-11-21'))).toEqual(['a.csv'])
    const owner = process.getuid?.() ?? 0
    if (owner === 0) lchownSync(link, 1, 1)
    expect(() => requireOwnFolder(join(link, 'x'), importer.folder.path, owner + 2)).toThrow(
      `${link} is a link to big of another user, ${NOT_OWN}`,
    )
    expect(() => requireOwnFolder(join(link, 'x'), link, owner + 2)).not.toThrow()
  })
})
