import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Handler } from '../../src/server/wire.ts'
import { heldIn, type Importer, importers, remoteImporter } from '../support/import.ts'
import { errorOf, jsonOf, shellIn } from '../support/kpi.ts'
import { rowsOf, xlsxOf } from '../support/workbook.ts'

const rows = (...lines: string[]): string => ['user,kpi,date,actual', ...lines, ''].join('\n')

const GOOD = rows('Bob,Sales,2026-01-01,1', 'Bob,Sales,2026-01-02,2')
const MIXED = rows('Bob,Sales,2026-02-01,1', 'Zed,Sales,2026-02-02,2')
const LATER = rows('Ann Lee,Sales,2026-03-01,3')

const write = (importer: Importer): void => {
  importer.write('a.csv', GOOD)
  importer.write('b.csv', MIXED)
  importer.write('c.csv', LATER)
}

const isBatch = ({ target }: Parameters<Handler>[0]): boolean => target.endsWith('/kpientries/list')

/** A service that answers so to the batches after the first few with entries. */
const afterBatches =
  (good: number, status: number): ((handler: Handler) => Handler) =>
  (handler) => {
    let batches = 0
    return (request) => {
      if (isBatch(request)) batches += 1
      if (!isBatch(request) || batches <= good) return handler(request)
      const headers = { 'content-type': 'application/json' }
      return Promise.resolve({ status, headers, body: '{"message":"no more"}' })
    }
  }

