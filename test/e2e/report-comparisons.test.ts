import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnalystAccount, openAnalystAccount, type Way } from '../support/analyst/account.ts'
import { answerOf, comparable, FORMS } from '../support/analyst/answers.ts'
import { type AnyComparison, COLUMNS, comparisonSql } from '../support/analyst/comparison-sql.ts'
import { comparisons } from '../support/analyst/comparisons.ts'
import { loadLedger, openLedger } from '../support/analyst/ledger.ts'
import type { PlainTable } from '../support/analyst/plain-table.ts'
import { postgresDatabase, sqliteDatabase } from '../support/databases.ts'
import { runs, some } from '../support/soak/tests.ts'

let accounts: Readonly<Record<'SQLite' | 'PostgreSQL', AnalystAccount>>
let ledger: PlainTable
beforeAll(async () => {
  accounts = {
    SQLite: await openAnalystAccount(loadLedger, sqliteDatabase),
    PostgreSQL: await openAnalystAccount(loadLedger, postgresDatabase),
  }
  ledger = openLedger(accounts.SQLite.dataDir)
})
afterAll(async () => {
  ledger.close()
  for (const account of Object.values(accounts)) await account[Symbol.asyncDispose]()
})

const WAYS: readonly (readonly [keyof typeof accounts, Way])[] = [
  ['SQLite', 'embedded'],
  ['PostgreSQL', 'classic'],
  ['PostgreSQL', 'v1'],
]

const asked = comparisons.flatMap((question) => WAYS.map((way) => [question.asks, ...way, question] as const))

test.each(some(16, asked))('%s %s, %s: as SQL says', async (_, database, way, question) => {
  const expected = comparable(question, ledger.ask(question.sql))
  expect(expected).not.toEqual([])
  // The formats are printed alike from each store.
  for (const form of way === 'embedded' ? FORMS : (['csv'] as const))
    expect(await answerOf(accounts[database], way, form, question)).toEqual(expected)
})

test.each<readonly [words: string, notes: readonly string[]]>([
  [
    '--kpis Sales,Rent --from 2026-01-01 --to 2026-06-30 --group-by kpi --compare year',
    ['2026-01-01 to 2026-06-30 is compared with 2025-01-01 to 2025-06-30'],
  ],
  [
    '--kpis Sales,Tickets --from 2026-01-01 --to 2026-06-30 --group-by kpi --compare year',
    [
      'daily values: 2026-01-01 to 2026-06-30 is compared with 2025-01-01 to 2025-06-30',
      'weekly values: 2026-01-05 to 2026-07-05 is compared with 2025-01-06 to 2025-07-06',
      'left out: the week of 2025-12-29 of Tickets, which began before the range; --from 2025-12-29 has it',
    ],
  ],
  [
    '--kpis Rent --from 2026-01-10 --to 2026-03-20 --group-by kpi --compare previous',
    [
      '2026-02-01 to 2026-03-31 is compared with 2025-12-01 to 2026-01-31',
      'left out: 2026-01 of Rent, which began before the range; --from 2026-01-01 has it',
    ],
  ],
  [
    '--kpis Sales --from 2026-10-01 --to 2026-12-31 --by M --compare previous',
    ['2026-11 is under way: 2026-11-01 to 2026-11-20 is compared with 2026-10-01 to 2026-10-20'],
  ],
  [
    '--kpis Rent --from 2026-10-01 --to 2026-11-30 --compare year',
    ['2026-11 is under way: what it has so far is compared with all of 2025-11'],
  ],
  [
    '--kpis Rent --from 2026-10-01 --to 2026-11-30 --by M --compare year',
    ['2026-11 is under way: what it has so far is compared with all of 2025-11'],
  ],
  [
    '--kpis Tickets --from 2026-08-31 --to 2026-10-31 --by M --compare previous',
    [
      '2026-08 begins before --from: only weekly values that begin in the range count',
      '2026-08 is not whole: the weeks that begin on 2026-08-31 are compared with those from 2026-07-27 to 2026-07-31',
      'sums of more and of fewer weeks are compared: 4 weeks of 2026-09 with 5',
    ],
  ],
  [
    '--kpis Tickets --from 2026-11-02 --to 2026-11-20 --group-by kpi --compare previous',
    [
      '2026-11-02 to 2026-11-22 is compared with 2026-10-12 to 2026-11-01',
      'the week of 2026-11-16 is under way: what it has so far is compared with a whole one',
    ],
  ],
  [
    '--kpis Sales --from 2026-03-29 --to 2026-03-31 --by M --compare previous',
    [
      '2026-03 begins before --from: only its days in the range count',
      '2026-03 is not whole: 2026-03-29 to 2026-03-31 is compared with 2026-02-28 (3 days with 1)',
    ],
  ],
  [
    '--kpis Rent --from 2026-10-01 --to 2026-11-10 --by M --total --compare previous',
    [
      '2026-11 ends after --to: monthly values count whole',
      '2026-11 is under way: what it has so far is compared with all of 2026-10',
    ],
  ],
  [
    '--kpis Rent --from 2026-07-01 --to 2026-09-10 --by M --total',
    ['2026-09 ends after --to: monthly values count whole'],
  ],
  [
    '--kpis Sales,Tickets,Rent --from 2026-07-02 --to 2026-09-10 --by M',
    [
      '2026-07 begins before --from: only daily values in the range and weekly values that begin in it count',
      '2026-09 ends after --to: only daily values in the range and weekly values that begin in it count; monthly values count whole',
      'left out: the week of 2026-06-29 of Tickets, which began before the range; --from 2026-06-29 has it',
      'left out: 2026-07 of Rent, which began before the range; --from 2026-07-01 has it',
    ],
  ],
  [
    '--kpis Sales,Tickets --from 2026-11-16 --to 2026-11-20 --by W --total --compare previous',
    [
      'daily values: the week of 2026-11-16 is under way: 2026-11-16 to 2026-11-20 is compared with 2026-11-09 to 2026-11-13',
      'weekly values: the week of 2026-11-16 is under way: what it has so far is compared with all of the week of 2026-11-09',
    ],
  ],
  [
    '--kpis Sales --from 2026-01-01 --to 2026-06-30 --by Y --rolling 2',
    ['2026 ends after --to: only its days in the range count, also in averages with whole periods'],
  ],
  [
    '--kpis Sales --from 2026-01-01 --to 2026-11-30 --by Y --rolling 2',
    ['2026 is under way: what it has so far counts in averages with whole periods'],
  ],
])('%s says which days are compared', async (words, notes) => {
  const { stderr } = await accounts.SQLite.kpi('embedded', '2026-11-20', 'report', ...words.split(' '), '-o', 'csv')
  expect(stderr.split('\n').slice(0, -1)).toEqual(notes)
})

