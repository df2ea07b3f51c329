import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ON_DUPLICATE } from '../../../src/reading/options/options.ts'
import { countReasons, onLines, reasonIssues, reasonLines } from '../../../src/reading/rejects/reason-counts.ts'
import type { Rejects } from '../../../src/reading/rejects/rejects.ts'
import { waysOut } from '../../../src/reading/rejects/max-errors.ts'

type Line = { readonly line: number; readonly reasons: readonly string[] }

const rejectsOf = (lines: () => Iterable<Line>): Pick<Rejects, 'lines'> => ({
  lines: async function* () {
    for (const one of lines()) yield [{ ...one, columns: undefined }]
  },
})

const linesOf = (...reasons: readonly (readonly string[])[]): Pick<Rejects, 'lines'> =>
  rejectsOf(() => reasons.map((of, at) => ({ line: at + 2, reasons: of })))

test('reasons are shown by the number of their rows, with the first line of each', async () => {
  const bob = 'there is no user "Bob"'
  const counted = await countReasons(linesOf(['the kpi is empty'], [bob], [bob, 'the date is empty'], [bob]))
  expect(reasonLines(counted)).toEqual([
    `rejected: ${bob} (3 rows, first line 3)`,
    'rejected: the kpi is empty (line 2)',
    'rejected: the date is empty (line 4)',
  ])
  expect(reasonIssues(counted)[0]).toEqual({ field: '3 rows, first line 3', message: bob })
})

test('reasons that differ by their line numbers are one; a single one is shown as it is', async () => {
  const on = (lines: string): string => `the same user, KPI and date are on lines ${lines}`
  expect(reasonLines(await countReasons(linesOf([on('2, 3')], [on('2, 3')])))).toEqual([
    'rejected: the same user, KPI and date are on lines 2, 3 (2 rows, first line 2)',
  ])
  const more = '4, 5, 6, 7, 8, 9, 10, 11, 12, 13 and 4 more'
  expect(reasonLines(await countReasons(linesOf([on('2, 3')], [on('2, 3')], [on(more)])))).toEqual([
    'rejected: the same user, KPI and date are on several lines (3 rows, first line 2)',
  ])
})

const NOTHING = { create: undefined, onDuplicate: 'error' } as const
const SEVERAL = ' are on several lines'

test.each<[text: string, kept: string]>([
  ['the same user, KPI and date', ''],
  ['the same user or source, KPI and date', ''],
  ['the same user and KPI', ''],
  ['rows with the same name', ' "Ann Lee"'],
])('rows that have a reason together are counted by it, whatever their lines: %s', async (text, name) => {
  const counts = [2, 3, 9, 10, 11, 12, 1009, 1010, 20_000]
  const places = (count: number): number[] => Array.from({ length: count }, (_, at) => 90_000_000 + at)
  const some = counts.flatMap((count) => [1, 2, count - 1].filter((bad) => bad < count).map((bad) => [count, bad]))
  for (const [reasons, ending] of [
    [counts.map((count) => onLines(places(count))), ''],
    [counts.map((count) => onLines(places(count), places(count))), ', all of them bad for other reasons'],
    [some.map(([count = 0, bad = 0]) => onLines(places(count), places(bad))), ', some of them bad'],
  ] as const) {
    const counted = await countReasons(linesOf(...reasons.map((one) => [`${text}${name}${one}`])))
    expect(reasonLines(counted)).toEqual([
      `rejected: ${text}${SEVERAL}${ending} (${reasons.length} rows, first line 2)`,
    ])
    expect(waysOut(counted, NOTHING, 'classic').map(({ field }) => field)).toEqual(['--on-duplicate'])
  }
})

test.each([
  ['is before 1900: the service keeps entries of the years 1900 to 2199'],
  ['is after 2199: the service keeps entries of the years 1900 to 2199'],
  ['must be in the years 1900 to 2199'],
])('dates of other years are one reason: %s', async (why) => {
  const reasons = ['1.1.1850', '1.2.1850', '1.3.1850'].map((date) => [`"${date}" ${why}`])
  expect(reasonLines(await countReasons(linesOf(...reasons, ['other'])))).toEqual([
    `rejected: the date ${why} (3 rows, first line 2)`,
    'rejected: other (line 5)',
  ])
  expect(reasonLines(await countReasons(linesOf(...reasons.slice(0, 1))))).toEqual([
    `rejected: "1.1.1850" ${why} (line 2)`,
  ])
})

const unassigned = (kpi: number, user: number): string =>
  `KPI ${kpi} (Visits ${kpi}) is not assigned to user ${user} (Bob ${user})`

test('rows without an assignment are one reason, below the others, with the number of their pairs', async () => {
  const pairs = Array.from({ length: 30 }, (_, at) => [unassigned(at % 15, at % 3)])
  const counted = await countReasons(linesOf(...pairs, ['the date is empty'], ['the kpi is empty', unassigned(1, 9)]))
  expect(reasonLines(counted, '; --x helps')).toEqual([
    'rejected: the date is empty (line 32)',
    'rejected: the kpi is empty (line 33)',
    'rejected: the KPI is not assigned to the user: 16 pairs, such as "Visits 0" and "Bob 0" (31 rows, first line 2); --x helps',
  ])
  expect(reasonIssues(counted).at(-1)).toEqual({
    field: '31 rows, first line 2',
    message: 'the KPI is not assigned to the user: 16 pairs, such as "Visits 0" and "Bob 0"',
  })
})