describe.each(importers)('several files: %s', (_, open) => {
  test('are loaded one after another, each with its own summary and rejects', async () => {
    await using importer = await open()
    write(importer)
    const { code, stdout, stderr } = await importer.kpi('entries', 'import', 'a.csv', 'b.csv', 'c.csv', '-o', 'json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject([
      { file: 'a.csv', read: 2, created: 2, rejected: 0 },
      { file: 'b.csv', read: 2, created: 1, rejected: 1 },
      { file: 'c.csv', read: 1, created: 1, rejected: 0 },
    ])
    expect(errorOf({ stderr }).message).toBe(
      'b.csv: 1 row was rejected; it is in b.rejects.csv with the reasons: fix it there and import that file',
    )
    expect(importer.read('b.rejects.csv')).toContain('Zed')
    expect(existsSync(importer.folder.in('a.rejects.csv'))).toBe(false)
    expect(await heldIn(importer)).toHaveLength(4)
  })

  test('ask for the assignments of a user once, and again where some are created', async () => {
    await using importer = await open()
    for (const day of ['01', '02', '03']) importer.write(`${day}.csv`, rows(`Bob,Sales,2026-01-${day},1`))
    const requestsOf = (stdout: string): number[] =>
      (JSON.parse(stdout) as { requests: number }[]).map(({ requests }) => requests)
    const plain = await importer.kpi('entries', 'import', '01.csv', '02.csv', '03.csv', '-o', 'json')
    const [first = 0, second, third] = requestsOf(plain.stdout)
    expect([plain.code, second, third]).toEqual([0, first - 1, first - 1])
    importer.write('04.csv', rows('Ann Lee,Visits,2026-01-04,1'))
    importer.write('05.csv', rows('Ann Lee,Visits,2026-01-05,1'))
    const created = await importer.kpi('entries', 'import', '04.csv', '05.csv', '--create-assignments', '-o', 'json')
    expect({ ...created, rows: JSON.parse(created.stdout) as unknown }).toMatchObject({
      code: 0,
      rows: [{ created: 1 }, { created: 1, rejected: 0 }],
    })
  })

  test.each(['csv', 'json', 'table'])('print nothing as %s where the first of them fails', async (format) => {
    await using importer = await open()
    write(importer)
    importer.write('a.csv', MIXED)
    const args = ['entries', 'import', 'a.csv', 'c.csv', '--max-errors', '0', '-o', format]
    for (const flags of [[], ['--dry-run']]) {
      const ran = await importer.kpi(...args, ...flags)
      expect([ran.code, ran.stdout, await heldIn(importer)]).toEqual([1, '', []])
    }
  })

  test('are all refused before anything is sent where a header is wrong, which is told with its file', async () => {
    await using importer = await open()
    write(importer)
    importer.write('d.csv', 'Wer,kpi,date,actual\nBob,Sales,2026-01-01,1\n')
    const ran = await importer.kpi('entries', 'import', 'a.csv', 'd.csv', 'c.csv')
    expect([ran.code, ran.stdout, await heldIn(importer)]).toEqual([1, '', []])
    expect(ran.stderr).toMatch(
      /^kpi: d\.csv: the header does not say .*\nkpi: d\.csv: user: no column is the user.*\nkpi: nothing was sent of any file\n$/,
    )
  })

  test('are rehearsed as one list, which names the file of each row', async () => {
    await using importer = await open()
    write(importer)
    const ran = await importer.kpi('entries', 'import', 'a.csv', 'b.csv', '--dry-run', '-o', 'csv')
    expect(ran.code).toBe(3)
    const lines = ran.stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.split(',').slice(0, 3).join(' '))).toEqual([
      'file line action',
      'a.csv 2 create',
      'a.csv 3 create',
      'b.csv 2 create',
      'b.csv 3 reject',
    ])
    expect(ran.stderr).toContain('b.csv: dry run, nothing was sent: 1 entry to create')
    expect(await heldIn(importer)).toEqual([])
  })

  test('may have standard input among them', async () => {
    await using importer = await open()
    write(importer)
    const ran = await importer.kpiWith(LATER)('entries', 'import', 'a.csv', '-', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject([
      { file: 'a.csv', created: 2 },
      { file: '-', created: 1 },
    ])
  })

  test.each<[name: string, args: readonly string[], message: string]>([
    ['a file that is not there', ['a.csv', 'gone.csv'], 'cannot read gone.csv: there is no such file'],
    ['standard input twice', ['-', '-'], '- is named twice; standard input is read once'],
    ['a file twice', ['a.csv', './a.csv'], 'a.csv'],
    [
      'one place for all rejects',
      ['a.csv', 'b.csv', '--rejects', 'r.csv'],
      '--rejects would name one file for 2 imports',
    ],
    [
      'one receipt',
      ['a.csv', 'b.csv', '--verify', '--receipt', 'r.json'],
      '--receipt would name one file for 2 imports',
    ],
    ['the rejects of another', ['a.csv', 'a.rejects.csv'], 'a.rejects.csv is where the rejects of a.csv go'],
    ['rejects in one place', ['a.csv', 'a.txt'], 'the rejects of a.csv and a.txt would both go to a.rejects.csv'],
  ])('are refused before anything is sent: %s', async (_name, args, message) => {
    await using importer = await open()
    write(importer)
    importer.write('a.rejects.csv', GOOD)
    importer.write('a.txt', GOOD)
    const { code, stdout, stderr } = await importer.kpi('entries', 'import', ...args)
    expect([code === 0, stdout]).toEqual([false, ''])
    expect(stderr).toContain(message)
    expect(await heldIn(importer)).toEqual([])
  })
})

