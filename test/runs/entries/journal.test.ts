import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KpiError } from '../../../src/domain/errors.ts'
import {
  type Intent,
  type Journal,
  JOURNAL_ENDING,
  type JournalHead,
  journalPath,
} from '../../../src/runs/entries/journal.ts'
import { holdForUndo, JOURNAL, openJournal, readJournal } from '../../../src/runs/entries/open-journal.ts'
import { emptyTally } from '../../../src/runs/entries/tally.ts'
import { rejectRepeatedAdding, notesOnUnfinished, settledDay } from '../../../src/runs/entries/unfinished.ts'
import { openSealedFile } from '../../../src/runs/file/sealed-file.ts'
import { temporaryFolder } from '../../support/folder.ts'

const INSPECTOR = join(import.meta.dirname, '..', '..', 'support', 'journal-inspector.ts')

const HEAD: JournalHead = {
  runId: 'one',
  service: 'https://kpi.example.com/api',
  path: '/data.csv',
  beganAt: 5,
  content: 'a',
  account: { for: 'key 1', isSure: false },
  caller: '1',
  isAdding: true,
}

const intentOf = (first: number, last: number): Intent => ({
  first: [2, 1, first],
  last: [2, 1, last],
  count: last - first + 1,
  digest: `of ${first}`,
  way: 'batch',
  places: undefined,
  stage: emptyTally(),
  sentAt: 7,
})

const refusalOf = (open: () => Journal): string => {
  try {
    open().close()
  } catch (error) {
    if (error instanceof KpiError) return `${error.code}: ${error.message}`
  }
  return 'none'
}

/** All that a journal tells. */
const contentOf = (journal: Journal): unknown => {
  const earlier = journal.earlier(undefined, 1000)
  const { runId, path, content, doneBefore } = journal
  return [
    runId,
    path,
    content,
    doneBefore,
    earlier.map((one) => [one, [...journal.samples(one.id)], journal.ones(one.id)]),
  ]
}

test('says in the next part of a run what was meant and what was done, in the order of keys', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.journal')
  const first = openJournal(path, HEAD)
  const [late = 0, early = 0] = first.intend([intentOf(10, 19), intentOf(0, 9)])
  first.acknowledge(late, { ...emptyTally(), created: 9, refused: [[12, 'no']] })
  expect(first.earlier(undefined, 9)).toEqual([])
  first.close()

  const next = openJournal(path, { ...HEAD, runId: 'two', beganAt: 8 })
  expect(next).toMatchObject({ runId: 'one', beganAt: 5, doneBefore: 10 })
  expect(next.earlier(undefined, 9)).toEqual([
    { ...intentOf(0, 9), id: early, run: 'one', outcome: undefined },
    { ...intentOf(10, 19), id: late, run: 'one', outcome: { ...emptyTally(), created: 9, refused: [[12, 'no']] } },
  ])
  expect(next.earlier([2, 1, 0], 9)).toHaveLength(1)
  next.finish()
  expect(existsSync(path)).toBe(false)
})

test('keeps what was there before an entry that is sent by itself', () => {
  using folder = temporaryFolder()
  const journal = openJournal(folder.in('a.journal'), HEAD)
  const [id = 0] = journal.intend([intentOf(0, 9)])
  const ones = [undefined, null, [71], [7, 71]].map((known, day) => ({
    key: [2, 1, day] as const,
    digest: 'x',
    known,
    sentAt: 7,
  }))
  journal.intendOnes(id, ones)
  journal.acknowledgeOne(id, [2, 1, 1], emptyTally())
  journal.withdrawOne(id, [2, 1, 2])
  expect(journal.ones(id)).toEqual([
    { ...ones[0], outcome: undefined },
    { ...ones[1], outcome: emptyTally() },
    { ...ones[3], outcome: undefined },
  ])
  journal.acknowledge(id, emptyTally())
  journal.intend([intentOf(10, 19)])
  expect(journal.ones(id)).toEqual([])
  journal.close()
})

