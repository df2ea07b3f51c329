import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import type { Handler } from '../../src/server/wire.ts'
import { heldIn, type Importer, importers, remoteImporter } from '../support/import.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { some } from '../support/soak/tests.ts'

/** 12,000 rows come to batches of 5,000, 5,000 and 2,000. */
const ROWS = 12_000
const TEXT = [
  'user,kpi,date,actual',
  ...Array.from({ length: ROWS }, (_, at) => `Ann Lee,Sales,${formatDay(at)},${at % 97}.5`),
].join('\n')

const isBatch = ({ target }: Parameters<Handler>[0]): boolean => target.endsWith('/kpientries/list')

type Act = (answer: () => ReturnType<Handler>) => ReturnType<Handler>

/** A service that does something else with the batch of a number, and with the batches after it until it is mended. */
const fromBatch =
  (first: number, act: Act, isMended: () => boolean) =>
  (handler: Handler): Handler => {
    let batches = 0
    return (request) => {
      if (isBatch(request)) batches += 1
      return isBatch(request) && batches >= first && !isMended() ? act(() => handler(request)) : handler(request)
    }
  }

/** A service that does something else with the batch of a number, once. */
const atBatch = (wanted: number, act: Act): ((handler: Handler) => Handler) => {
  let acted = 0
  return fromBatch(
    wanted,
    (answer) => {
      acted += 1
      return act(answer)
    },
    () => acted > 0,
  )
}

const importData = (importer: Importer, signal?: AbortSignal): Promise<Ran> => {
  importer.write('data.csv', TEXT)
  const world = signal ? { ...importer.world, signal } : importer.world
  return shellIn(world)('entries', 'import', 'data.csv', '-o', 'json')
}

/** Runs the same command again, which completes it: its summary is that of the whole run. */
const completes = async (importer: Importer): Promise<void> => {
  const again = jsonOf(await importer.kpi('entries', 'import', 'data.csv', '-o', 'json'))
  expect(again).toMatchObject({ created: ROWS, unchanged: 0, updated: 0, sent: 0, rejected: 0, left: 0 })
  const held = await heldIn(importer)
  expect(held).toHaveLength(ROWS)
  expect(held[11_999]).toBe(`2 1 ${formatDay(11_999)} ${11_999 % 97}.5 - -`)
}

const unavailable = (): ReturnType<Handler> =>
  Promise.resolve({
    status: 503,
    headers: { 'content-type': 'application/json', 'retry-after': '1' },
    body: '{"message":"stopping for maintenance"}',
  })

const FAILURES: [name: string, act: Act, says: string][] = [
  ['is unavailable', unavailable, 'stopping for maintenance'],
  ['cuts the connection', () => Promise.reject(new Error('cut')), 'the connection was cut'],
  [
    'stores a batch and loses the answer',
    async (answer) => {
      await answer()
      throw new Error('cut')
    },
    'the connection was cut',
  ],
]

describe('a service that fails', () => {
  test.each(some(1, FAILURES))(
    'for a moment is asked again, and nothing is lost or done twice: it %s',
    async (_, act) => {
      await using importer = await remoteImporter({ wrap: atBatch(2, act) })
      expect(jsonOf(await importData(importer))).toMatchObject({ created: ROWS, unchanged: 0, sent: 0, left: 0 })
      expect(await heldIn(importer)).toHaveLength(ROWS)
    },
  )

  test.each(some(2, FAILURES))(
    'in mid-run leaves work, which the same command completes: it %s',
    async (_, act, says) => {
      let isMended = false
      await using importer = await remoteImporter({ wrap: fromBatch(2, act, () => isMended) })
      const ran = await importData(importer)
      expect(ran.code).toBe(6)
      expect(ran.stderr).toContain(says)
      expect(ran.stderr).toContain('stopped with 7000 entries left; run the same command to continue')
      const [error = ''] = ran.stderr.trimEnd().split('\n').slice(-1)
      expect(JSON.parse(error)).toMatchObject({ error: { code: 'work_left', exit_code: 6 } })
      expect(JSON.parse(ran.stdout)).toMatchObject({ read: ROWS, created: 5000, left: 7000 })
      isMended = true
      await completes(importer)
    },
  )

  test('at the first batch leaves all of it, which may have been stored all the same', async () => {
    let isMended = false
    await using importer = await remoteImporter({ wrap: fromBatch(1, unavailable, () => isMended) })
    const ran = await importData(importer)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { created: 0, left: ROWS }])
    expect(ran.stderr).toContain('stopping for maintenance')
    expect(await heldIn(importer)).toEqual([])
    isMended = true
    await completes(importer)
  })

  test('in mid-run keeps the rejects that are known', async () => {
    const wrap = fromBatch(
      2,
      () => Promise.reject(new Error('cut')),
      () => false,
    )
    await using importer = await remoteImporter({ wrap })
    importer.write('more.csv', `${TEXT}\nAnn Lee,Sales,2026-02-30,1\n`)
    const ran = await importer.kpi('entries', 'import', 'more.csv', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { rejected: 1, left: 7000 }])
    expect(importer.read('more.rejects.csv')).toContain('Ann Lee,Sales,2026-02-30,1,12002,')
  })
})