describe.each(importers)('several files with faults: %s', (_, open) => {
  test.each([['update'], ['add']])(
    'are refused together, with all that is in doubt: --on-conflict %s',
    async (what) => {
      await using importer = await open()
      write(importer)
      importer.write('dates.csv', rows('Bob,Sales,01/02/2026,1'))
      importer.write('numbers.csv', 'user,kpi,date,value\nBob,Sales,2026-01-01,"1,234"\n')
      importer.write('header.csv', 'user,colour\nBob,1\n')
      const files = ['a.csv', 'dates.csv', 'numbers.csv', 'header.csv']
      const { code, stdout, stderr } = await importer.kpi('entries', 'import', ...files, '--on-conflict', what)
      expect([code, stdout, await heldIn(importer)]).toEqual([1, '', []])
      for (const said of ['dates.csv: date: ', 'numbers.csv: ', 'header.csv: ', 'nothing was sent of any file'])
        expect(stderr).toContain(said)
    },
  )

  test('are refused together where several cannot be opened', async () => {
    await using importer = await open()
    write(importer)
    importer.write('nul.csv', 'user,kpi\0')
    const ran = await importer.kpi('entries', 'import', 'a.csv', 'gone.csv', 'nul.csv', 'lost.csv')
    expect([ran.code, await heldIn(importer)]).toEqual([1, []])
    for (const said of ['read gone.csv', 'read nul.csv', 'read lost.csv', 'nothing was sent of any file'])
      expect(ran.stderr).toContain(said)
  })

  test('stand for no earlier one where they are refused for their rows', async () => {
    await using importer = await open()
    importer.write('jan.csv', rows('Bob,Sales,2026-01-01,1'))
    importer.write('jan-v2.csv', rows('Bob,Sales,2026-01-01,8', 'Zed,Sales,2026-01-01,8'))
    const ran = await importer.kpi('entries', 'import', 'jan.csv', 'jan-v2.csv', '--max-errors', '0', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([1, [{ file: 'jan.csv', created: 1, restated: 0 }]])
    expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 1 - -'])
  })
})

describe('what ends a run of several files', () => {
  test('is told with the files that were not started: a key that is refused', async () => {
    await using importer = await remoteImporter({ wrap: afterBatches(1, 401) })
    write(importer)
    const ran = await importer.kpi('entries', 'import', 'a.csv', 'b.csv', 'c.csv', '-o', 'json')
    expect(ran.code).toBe(4)
    expect(JSON.parse(ran.stdout)).toMatchObject([{ file: 'a.csv', created: 2 }])
    expect(errorOf(ran).message).toMatch(
      /b\.csv: .*no more.*not started: c\.csv; once that is settled, the same command continues$/,
    )
    expect(await heldIn(importer)).toHaveLength(2)
  })

  test('leaves work where the service is gone, also where it may have stored what it did not answer', async () => {
    for (const good of [1, 0]) {
      await using importer = await remoteImporter({ wrap: afterBatches(good, 503) })
      write(importer)
      const { code, stderr } = await importer.kpi('entries', 'import', 'a.csv', 'b.csv', '-o', 'json')
      expect([code, stderr]).toEqual([6, expect.stringContaining('no more')])
    }
  })

  test('leaves a list of a dry run that can be read', async () => {
    await using importer = await remoteImporter()
    write(importer)
    importer.write('bad.csv', rows('Zed,Sales,2026-02-02,2'))
    const args = ['entries', 'import', 'a.csv', 'bad.csv', 'c.csv', '--max-errors', '0', '--dry-run', '-o', 'json']
    const ran = await importer.kpi(...args)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([1, [{ file: 'a.csv' }, { file: 'a.csv' }]])
    expect(errorOf(ran).message).toMatch(
      /^bad\.csv: .*not started: c\.csv; once that is settled, the same command continues$/,
    )
  })

  test('is somebody who asks to stop between two files', async () => {
    const controller = new AbortController()
    const wrap =
      (handler: Handler): Handler =>
      (request) => {
        if (isBatch(request)) controller.abort()
        return handler(request)
      }
    await using importer = await remoteImporter({ wrap })
    write(importer)
    const shell = shellIn({ ...importer.world, signal: controller.signal })
    const { code, stdout, stderr } = await shell('entries', 'import', 'a.csv', 'c.csv', '-o', 'json')
    expect(code).toBe(6)
    expect(JSON.parse(stdout)).toMatchObject([{ file: 'a.csv', created: 2 }])
    expect(errorOf({ stderr }).message).toContain('not started: c.csv; run the same command to continue')
    expect(jsonOf(await importer.kpi('entries', 'import', 'a.csv', 'c.csv', '-o', 'json'))).toMatchObject([
      { file: 'a.csv', created: 2 },
      { file: 'c.csv', created: 1 },
    ])
  })
})

/** A service that takes so many batches until it is mended. */
const until =
  (good: number, isMended: () => boolean): ((handler: Handler) => Handler) =>
  (handler) => {
    let batches = 0
    return (request) => {
      if (isBatch(request)) batches += 1
      if (!isBatch(request) || batches <= good || isMended()) return handler(request)
      const headers = { 'content-type': 'application/json' }
      return Promise.resolve({ status: 403, headers, body: '{"message":"no more"}' })
    }
  }

describe('the same command after a stop between the rows of a later file', () => {
  test.each(['add', 'error', 'update'])('sends nothing of the earlier ones again: --on-conflict %s', async (what) => {
    let isMended = false
    await using importer = await remoteImporter({ wrap: until(1, () => isMended) })
    write(importer)
    const args = ['entries', 'import', 'a.csv', 'c.csv', '--on-conflict', what, '-o', 'json']
    expect(await importer.kpi(...args)).toMatchObject({ code: 4 })
    isMended = true
    const again = await importer.kpi(...args)
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
      0,
      [
        { file: 'a.csv', created: 2, rejected: 0 },
        { file: 'c.csv', created: 1, rejected: 0 },
      ],
    ])
    expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 1 - -', '3 1 2026-01-02 2 - -', '2 1 2026-03-01 3 - -'])
    expect(readdirSync(importer.folder.in('.local/state/kpi/journals'))).toEqual([])
  })
})