test('goes through the intervals of items by their ids, and then through those of users', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.journal')
  const owners = [-1, -2, -20, 1, 3]
  const ofOwner = (owner: number): Intent => ({ ...intentOf(0, 9), first: [owner, 1, 0], last: [owner, 1, 9] })
  const first = openJournal(path, HEAD)
  first.intend([3, -20, -1, 1, -2].map(ofOwner))
  first.close()
  const next = openJournal(path, HEAD)
  const after = (owner: number): number[] => next.earlier([owner, 1, 0], 2).map((one) => one.first[0])
  expect(next.earlier(undefined, 9).map((one) => one.first[0])).toEqual(owners)
  expect(owners.map(after)).toEqual([[-2, -20], [-20, 1], [1, 3], [3], []])
  next.finish()
})

test.each([
  ['when it is closed', 3, 3, (journal: Journal) => journal.close()],
  ['with the next intervals', 3, 3, (journal: Journal) => void journal.intend([intentOf(90, 99)])],
  ['when many wait', 9, 8, () => undefined],
])('writes outcomes %s', (_, acknowledged, written, end) => {
  using folder = temporaryFolder()
  const journal = openJournal(folder.in('a.journal'), HEAD)
  const ids = journal.intend(Array.from({ length: 9 }, (__, at) => intentOf(at * 10, at * 10 + 9)))
  for (const id of ids.slice(0, acknowledged)) journal.acknowledge(id, emptyTally())
  end(journal)
  // What a process that is killed now leaves.
  copyFileSync(folder.in('a.journal'), folder.in('killed.journal'))
  expect(readJournal(folder.in('killed.journal')).doneBefore).toBe(written * 10)
  journal.close()
})

test('does not stay where nothing was sent, or all that was meant was taken back', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.journal')
  openJournal(path, HEAD).close()
  expect(existsSync(path)).toBe(false)
  const journal = openJournal(path, HEAD)
  journal.withdraw(journal.intend([intentOf(0, 9)]))
  journal.close()
  expect(existsSync(path)).toBe(false)
})

test('is held by one at a time', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.journal')
  const journal = openJournal(path, HEAD)
  expect(refusalOf(() => openJournal(path, HEAD))).toBe(
    'locked: the same import is running already; wait until it has ended, or stop it',
  )
  journal.close()
  expect(refusalOf(() => openJournal(path, HEAD))).toBe('none')
})

test('is sealed in all columns of all its tables', () => {
  const { database } = openSealedFile(undefined, JOURNAL, HEAD)
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all()
  const columnsOf = (table: string): string[] =>
    database
      .prepare(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name))
  const made = Object.fromEntries(tables.map(({ name }) => [String(name), columnsOf(String(name))]))
  expect(made).toEqual({ ...JOURNAL.tables, meta: ['name', 'value'], seal: ['rows', 'sum'] })
  database.close()
})

test('that an earlier release wrote is continued, and says what it said', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.journal')
  writeFileSync(path, gunzipSync(readFileSync(join(import.meta.dirname, 'version-5.journal.gz'))))
  expect(readJournal(path)).toEqual({ ...HEAD, doneBefore: 11, isTakenBack: true, isWhole: false })
  const journal = openJournal(path, { ...HEAD, runId: 'two' })
  expect(contentOf(journal)).toEqual([
    'one',
    '/data.csv',
    'a',
    11,
    [
      [
        { ...intentOf(0, 9), id: 1, run: 'one', outcome: { ...emptyTally(), created: 9, refused: [[7, 'no']] } },
        [1, 255, -3],
        [],
      ],
      [
        { ...intentOf(10, 19), id: 2, run: 'one' },
        [],
        [
          { key: [2, 1, 10], digest: 'x', known: [5, 6], sentAt: 7, outcome: { ...emptyTally(), updated: 1 } },
          { key: [2, 1, 11], digest: 'y', known: null, sentAt: 7 },
        ],
      ],
      [{ ...intentOf(20, 20), id: 3, run: 'one' }, [], []],
    ],
  ])
  journal.close()
  truncateSync(path)
  expect(refusalOf(() => openJournal(path, HEAD))).toBe(
    `unusable: the journal ${path} is damaged; delete it to start again: entries that are stored already are recognised, but with --on-conflict add they would be added again`,
  )
})

