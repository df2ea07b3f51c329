import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { heldIn, type Importer, remoteImporter } from '../support/import.ts'
import { KPI, startProgram } from '../support/process.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\nBob,Sales,2026-03-01,2\n'
const BAD = `${FILE}Bob,Sales,2026-02-30,2\n`

const jobIn = (importer: Importer, job: string, file: string): void => {
  mkdirSync(importer.folder.in('inbox'))
  importer.write('inbox/a.csv', file)
  importer.write('job.yaml', job)
}

/** Runs the job where no file can be written, as on a full disk: not one byte. */
const runWithoutRoom = (importer: Importer) => {
  const line = ['/bin/sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh', ...KPI, 'run', 'job.yaml']
  return startProgram(importer.folder, line, importer.world.env as Record<string, string>).ended
}

describe('a job whose disk is full does not end with 0, names the file, and goes on once there is room:', () => {
  test.each([
    [
      'the lock',
      'lock: night\nsteps:\n  - import: inbox/*.csv\n',
      /cannot take the lock night: .*night\.lock cannot be written, as the disk is full; make room/,
    ],
    [
      'the journal',
      'steps:\n  - import: inbox/*.csv\n    move_to: done\n',
      /step 1, import, ended with 1: cannot write the journal .*\.journal: /,
    ],
    [
      'the log',
      'log: job.log\nsteps:\n  - run: users list\n',
      /the job job\.yaml failed\nkpi: cannot write .*job\.log: .*; the log lacks lines/,
    ],
    [
      'a report',
      'steps:\n  - export: r.csv\n    flags: { from: 2026-01-01, to: today }\n',
      /step 1, export, ended with \d: .*r\.csv/,
    ],
    ['what a line prints', 'steps:\n  - run: users list --to-file u.csv\n', /step 1, run, ended with \d: .*u\.csv/],
  ])('%s', async (_what, job, told) => {
    await using importer = await remoteImporter()
    jobIn(importer, job, FILE)
    const { code, stderr } = await runWithoutRoom(importer)
    expect([code, stderr]).toEqual([1, expect.stringMatching(told)])
    expect([readdirSync(importer.folder.in('inbox')), await heldIn(importer)]).toEqual([['a.csv'], []])
    expect((await importer.kpi('run', 'job.yaml')).code).toBe(0)
    expect((await heldIn(importer)).length).toBe(job.includes('import') ? 2 : 0)
  })

  test.runIf(existsSync('/dev/full')).each([
    ['rejected rows', 'steps:\n  - import: inbox/*.csv\n    flags: { rejects: /dev/full }\n'],
    [
      'a report',
      'steps:\n  - export: /dev/full\n    flags: { from: 2026-01-01, to: today, output: csv, force: true }\n',
    ],
  ])('%s, on a device', async (_what, job) => {
    await using importer = await remoteImporter()
    jobIn(importer, job, BAD)
    const { code, stderr } = await importer.kpi('run', 'job.yaml')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/step 1, \w+, ended with \d.*\/dev\/full/)
  })
})