test('the same command after a stop between the rows of a later sheet adds nothing of the earlier ones again', async () => {
  let isMended = false
  await using importer = await remoteImporter({ wrap: until(2, () => isMended) })
  const sheetOf = (text: string): string =>
    rowsOf(
      text
        .trim()
        .split('\n')
        .map((line) => line.split(',')),
    )
  // Two sheets are equal, and are added one after the other.
  importer.write('book.xlsx', xlsxOf({ sheets: { Jan: sheetOf(GOOD), Jan2: sheetOf(GOOD), Mar: sheetOf(LATER) } }))
  const args = ['entries', 'import', 'book.xlsx', '--sheet', '*', '--on-conflict', 'add', '--add-again', '-o', 'json']
  expect(await importer.kpi(...args)).toMatchObject({ code: 4 })
  isMended = true
  expect(jsonOf(await importer.kpi(...args))).toMatchObject([{ created: 2 }, { updated: 2 }, { created: 1 }])
  expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 2 - -', '3 1 2026-01-02 4 - -', '2 1 2026-03-01 3 - -'])
})

test('files that are added to each other are added once where the command stops and goes on', async () => {
  let isMended = false
  await using importer = await remoteImporter({ wrap: until(1, () => isMended) })
  importer.write('a.csv', GOOD)
  importer.write('b.csv', rows('Bob,Sales,2026-01-01,8', 'Bob,Sales,2026-01-03,3'))
  const args = ['entries', 'import', 'a.csv', 'b.csv', '--on-conflict', 'add', '-o', 'json']
  expect(await importer.kpi(...args)).toMatchObject({ code: 4 })
  const other = await importer.kpi('entries', 'import', 'b.csv', '--on-conflict', 'add', '--by-name', 'user')
  expect(other.code).toBe(1)
  isMended = true
  expect(await importer.kpi(...args)).toMatchObject({ code: 0 })
  expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 9 - -', '3 1 2026-01-02 2 - -', '3 1 2026-01-03 3 - -'])
})