describe('asked to stop', () => {
  test('while a batch is sent, an import finishes it and leaves the rest', async () => {
    const sent = 5000
    const controller = new AbortController()
    const wrap = atBatch(1, (answer) => {
      controller.abort()
      return answer()
    })
    await using importer = await remoteImporter({ wrap })
    const ran = await importData(importer, controller.signal)
    expect(ran.code).toBe(6)
    expect(ran.stderr).toContain(`stopped with ${ROWS - sent} entries left; run the same command to continue`)
    expect(JSON.parse(ran.stdout)).toMatchObject({ read: ROWS, created: sent, left: ROWS - sent })
    expect(await heldIn(importer)).toHaveLength(sent)
    await completes(importer)
  })

  test('while the last batch is sent, nothing is left to do', async () => {
    const controller = new AbortController()
    const wrap = atBatch(3, (answer) => {
      controller.abort()
      return answer()
    })
    await using importer = await remoteImporter({ wrap })
    expect(jsonOf(await importData(importer, controller.signal))).toMatchObject({ created: ROWS, left: 0 })
  })

  test('while the file is read, nothing is sent', async () => {
    const controller = new AbortController()
    await using importer = await remoteImporter({
      wrap: (handler) => (request) => {
        if (request.target.endsWith('/users/3/kpis')) controller.abort()
        return handler(request)
      },
    })
    importer.write('long.csv', `${TEXT}\n${'Bob,Sales,2026-01-01,x\n'.repeat(9000)}`)
    const ran = await shellIn({ ...importer.world, signal: controller.signal })('entries', 'import', 'long.csv')
    expect(ran).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringMatching(/^kpi: stopped before anything was sent/) as unknown,
    })
    expect(await heldIn(importer)).toEqual([])
    expect(existsSync(importer.folder.in('long.rejects.csv'))).toBe(false)
  })

  test.each(importers)('before it begins, nothing is sent: %s', async (_, open) => {
    await using importer = await open()
    expect(await importData(importer, AbortSignal.abort())).toMatchObject({ code: 6, stdout: '' })
    expect(await heldIn(importer)).toEqual([])
    await completes(importer)
  })
})

describe('a word for the day of all rows', () => {
  const BEFORE = Date.parse('2026-11-21T23:50:00Z')
  const AFTER = Date.parse('2026-11-22T00:10:00Z')
  const NEXT_NIGHT = Date.parse('2026-11-22T23:50:00Z')
  const FILES = { 'a.csv': 'user,kpi,actual\nAnn Lee,Sales,1\n', 'b.csv': 'user,kpi,actual\nBob,Sales,2\n' }
  const DAYS = { today: '2026-11-21', yesterday: '2026-11-20', '-1m': '2026-10-21' }
  const line = (day: string, ...more: string[]): string[] => [
    'entries',
    'import',
    'a.csv',
    'b.csv',
    '--date',
    day,
    ...more,
  ]
  const JOB = ['run', 'job.yaml']

  /** Runs a line before midnight, whose answers are lost from a batch on, and another one later; returns what is stored. */
  const days = async (lostAt: number, first: readonly string[], then: readonly string[], now = AFTER) => {
    let isMended = false
    const act: Act = async (answer) => {
      await answer()
      throw new Error('cut')
    }
    await using importer = await remoteImporter({ wrap: fromBatch(lostAt, act, () => isMended) })
    for (const [name, text] of Object.entries(FILES)) importer.write(name, text)
    importer.write('job.yaml', 'steps:\n  - import: [a.csv, b.csv]\n    flags: { date: today }\n')
    const stopped = await shellIn({ ...importer.world, now: BEFORE })(...first, '--deadline', '1m')
    expect(stopped.code).toBe(6)
    isMended = true
    const ended = await shellIn({ ...importer.world, now })(...then)
    expect(ended.code).toBe(0)
    return { held: await heldIn(importer), stderr: ended.stderr }
  }
  const both = (day: string, added = ''): string[] => [`2 1 ${day} 1 - -${added}`, `3 1 ${day} 2 - -`]

  test.each(some(1, Object.entries(DAYS)))(
    '%s stays the day on which the import began, after midnight',
    async (word, day) => {
      for (const lostAt of [1, 2])
        for (const how of ['update', 'add']) {
          const command = line(word, '--on-conflict', how)
          const { held, stderr } = await days(lostAt, command, command)
          expect(held).toEqual(both(day))
          expect(stderr).toContain(`--date ${word} stays ${day}`)
          expect(stderr).not.toContain('with other flags')
        }
    },
  )

  test('stays it in a job', async () => {
    expect((await days(1, JOB, JOB)).held).toEqual(['2 1 2026-11-21 1 - -', '3 1 2026-11-22 2 - -'])
  })

  test('is the same as the day that it stood for', async () => {
    expect((await days(1, line('today'), line('2026-11-21'))).held).toEqual(both('2026-11-21'))
  })

  test('is another day the next night, and says how to continue', async () => {
    const { held, stderr } = await days(1, line('today'), line('today'), NEXT_NIGHT)
    expect(held).toEqual(['2 1 2026-11-21 1 - -', ...both('2026-11-22')])
    expect(stderr).toContain('with those flags (--date 2026-11-21 for --date today) it would continue')
  })

  test('is told as a day for the rows that were rejected, which are imported later', async () => {
    await using importer = await remoteImporter()
    importer.write('a.csv', `${FILES['a.csv']}Bob,Sales,x\n`)
    const command = ['entries', 'import', 'a.csv', '--date', 'yesterday', '--max-errors', '1']
    const { stderr } = await shellIn({ ...importer.world, now: BEFORE })(...command)
    expect(stderr).toContain('import that file with the same flags and --date 2026-11-20')
  })
})