/** Writes a journal of all that there is to write, and leaves the file as a process does that is killed then. */
const killedJournal = (folder: { readonly in: (name: string) => string }): string => {
  const [path, left] = [folder.in('whole.journal'), folder.in('left.journal')]
  const journal = openJournal(path, HEAD)
  const samples = Int32Array.from({ length: 300 }, (_, at) => at * 7919)
  const ids = journal.intend(Array.from({ length: 40 }, (_, at) => ({ ...intentOf(at * 10, at * 10 + 9), samples })))
  for (const [at, id] of ids.entries()) {
    const one = { key: [2, 1, at * 10] as const, digest: `of ${at}`, known: [5, 6], sentAt: at }
    if (at % 3 === 0) journal.intendOnes(id, [one, { ...one, known: null }])
    if (at % 6 === 0) journal.acknowledgeOne(id, one.key, { ...emptyTally(), created: 1 })
    if (at % 3 === 1) journal.acknowledge(id, { ...emptyTally(), updated: 10 })
    if (at % 5 === 4) journal.withdraw([id])
    if (at % 5 === 3) journal.intendAnew(id, { ...intentOf(at * 10, at * 10 + 8), samples })
  }
  copyFileSync(path, left)
  journal.close()
  rmSync(path)
  return left
}

test('that lost bytes, or has others in their place, is refused, or says all that it said', () => {
  using folder = temporaryFolder()
  const left = killedJournal(folder)
  const whole = readFileSync(left)
  const readFrom = (bytes: Uint8Array): unknown => {
    const path = folder.in('damaged.journal')
    writeFileSync(path, bytes)
    try {
      const journal = openJournal(path, HEAD)
      const content = contentOf(journal)
      journal.close()
      return content
    } catch (error) {
      return error instanceof KpiError && error.code === 'unusable' ? 'refused' : error
    } finally {
      for (const one of [path, `${path}-journal`]) rmSync(one, { force: true })
    }
  }
  const expected = readFrom(whole)
  expect(expected).toHaveLength(5)
  const place = fc.nat({ max: whole.length - 1 })
  const damage = fc.oneof(
    place.map((at) => whole.subarray(0, at)),
    fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 600 })).map(([at, bytes]) => {
      const damaged = Buffer.from(whole)
      damaged.set(bytes.subarray(0, whole.length - at), at)
      return damaged
    }),
    fc
      .tuple(place, fc.integer({ min: 1, max: 5000 }))
      .map(([at, count]) => Buffer.from(whole).fill(0, at, Math.min(whole.length, at + count))),
    fc
      .tuple(place, fc.integer({ min: 1, max: 9000 }))
      .map(([at, count]) => Buffer.concat([whole.subarray(0, at), whole.subarray(at + count)])),
  )
  let refused = 0
  fc.assert(
    fc.property(damage, (bytes) => {
      const read = readFrom(bytes)
      refused += Number(read === 'refused')
      expect([expected, 'refused']).toContainEqual(read)
    }),
    { numRuns: 300 },
  )
  expect(refused).toBeGreaterThan(200)
})