test('a stop before a correction leaves nothing of what it corrects, and the same command continues', async () => {
  let isMended = false
  await using importer = await remoteImporter({ wrap: until(1, () => isMended) })
  importer.write('a.csv', rows('Bob,Sales,2026-01-01,1', 'Bob,Sales,2026-01-02,2'))
  importer.write('a-v2.csv', rows('Bob,Sales,2026-01-01,8'))
  const args = ['entries', 'import', 'a.csv', 'a-v2.csv', '--on-conflict', 'error', '-o', 'json']
  expect(await importer.kpi(...args)).toMatchObject({ code: 4 })
  expect(await heldIn(importer)).toEqual(['3 1 2026-01-02 2 - -'])
  isMended = true
  expect(jsonOf(await importer.kpi(...args))).toMatchObject([
    { file: 'a.csv', created: 1, restated: 1, rejected: 0 },
    { file: 'a-v2.csv', created: 1, restated: 0, rejected: 0 },
  ])
  expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 8 - -', '3 1 2026-01-02 2 - -'])
})

describe.each(importers)('files that give other values of the same entries: %s', (_, open) => {
  const FIRST = rows('Bob,Sales,2026-01-01,1', 'Bob,Sales,2026-01-02,2', 'Ann Lee,Sales,2026-01-02,5')
  const SECOND = rows('Bob,Sales,2026-01-01,8', 'Bob,Sales,2026-01-02,2')

  /** The actual of Bob on the first day, and how many entries there are. */
  const held = async (importer: Importer) => {
    const entries = await heldIn(importer)
    return [entries.length, entries.filter((entry) => / 2026-01-01 8(?: |$)/.test(entry)).length]
  }

  test('are refused before anything is sent, with the flag that takes those of the later one', async () => {
    await using importer = await open()
    importer.write('a.csv', FIRST)
    importer.write('b.csv', SECOND)
    const asked = await importer.kpi('entries', 'import', 'a.csv', 'b.csv')
    expect([asked.code, asked.stdout, await heldIn(importer)]).toEqual([1, '', []])
    expect(asked.stderr).toContain(
      'a.csv and b.csv give other values of 1 entry (Sales of Bob on 2026-01-01): 1 on line 2 of a.csv, 8 on line 2 of b.csv: --on-overlap later takes those of b.csv, which is named later',
    )
    const ran = await importer.kpi('entries', 'import', 'a.csv', 'b.csv', '--on-overlap', 'later', '-o', 'json')
    expect(ran.stderr).toMatch(/imported 2 files at .*: 5 rows read/)
    expect([ran.code, jsonOf(ran)]).toEqual([
      0,
      [expect.objectContaining({ file: 'a.csv', read: 3 }), expect.objectContaining({ file: 'b.csv', read: 2 })],
    ])
    expect(await held(importer)).toEqual([3, 1])
  })

  test('are imported in the order that their names give, whatever order they are named in', async () => {
    await using importer = await open()
    importer.write('jan.csv', FIRST)
    importer.write('jan-korrigiert.csv', SECOND)
    const ran = await importer.kpi('entries', 'import', 'jan-korrigiert.csv', 'jan.csv', '-o', 'table')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('jan-korrigiert.csv is imported after jan.csv, as its name says')
    const [, first = '', second = '', total = ''] = ran.stdout.split('\n')
    expect([first, second, total].map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ['jan.csv', '3'],
      ['jan-korrigiert.csv', '2'],
      ['total', '5'],
    ])
    expect(ran.stderr).toMatch(/imported 2 files at .*: 5 rows read/)
    expect(await held(importer)).toEqual([3, 1])
  })

  test('are no matter where both files say the same', async () => {
    await using importer = await open()
    importer.write('a.csv', FIRST)
    importer.write('b.csv', rows('Bob,Sales,2026-01-02,2'))
    expect(await importer.kpi('entries', 'import', 'a.csv', 'b.csv')).toMatchObject({ code: 0 })
  })

  const STORED = ['3 1 2026-01-01 8 - -', '2 1 2026-01-02 5 - -', '3 1 2026-01-02 2 - -']
  const IMPORT = ['entries', 'import', 'jan.csv', 'jan-korrigiert.csv', '-o', 'json']

  /** Starts with an account, and two files of which one corrects the other. */
  const openCorrected = async (): Promise<Importer> => {
    const importer = await open()
    importer.write('jan.csv', FIRST)
    importer.write('jan-korrigiert.csv', SECOND)
    return importer
  }

  test('store what they say together, at once, and nothing the second time', async () => {
    await using importer = await openCorrected()
    const counts = (done: string) => [
      { file: 'jan.csv', read: 3, [done]: 1, updated: 0, restated: 2 },
      { file: 'jan-korrigiert.csv', read: 2, [done]: 2, updated: 0, restated: 0 },
    ]
    expect(jsonOf(await importer.kpi(...IMPORT))).toMatchObject(counts('created'))
    const again = await importer.kpi(...IMPORT)
    expect(jsonOf(again)).toMatchObject(counts('unchanged'))
    expect(again.stderr).toMatch(
      /imported 2 files at .*: 5 rows read, 3 entries unchanged, 2 rows restated by a later file/,
    )
    expect(await heldIn(importer)).toEqual(STORED)
  })

  test.each(['skip', 'error'])('are one to --on-conflict %s', async (what) => {
    await using importer = await openCorrected()
    expect(jsonOf(await importer.kpi(...IMPORT, '--on-conflict', what))).toMatchObject([
      { created: 1, restated: 2, skipped: 0, rejected: 0 },
      { created: 2, restated: 0, skipped: 0, rejected: 0 },
    ])
    expect(await heldIn(importer)).toEqual(STORED)
  })

  test('are shown by a dry run with the rows that are not sent', async () => {
    await using importer = await openCorrected()
    const ran = await importer.kpi(...IMPORT, '--dry-run')
    const shown = (jsonOf(ran) as Record<string, unknown>[]).map(({ file, line, action, reason }) => [
      file,
      line,
      action,
      reason,
    ])
    expect(shown).toEqual([
      ['jan.csv', 4, 'create', null],
      ['jan.csv', 2, 'restated', 'given again by jan-korrigiert.csv'],
      ['jan.csv', 3, 'restated', 'given again by jan-korrigiert.csv'],
      ['jan-korrigiert.csv', 2, 'create', null],
      ['jan-korrigiert.csv', 3, 'create', null],
    ])
    expect(ran.stderr).toContain('2 rows restated by a later file')
  })

  test('are shown once by a dry run where a row is rejected as well', async () => {
    await using importer = await open()
    importer.write('jan.csv', 'user,date,Sales,Visits\nAnn Lee,2026-01-01,1,x\n')
    importer.write('jan-v2.csv', 'user,date,Sales\nAnn Lee,2026-01-01,8\n')
    const ran = await importer.kpi('entries', 'import', 'jan.csv', 'jan-v2.csv', '--dry-run', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
      3,
      [
        {
          file: 'jan.csv',
          line: 2,
          action: 'reject',
          reason: expect.stringMatching(/"x".*; given again by jan-v2\.csv$/),
        },
        { file: 'jan-v2.csv', line: 2, action: 'create', actual: 8 },
      ],
    ])
  })

  test('give another value where one clears what the other gives', async () => {
    await using importer = await open()
    importer.write('a.csv', 'user,kpi,date,actual,notes\nBob,Sales,2026-01-01,1,rain\n')
    importer.write('b.csv', 'user,kpi,date,actual,notes\nBob,Sales,2026-01-01,1,\n')
    const args = ['entries', 'import', 'a.csv', 'b.csv', '--empty', 'clear', '-o', 'json']
    const asked = await importer.kpi(...args)
    expect([asked.code, await heldIn(importer)]).toEqual([1, []])
    expect(asked.stderr).toContain('a.csv and b.csv give other values of 1 entry')
    expect(jsonOf(await importer.kpi(...args, '--on-overlap', 'later'))).toMatchObject([
      { file: 'a.csv', created: 0, restated: 1 },
      { file: 'b.csv', created: 1 },
    ])
    expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 1 - -'])
  })

  test('hand on the values that the later file does not give', async () => {
    await using importer = await open()
    importer.write('jan.csv', 'user,kpi,date,actual,notes\nBob,Sales,2026-01-01,1,rain\nBob,Sales,2026-01-02,2,sun\n')
    importer.write('jan-v2.csv', 'user,kpi,date,actual\nBob,Sales,2026-01-01,3\n')
    importer.write('jan-v3.csv', 'user,kpi,date,actual\nBob,Sales,2026-01-01,8\n')
    const args = ['entries', 'import', 'jan.csv', 'jan-v3.csv', 'jan-v2.csv', '--on-conflict', 'skip', '-o', 'json']
    expect(jsonOf(await importer.kpi(...args))).toMatchObject([
      { file: 'jan.csv', created: 1, restated: 1 },
      { file: 'jan-v2.csv', created: 0, restated: 1 },
      { file: 'jan-v3.csv', created: 1, restated: 0 },
    ])
    expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 8 - rain', '3 1 2026-01-02 2 - sun'])
  })

  test('are compared as each file makes entries of its rows, and bad rows stand for none', async () => {
    await using importer = await open()
    importer.write('jan.csv', rows('Bob,Sales,2026-01-01,1', 'Bob,Sales,2026-01-01,2', 'Bob,Sales,2026-01-02,2'))
    importer.write('jan-v2.csv', rows('Bob,Sales,2026-01-01,8', 'Bob,Sales,2026-01-02,9', 'Bob,Sales,2026-01-02,x'))
    const args = ['entries', 'import', 'jan.csv', 'jan-v2.csv', '--on-duplicate', 'sum', '-o', 'json']
    const ran = await importer.kpi(...args)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
      3,
      [
        { read: 3, created: 1, restated: 2 },
        { read: 3, created: 1, rejected: 2 },
      ],
    ])
    expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 8 - -', '3 1 2026-01-02 2 - -'])
  })

  test('count the rows of equal files once', async () => {
    await using importer = await open()
    for (const name of ['a.csv', 'b.csv']) importer.write(name, GOOD)
    for (const done of ['created', 'unchanged'])
      expect(jsonOf(await importer.kpi('entries', 'import', 'a.csv', 'b.csv', '-o', 'json'))).toMatchObject([
        { file: 'a.csv', read: 2, [done]: 0, restated: 2 },
        { file: 'b.csv', read: 2, [done]: 2, restated: 0 },
      ])
  })

  test('are added to each other by --on-conflict add', async () => {
    await using importer = await open()
    importer.write('a.csv', GOOD)
    importer.write('b.csv', rows('Bob,Sales,2026-01-01,8', 'Bob,Sales,2026-01-03,3'))
    const args = ['entries', 'import', 'a.csv', 'b.csv', '--on-conflict', 'add', '-o', 'json']
    expect(jsonOf(await importer.kpi(...args))).toMatchObject([
      { file: 'a.csv', created: 2 },
      { file: 'b.csv', created: 1, updated: 1 },
    ])
    expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 9 - -', '3 1 2026-01-02 2 - -', '3 1 2026-01-03 3 - -'])
  })

  test('are not added twice where they are equal, unless that is wanted', async () => {
    await using importer = await open()
    for (const name of ['a.csv', 'b.csv']) importer.write(name, GOOD)
    const args = ['entries', 'import', 'a.csv', 'b.csv', '--on-conflict', 'add', '-o', 'json']
    const refused = await importer.kpi(...args)
    expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([1, [{ file: 'a.csv', created: 2 }]])
    expect(refused.stderr).toContain('--add-again')
    expect(jsonOf(await importer.kpi(...args, '--add-again'))).toMatchObject([{ created: 2 }, { updated: 2 }])
    expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 2 - -', '3 1 2026-01-02 4 - -'])
  })
})