test.each([
  ['2026-11-20', ['2026-11 is under way: what it has so far is compared with all of 2026-10']],
  ['2026-11-30', []],
])('the overview of %s says whether the latest change is from a whole month', async (today, notes) => {
  const words = '--kpis Rent --from 2026-10-01 --to 2026-11-30'.split(' ')
  const { stderr } = await accounts.SQLite.kpi('embedded', today, 'report', ...words)
  expect(stderr.split('\n').slice(0, -1)).toEqual(notes)
})

test('values of days to come are said to stand beside nothing', async () => {
  const words = '--kpis Sales --from 2026-06-01 --to 2026-11-30 --group-by kpi --compare previous'.split(' ')
  const { stderr } = await accounts.SQLite.kpi('embedded', '2026-09-10', 'report', ...words, '-o', 'csv')
  expect(stderr.split('\n').slice(0, -1)).toEqual([
    '2026-06-01 to 2026-09-10 is compared with 2025-12-01 to 2026-03-10',
    'values of days after today count, but what they are compared with ends with today: end the range with --to today',
  ])
})

test('a file of Markdown says which days are compared, as nobody who reads it sees the notes', async () => {
  const words = '--kpis Sales --users Ann --from 2026-03-10 --to 2026-03-20 --by M --compare year -o markdown'.split(
    ' ',
  )
  const { stdout } = await accounts.SQLite.kpi('embedded', '2026-11-20', 'report', 'export', ...words)
  expect(stdout.split('\n').slice(0, 1)).toEqual([expect.stringContaining('before\\_from | before\\_to')])
  expect(stdout).toContain('| 2025-03-10 | 2025-03-20 |')
})

const isoDay = fc
  .integer({ min: Date.parse('2023-06-01'), max: Date.parse('2026-12-31') })
  .map((at) => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length))

/** Days at which ranges go wrong: the first and the last of a month, the leap day, and the days around a new year. */
const edge = fc.oneof(
  isoDay.map((one) => `${one.slice(0, 'YYYY-MM'.length)}-01`),
  isoDay.map((one) => {
    const date = new Date(one)
    return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).toISOString().slice(0, 10)
  }),
  fc.constantFrom('2024-02-29', '2024-12-30', '2026-01-04'),
)
const anyDay = fc.oneof(isoDay, edge)

const anyComparison: fc.Arbitrary<AnyComparison> = fc
  .record({
    ends: fc.tuple(anyDay, anyDay),
    today: fc.oneof(fc.constant('2026-11-21'), anyDay),
    compare: fc.constantFrom('previous', 'year'),
    by: fc.constantFrom(undefined, 'W', 'M', 'Q', 'Y'),
    grouping: fc.constantFrom('none', 'total', 'period', 'kpi', 'item', 'category'),
    ofGroupItems: fc.boolean(),
    calendar: fc.constantFrom(
      { week_start: 'monday', fiscal_year_start: 1 },
      { week_start: 'sunday', fiscal_year_start: 4 },
      { week_start: 'monday', fiscal_year_start: 11 },
    ),
  })
  .map(({ ends: [one, other], ...rest }) => ({
    ...rest,
    from: one < other ? one : other,
    to: one < other ? other : one,
  }))

const wordsOf = ({ from, to, compare, by, grouping, ofGroupItems }: AnyComparison): string[] => [
  '--from',
  from,
  '--to',
  to,
  '--compare',
  compare,
  ...(by === undefined ? [] : ['--by', by]),
  ...(grouping === 'total' ? ['--total'] : grouping === 'none' ? [] : ['--group-by', grouping]),
  ...(ofGroupItems ? ['--group-items', 'North,South'] : []),
]

test('any comparison over any range is as SQL says', async () => {
  await fc.assert(
    fc.asyncProperty(anyComparison, async (asked) => {
      const { week_start, fiscal_year_start } = asked.calendar
      const settings = ['--week-start', week_start, '--fiscal-year-start', String(fiscal_year_start)]
      expect(await accounts.SQLite.kpi('embedded', undefined, 'service', 'settings', 'set', ...settings)).toMatchObject(
        { code: 0 },
      )
      const question = {
        asks: '',
        words: wordsOf(asked),
        columns: COLUMNS,
        today: asked.today,
        sql: comparisonSql(asked),
      }
      const expected = comparable(question, ledger.ask(question.sql))
      expect(await answerOf(accounts.SQLite, 'embedded', 'csv', question)).toEqual(expected)
    }),
    { numRuns: runs(8, 2000) },
  )
})