test('writes an interval anew, and again what it was before, with the marks of its entries', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.journal')
  const journal = openJournal(path, HEAD)
  const [id = 0] = journal.intend([{ ...intentOf(0, 9), samples: Int32Array.of(1, 2, 3) }])
  journal.acknowledge(id, { ...emptyTally(), created: 10 })
  journal.close()

  const next = openJournal(path, HEAD)
  const earlier = next.earlier(undefined, 1)
  next.intendAnew(id, { ...intentOf(0, 9), digest: 'other', samples: Int32Array.of(4, 5, 6, 1, 2, 3) })
  expect(next.samples(id)).toEqual(Int32Array.of(1, 2, 3))
  expect(next.earlier(undefined, 1)).toMatchObject([{ digest: 'other', outcome: undefined }])
  for (const one of earlier) next.restore(one)
  next.close()

  const last = openJournal(path, HEAD)
  expect(last.earlier(undefined, 1)).toEqual(earlier)
  expect(last.samples(id)).toEqual(Int32Array.of(1, 2, 3))
  last.finish()
})

test('names requests otherwise once they come with other credentials', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.journal')
  const first = openJournal(path, HEAD)
  first.intend([intentOf(0, 9)])
  first.close()
  for (const runId of ['two', 'three']) {
    const next = openJournal(path, { ...HEAD, runId, caller: '2', beganAt: 9 })
    expect([next.runId, next.beganAt, next.earlier(undefined, 1)[0]?.run]).toEqual(['two', 5, 'one'])
    next.close()
  }
})

test('keeps another run with other flags from adding the same content again', () => {
  using folder = temporaryFolder()
  const [path, own] = [folder.in('a.journal'), folder.in('b.journal')]
  const journal = openJournal(path, HEAD)
  journal.acknowledge(journal.intend([intentOf(0, 9)])[0] ?? 0, emptyTally())
  journal.close()
  const add = (head: Partial<JournalHead>) => () =>
    rejectRepeatedAdding(folder.path, own, { ...HEAD, ...head }, { blocks: () => [], beside: new Set() })
  expect(add({ path: '/data.csv.gz' })).toThrow(
    `data.csv with --on-conflict add and other flags began at 1970-01-01 00:00 UTC and was not finished; 10 of its entries were sent, and would be added again: continue it with those flags, or use --add-again; if you do not need to continue that import, delete ${path}`,
  )
  expect(add({ content: 'b' })).not.toThrow()
  expect(add({ isAdding: false })).not.toThrow()
  expect(() => rejectRepeatedAdding(folder.path, path, HEAD, { blocks: () => [], beside: new Set() })).not.toThrow()
})

test('tells of another run of the same file in what way it is another one', () => {
  using folder = temporaryFolder()
  const [path, own] = [folder.in('a.journal'), folder.in('b.journal')]
  const journal = openJournal(path, HEAD)
  journal.acknowledge(journal.intend([intentOf(0, 9)])[0] ?? 0, emptyTally())
  journal.close()
  const notes = (head: Partial<JournalHead>): string[] => notesOnUnfinished(folder.path, own, { ...HEAD, ...head })
  const UNFINISHED = 'that began at 1970-01-01 00:00 UTC was not finished (10 of its entries were sent)'
  const OTHER = `; this is a different run; delete ${path} if you do not need to continue that one`
  expect(notes({})).toEqual([
    `an import of data.csv with other flags ${UNFINISHED}: with those flags it would continue${OTHER}`,
  ])
  expect(notes({ account: { for: 'key 2', isSure: false } })).toEqual([
    `an import of data.csv with other credentials ${UNFINISHED}: with those credentials it would continue${OTHER}`,
  ])
  expect(notes({ content: 'b' })).toEqual([`an import of an earlier data.csv ${UNFINISHED}${OTHER}`])
  expect(notes({ path: '/other.csv' })).toEqual([])
})