test('a single pair without an assignment is named, also as the service says it', async () => {
  const counted = await countReasons(linesOf([unassigned(1, 2)], [`kpi_id: ${unassigned(1, 2)}`]))
  expect(reasonLines(counted)).toEqual([
    'rejected: KPI "Visits 1" is not assigned to user "Bob 2" (2 rows, first line 2)',
  ])
})

test('no memory is kept for any number of pairs without an assignment', async () => {
  const counted = await countReasons(
    rejectsOf(function* () {
      for (let at = 0; at < 5000; at += 1) yield { line: at + 2, reasons: [unassigned(at, 1)] }
    }),
  )
  expect(counted.unassigned).toMatchObject({ rows: 5000, pairs: undefined })
  expect(reasonLines(counted)[0]).toContain('very many pairs, such as "Visits 0" and "Bob 1" (5,000 rows')
})

test('ten reasons are shown, and the others are counted unless it is one', async () => {
  const many = async (count: number): Promise<string[]> =>
    reasonLines(await countReasons(linesOf(...Array.from({ length: count }, (_, at) => [`reason ${at}`]))))
  expect(await many(10)).toHaveLength(10)
  expect([(await many(11)).length, (await many(11)).at(-1)]).toEqual([11, 'rejected: reason 10 (line 12)'])
  expect((await many(12)).slice(-1)).toEqual(['rejected: and 2 other reasons'])
  expect((await many(1500)).slice(-1)).toEqual(['rejected: and 1,490 other reasons'])
})

test('the frequent reasons are found, and counted exactly, among any number of others', async () => {
  const lines = function* (): Generator<Line> {
    for (let line = 2; line < 200_000; line += 1) {
      yield { line, reasons: line % 500 === 7 ? ['frequent'] : line % 700 === 1 ? ['less so'] : [`rare ${line}`] }
    }
  }
  const shown = reasonLines(await countReasons(rejectsOf(lines)))
  expect(shown.slice(0, 2)).toEqual([
    'rejected: frequent (400 rows, first line 7)',
    'rejected: less so (285 rows, first line 701)',
  ])
  expect([shown.length, shown.at(-1)]).toEqual([11, 'rejected: and many other reasons'])
})

test('counts are those of a plain count', async () => {
  const reason = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uniqueArray(reason, { minLength: 1, maxLength: 3 })), async (all) => {
      const { shown } = await countReasons(linesOf(...all))
      const plain = Map.groupBy(
        all.flatMap((reasons, at) => reasons.map((one) => ({ one, line: at + 2 }))),
        ({ one }) => one,
      )
      expect(new Map(shown.map(({ reason: text, rows, line }) => [text, `${rows} ${line}`]))).toEqual(
        new Map([...plain].map(([text, rows]) => [text, `${rows.length} ${rows[0]?.line}`])),
      )
      expect(shown.map(({ rows }) => rows)).toEqual(shown.map(({ rows }) => rows).toSorted((a, b) => b - a))
    }),
  )
})

const SAME = 'the same user, KPI and date are on lines 2, 3'

test.each<[reason: string, flags: string[]]>([
  ['there is no user "Bob"', ['--create-missing=users']],
  ['there is no user "Bop"; did you mean "Bob"?', []],
  ['there is no KPI "Sales"', ['--create-missing=kpis']],
  ['there is no breakdown item "North"', ['--create-missing=items']],
  [SAME, ['--on-duplicate']],
  ['the date is empty', []],
])('%s is settled by %j', async (reason, flags) => {
  const counted = await countReasons(linesOf([reason]))
  expect(waysOut(counted, NOTHING, 'classic').map(({ field }) => field)).toEqual(flags)
})

test('a way out names the command that creates one, and the choices of a flag', async () => {
  const [user, same] = waysOut(await countReasons(linesOf(['there is no user "Bob"'], [SAME])), NOTHING, 'classic')
  expect(user?.message).toBe('creates the users that are not there, or create them with kpi users create')
  for (const choice of ON_DUPLICATE.slice(1)) expect(same?.message).toContain(choice)
})

test('what a run does already is no way out', async () => {
  const counted = await countReasons(
    linesOf(['there is no user "Bob", and a new user needs an e-mail address'], [SAME]),
  )
  const create = { kinds: new Set(['users'] as const) }
  expect(waysOut(counted, { create, onDuplicate: 'last' }, 'classic')).toEqual([])
  const [way] = waysOut(
    await countReasons(linesOf(['there is no KPI "x"'])),
    { create, onDuplicate: 'last' },
    'classic',
  )
  expect(way?.field).toBe('--create-missing=users,kpis')
})
