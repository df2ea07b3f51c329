import { mkdirSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { embeddedImporter, heldIn, type Importer, remoteImporter } from '../support/import.ts'
import type { Handler } from '../../src/server/wire.ts'
import type { Ran } from '../support/kpi.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\nBob,Sales,2026-03-01,2\n'

const outcomes = ({ stdout }: Ran): unknown =>
  (JSON.parse(stdout) as { outcome: string; exit_code: number }[]).map(({ outcome, exit_code }) => [outcome, exit_code])

const triesIn = (text: string): number => text.split('; trying again in').length - 1

/** A service that refuses its first requests, and then works; the clock of tests goes on only by what is waited. */
const comingLate = (count: number) => {
  let asked = 0
  const wrap =
    (handler: Handler): Handler =>
    (request) =>
      (asked += 1) > count ? handler(request) : Promise.resolve({ status: 503, headers: {}, body: '' })
  return { wrap, asked: () => asked }
}

/** More requests than one that waits a quarter of an hour for a service sends. */
const LONG = 80

describe('retry', () => {
  test.each([
    ['of the job, a count', 'retry: 3\nsteps:\n  - import: a.csv\n', 0, [['done', 0]]],
    ['of the job, until the deadline', 'retry: until-deadline\nsteps:\n  - import: a.csv\n', 0, [['done', 0]]],
    ['of the step', 'steps:\n  - import: a.csv\n    retry: 3\n', 0, [['done', 0]]],
    ['of the step, which wins', 'retry: 3\nsteps:\n  - import: a.csv\n    retry: 0\n', 5, [['failed', 5]]],
    ['of none', 'steps:\n  - import: a.csv\n', 5, [['failed', 5]]],
    [
      'of a step behind one that goes on',
      'steps:\n  - report:\n    on_failure: continue\n  - run: entries import a.csv\n    retry: 2\n',
      6,
      [
        ['failed', 5],
        ['done', 0],
      ],
    ],
  ])('%s: each row is stored once, where the service comes in time', async (_what, job, code, ends) => {
    await using importer = await remoteImporter({ wrap: comingLate(LONG).wrap })
    importer.write('a.csv', FILE)
    importer.write('job.yaml', job)
    const ran = await importer.kpi('run', 'job.yaml', '-o', 'json')
    expect([ran.code, outcomes(ran)]).toEqual([code, ends])
    const held = await importer.client.entries.list({ from: 20_000, to: 21_000 })
    expect(held).toHaveLength(ends.some(([how]) => how === 'done') ? 2 : 0)
  })

  test('ends with the deadline, until which a request waits anyway, and says each try', async () => {
    const { wrap } = comingLate(Infinity)
    await using importer = await remoteImporter({ wrap })
    importer.write('a.csv', FILE)
    importer.write('job.yaml', 'log: job.log\nretry: until-deadline\nsteps:\n  - import: a.csv\n')
    const ran = await importer.kpi('run', 'job.yaml', '--deadline', '1h', '-o', 'json')
    expect([ran.code, outcomes(ran), triesIn(importer.read('job.log'))]).toEqual([5, [['failed', 5]], 0])
    const timeUp = 'the deadline of the job (1h) came while it waited for the service'
    expect(ran.stderr).toContain(`"the job job.yaml failed; ${timeUp}; step 1, import, ended with 5: `)
    expect(importer.read('job.log')).toContain(` ${timeUp}\n`)
    importer.write('job.yaml', 'log: b.log\nretry: 2\nsteps:\n  - import: a.csv\n')
    expect((await importer.kpi('run', 'job.yaml')).code).toBe(5)
    expect(importer.read('b.log')).toMatch(/ended with 5; trying again in \d+ s \(1 of 2\)[^]*\(2 of 2\)/)
    expect(importer.read('b.log')).not.toMatch(/\(3 of 2\)|the deadline/)
  })

  test.each([
    ['rejected rows', '  - import: bad.csv\n', 3],
    ['a file that is not there', '  - import: gone.csv\n', 1],
    ['what is refused', '  - run: kpis delete None --yes\n', 2],
  ])('never for %s', async (_what, steps, code) => {
    await using importer = await embeddedImporter()
    importer.write('bad.csv', `${FILE}Bob,Sales,x,1\n`)
    importer.write('job.yaml', `log: job.log\nretry: 5\nsteps:\n${steps}`)
    expect((await importer.kpi('run', 'job.yaml')).code).toBe(code)
    expect(triesIn(importer.read('job.log'))).toBe(0)
  })

  test('never for a change of a command line of which nobody knows whether it was done', async () => {
    let made = 0
    await using importer = await remoteImporter({
      wrap: (handler) => async (request) => {
        const isChange = request.method === 'POST'
        const answer = await handler(request)
        if (isChange) made += 1
        return isChange ? { status: 500, headers: {}, body: '' } : answer
      },
    })
    importer.write('job.yaml', 'log: job.log\nretry: 5\nsteps:\n  - run: api POST /categories --field name=North\n')
    const { code } = await importer.kpi('run', 'job.yaml')
    expect([code, made, triesIn(importer.read('job.log'))]).toEqual([5, 1, 0])
  })

  test.each([
    ['retry: often', 'line 1: retry must be one of until-deadline, a count up to 100'],
    ['retry: -1', 'line 1: retry must be one of until-deadline, a count up to 100'],
    ['retry: 101', 'line 1: retry must be one of until-deadline, a count up to 100'],
    ['retry: [1]', 'line 1: retry is one text, and here is more'],
  ])('%s is refused', async (line, told) => {
    await using importer = await embeddedImporter()
    importer.write('job.yaml', `${line}\nsteps:\n  - report:\n`)
    const { code, stderr } = await importer.kpi('run', 'job.yaml', '--dry-run')
    expect([code, stderr.split('\n')[1]?.trim()]).toEqual([2, told])
  })
})

describe('required', () => {
  type Case = readonly [what: string, files: readonly string[], step: string, code: number, lacks: string]
  const MOVED = '    move_to: done/{date}\n'
  const ALL = '  - import: [inbox/*.csv, inbox/*.CSV]\n    required: true\n'
  const EACH = '  - import: [inbox/shops*.csv, inbox/web*.csv]\n    required: each\n'
  const cases: readonly Case[] = [
    ['none, and none is needed', [], `  - import: inbox/*.csv\n${MOVED}`, 0, ''],
    ['none, and false', [], `  - import: inbox/*.csv\n    required: false\n${MOVED}`, 0, ''],
    ['none of several patterns', [], `${ALL}${MOVED}`, 1, 'no file is inbox/*.csv or inbox/*.CSV'],
    ['none of several patterns that stay', [], ALL, 1, 'no file is inbox/*.csv or inbox/*.CSV'],
    ['one of several patterns', ['a.CSV'], `${ALL}${MOVED}`, 0, ''],
    ['one that is needed of each', ['web-1.csv'], `${EACH}${MOVED}`, 1, 'no file is inbox/shops*.csv'],
    ['each', ['web-1.csv', 'shops.csv'], `${EACH}${MOVED}`, 0, ''],
    [
      'none for a line',
      [],
      `  - run: entries import inbox/*.csv\n    required: true\n${MOVED}`,
      1,
      'no file is inbox/*.csv',
    ],
  ]

  const open = async (files: readonly string[], step: string): Promise<Importer> => {
    const importer = await embeddedImporter()
    mkdirSync(importer.folder.in('inbox'))
    for (const file of files) importer.write(`inbox/${file}`, FILE)
    importer.write('job.yaml', `steps:\n${step}`)
    return importer
  }

  test.each(cases)('%s: the dry run and the run end so', async (_what, files, step, code, lacks) => {
    await using importer = await open(files, step)
    for (const flags of [['--dry-run'], []]) {
      const ran = await importer.kpi('run', 'job.yaml', ...flags)
      expect([ran.code, lacks === '' || ran.stderr.includes(`step 1`)]).toEqual([code, true])
      expect(ran.stderr).toContain(lacks)
    }
    // What is there is loaded all the same.
    expect((await heldIn(importer)).length > 0).toBe(files.length > 0)
    expect(readdirSync(importer.folder.in('inbox'))).toEqual(step.includes(MOVED) ? [] : files)
  })

  test.each([
    ['none', [], `${EACH}${MOVED}`, ['failed 1']],
    ['one that is needed of each', ['web-1.csv'], `${EACH}${MOVED}`, ['planned', 'failed 1']],
    ['none that stays, and is not required', [], '  - import: inbox/*.csv\n', ['failed 1']],
  ])('%s: the dry run lists the step as the run does', async (_what, files, step, outcomes) => {
    await using importer = await open(files, step)
    const rowsWith = async (...flags: string[]) => {
      const { stdout } = await importer.kpi('run', 'job.yaml', '-o', 'json', ...flags)
      return JSON.parse(stdout) as Record<string, unknown>[]
    }
    const foreseen = await rowsWith('--dry-run')
    expect(foreseen.map((row) => [row['outcome'], row['exit_code'] ?? []].flat().join(' '))).toEqual(outcomes)
    const [ran] = await rowsWith()
    expect({ ...foreseen.at(-1), seconds: 0 }).toEqual({ ...ran, seconds: 0 })
  })

  test('counts what the same night has moved away already, so that a job that goes on is no failure', async () => {
    await using importer = await open(['shops.csv', 'web.csv'], EACH + MOVED)
    expect((await importer.kpi('run', 'job.yaml')).code).toBe(0)
    expect((await importer.kpi('run', 'job.yaml')).code).toBe(0)
    expect((await importer.kpi('run', 'job.yaml', '--dry-run')).code).toBe(0)
  })

  test.each(['yes', 'all', '[a]'])('%s is refused with what it may be', async (given) => {
    await using importer = await open([], `  - import: inbox/*.csv\n    required: ${given}\n`)
    const { code, stderr } = await importer.kpi('run', 'job.yaml')
    expect([code, stderr.split('\n').slice(1, -1)]).toEqual([2, [expect.stringContaining('line 3: required ')]])
  })
})