test('keeps another run with other credentials from adding the same again, unless it is sure to be for another account', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.journal')
  const own = folder.in('b.journal')
  const journal = openJournal(path, HEAD)
  const [id = 0] = journal.intend([intentOf(0, 9)])
  journal.intendOnes(id, [{ key: [2, 1, 0], digest: 'x', known: null, sentAt: 7 }])
  journal.acknowledgeOne(id, [2, 1, 0], emptyTally())
  journal.close()
  const refusal = (head: Partial<JournalHead>): string | undefined => {
    try {
      rejectRepeatedAdding(
        folder.path,
        own,
        { ...HEAD, account: { for: 'key 2', isSure: false }, ...head },
        { blocks: () => [], beside: new Set() },
      )
    } catch (error) {
      return error instanceof KpiError ? error.message : 'another'
    }
    return undefined
  }
  expect(refusal({})).toContain(
    '1 of its entries was sent, and would be added again: continue it with those credentials',
  )
  expect(refusal({ path: '/copy.csv' })).toContain(`delete ${path} (or name another folder with --journal)`)
  expect(refusal({ content: 'b', path: '/other.csv' })).toBeUndefined()
  expect(refusal({ isAdding: false })).toBeUndefined()
  expect(refusal({ service: 'https://other.example.com/api' })).toBeUndefined()
})

test('is not locked for its own run by those of other files that look at it', async () => {
  using folder = temporaryFolder()
  const inspector = spawn(process.execPath, [INSPECTOR, folder.path, JSON.stringify({ ...HEAD, path: '/other.csv' })])
  await once(inspector.stdout, 'data')
  for (let run = 0; run < 20; run += 1) {
    const journal = openJournal(folder.in(`${run % 5}.journal`), HEAD)
    journal.intend([intentOf(0, 9)])
    if (run % 2 === 0) journal.finish()
    else journal.close()
  }
  expect(inspector.exitCode).toBe(null)
  // It makes files as long as it is there, and their folder goes with the test.
  inspector.kill()
  await once(inspector, 'close')
})

const HOUR = 3_600_000
const NIGHT = 20 * HOUR

/** Leaves the journal of a run that did not end. */
const leave = (path: string, head: JournalHead, isTakenBack = false): void => {
  const journal = openJournal(path, head)
  journal.intend([intentOf(0, 9)])
  journal.close()
  if (!isTakenBack) return
  const held = holdForUndo(path)
  held.noteTakenBack()
  held.end(false)
}

test.each<
  [what: string, day: string | undefined, begun: { word?: string; ago?: number; path?: string; isTakenBack?: boolean }]
>([
  ['that began today', '2026-01-30', {}],
  ['that began less than twelve hours ago', '2026-01-30', { ago: 12 * HOUR - 1 }],
  ['that begins less than twelve hours from now, as the clock was set back', '2026-01-30', { ago: 1 - 12 * HOUR }],
  ['that began twelve hours ago', undefined, { ago: 12 * HOUR }],
  ['that begins twelve hours from now', undefined, { ago: -12 * HOUR }],
  ['that is taken back', undefined, { isTakenBack: true }],
  ['by another word', undefined, { word: 'yesterday' }],
  ['of other rows', undefined, { path: `1${JOURNAL_ENDING}` }],
])('a word for a day is settled by a run %s: %s', (_, day, { word = 'today', ago = 0, path, isTakenBack = false }) => {
  using folder = temporaryFolder()
  const place = {
    folder: folder.path,
    service: HEAD.service,
    account: () => HEAD.account,
    caller: HEAD.caller,
    path: HEAD.path,
    undone: () => [],
  }
  const pathOf = (date?: string): string => journalPath(place, 'rows', { date, dateWord: 'today' })
  const settledDate = { word, day: '2026-01-30' }
  leave(folder.in(`0${JOURNAL_ENDING}`), HEAD)
  const at = path === undefined ? pathOf('2026-01-30') : folder.in(path)
  leave(at, { ...HEAD, beganAt: NIGHT - ago, settledDate }, isTakenBack)
  const dayOf = (options: { date?: string; dateWord?: string }) => settledDay(place, 'rows', options, NIGHT)
  expect(dayOf({ date: '2026-01-31', dateWord: 'today' })).toBe(day)
  expect(dayOf({ date: '2026-01-31' })).toBe(undefined)
  // A run that is of the day itself is the one to continue.
  leave(pathOf('2026-01-31'), HEAD)
  expect(dayOf({ date: '2026-01-31', dateWord: 'today' })).toBe(undefined)
})
