import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { type Calendar, type Frequency, nextPeriod, periodStart } from '../../src/domain/period.ts'
import {
  embeddedImporter,
  heldIn,
  type Importer,
  importers,
  kpiNamed,
  remoteImporter,
  userNamed,
} from '../support/import.ts'
import { day as dayOf } from '../support/calendar.ts'
import { allOf, errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { openDoors } from '../support/newer-import.ts'
import { waysIn } from '../support/advice.ts'
import { runs } from '../support/soak/tests.ts'

const RENT = 5
const HOURS = 6

const withLongKpis = async (importer: Importer): Promise<void> => {
  await importer.client.kpis.add(kpiNamed('Rent', { frequency_id: 'M', aggregate_function: 'AVG' }))
  await importer.client.kpis.add(kpiNamed('Hours', { frequency_id: 'W' }))
  for (const user of [2, 3]) {
    await importer.client.assignments(user).add({ id: RENT, sort_order: 9 })
    await importer.client.assignments(user).add({ id: HOURS, sort_order: 10 })
  }
}

const HEADER = 'user,kpi,date,actual\n'
const FLAG_LINE =
  '  --period-dates: first or last moves dates to the first or last day of their period, where rows that meet are one entry (see --on-duplicate); as-is keeps them\n'

describe.each(importers)('%s, a KPI with long periods', (_, open) => {
  let importer: Importer
  beforeEach(async () => {
    importer = await open()
    await withLongKpis(importer)
  })
  afterEach(async () => {
    await importer[Symbol.asyncDispose]()
  })
  const load = (rows: string, ...flags: string[]): Promise<Ran> => {
    importer.write('data.csv', HEADER + rows)
    return importer.kpi('entries', 'import', 'data.csv', ...flags)
  }
  const store = async (rows: string): Promise<void> => {
    const { code, stderr } = await load(rows, '--period-dates', 'as-is')
    if (code !== 0) throw new Error(stderr)
  }

  test('gets no two entries in a period unnoticed: two rows stop the run before anything is sent', async () => {
    const rows = 'Bob,Rent,2026-03-01,10\nBob,Rent,2026-03-15,20\nBob,Rent,2026-04-01,20\nBob,Sales,2026-03-02,1\n'
    const ran = await load(rows)
    expect([ran.code, ran.stdout, await heldIn(importer)]).toEqual([1, '', []])
    expect(ran.stderr).toBe(
      'kpi: nothing was sent: a period is to have one entry, and some would have several\n' +
        '  Rent: is monthly, and one month has several entries, of which reports show their average (AVG). ' +
        'Bob, 2026-03: line 2 has 2026-03-01 (10), line 3 has 2026-03-15 (20)\n' +
        FLAG_LINE,
    )
    expect((await load(rows, '--dry-run')).stderr).toBe(ran.stderr)
    expect((await load(rows, '--period-dates', 'as-is')).code).toBe(0)
    expect(await heldIn(importer)).toHaveLength(4)
  })

  test('names the stored entry beside the new row, how many periods there are, and the flag that meets them', async () => {
    await store('Bob,Rent,2026-03-01,10\nBob,Rent,2026-04-01,11\nAnn Lee,Rent,2026-04-01,11\n')
    const rows =
      'Bob,Rent,2026-03-31,12.5\nBob,Rent,2026-04-30,13\nAnn Lee,Rent,2026-04-30,13\nBob,Rent,2026-05-31,14\n'
    const ran = await load(rows)
    expect([ran.code, (await heldIn(importer)).length]).toEqual([1, 3])
    expect(ran.stderr).toContain(
      '  Rent: is monthly, and 3 months (counted by owner) have several entries, of which reports show their average (AVG). ' +
        'First: Ann Lee, 2026-04: 2026-04-01 (11) is stored, line 4 has 2026-04-30 (13); ' +
        'the stored entries are on the first day of their month: --period-dates first\n' +
        FLAG_LINE,
    )
    const wrong = await load(rows, '--period-dates', 'last')
    expect([wrong.code, (await heldIn(importer)).length]).toEqual([1, 3])
    expect(wrong.stderr).toContain('--period-dates first\n')
    const right = await load(rows, '--period-dates', 'first', '-o', 'json')
    expect(jsonOf(right)).toMatchObject({ read: 4, created: 1, updated: 3, rejected: 0 })
    expect(right.stderr).toContain("4 dates were moved to the first day of the KPI's period (--period-dates first)\n")
    expect((await heldIn(importer)).toSorted()).toEqual([
      '2 5 2026-04-01 13 - -',
      '3 5 2026-03-01 12.5 - -',
      '3 5 2026-04-01 13 - -',
      '3 5 2026-05-01 14 - -',
    ])
    expect(jsonOf(await load(rows, '--period-dates', 'first', '-o', 'json'))).toMatchObject({ unchanged: 4 })
  })

  test('takes moved rows of one period as duplicates, in the order of their lines', async () => {
    const rows = 'Bob,Rent,2026-03-20,1\nBob,Rent,2026-03-05,2\nBob,Sales,2026-03-05,7\n'
    const ran = await load(rows, '--period-dates', 'last', '-o', 'json')
    expect(ran.code).toBe(3)
    expect(importer.read('data.rejects.csv')).toContain(
      'Bob,Rent,2026-03-20,1,2,"the same user, KPI and date are on lines 2, 3"',
    )
    const last = await load(rows, '--period-dates', 'last', '--on-duplicate', 'last', '-o', 'json')
    expect(jsonOf(last)).toMatchObject({ created: 1, unchanged: 1, rejected: 0 })
    expect((await heldIn(importer)).toSorted()).toEqual(['3 1 2026-03-05 7 - -', '3 5 2026-03-31 2 - -'])
  })

  test('shows the moved dates in a dry run', async () => {
    const ran = await load('Bob,Hours,2026-03-04,1\n', '--period-dates', 'first', '--dry-run', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject([{ line: 2, action: 'create', entry_date: '2026-03-02' }])
  })

  test('goes on with what is stored: the same file, an export, and an update of entries that share a period', async () => {
    const rows = 'Bob,Hours,2026-03-02,1\nBob,Hours,2026-03-04,2\n'
    await store(rows)
    expect(jsonOf(await load(rows, '-o', 'json'))).toMatchObject({ unchanged: 2 })
    expect(jsonOf(await load('Bob,Hours,2026-03-04,3\n', '-o', 'json'))).toMatchObject({ updated: 1 })
    const third = await load('Bob,Hours,2026-03-05,3\n')
    expect([third.code, third.stderr.includes('2026-03-02 (1) is stored, line 2 has 2026-03-05 (3)')]).toEqual([
      1,
      true,
    ])
    // Who asks for one entry in each period is told where there are more.
    const first = await load('Bob,Hours,2026-03-05,3\n', '--period-dates', 'first')
    expect([first.code, first.stderr.includes('delete those that are to go, or use --period-dates as-is')]).toEqual([
      1,
      true,
    ])
  })

  test('does not count rows that are rejected, or that clear what is not there', async () => {
    const rejected = await load('Bob,Rent,2026-03-01,10\nBob,Rent,2026-03-15,x\nLou,Rent,2026-03-02,1\n')
    expect(rejected.code).toBe(3)
    const cleared = await load('Bob,Rent,2026-03-01,10\nBob,Rent,2026-03-15,\n', '--empty', 'clear')
    expect(cleared.code).toBe(0)
  })

  test('reads nothing for it where all KPIs are daily, or dates are kept', async () => {
    const requests = async (...flags: string[]): Promise<unknown> =>
      (jsonOf(await load('Bob,Hours,2026-03-04,1\n', '-o', 'json', ...flags)) as { requests: number }).requests
    await store('Bob,Hours,2026-03-04,1\n')
    const [checked, kept] = [await requests(), await requests('--period-dates', 'as-is')]
    expect(Number(checked) - Number(kept)).toBe(1)
  })

  test('is judged by the weeks and years of the account', async () => {
    // A Saturday, a Sunday and a Monday.
    const rows = 'Bob,Hours,2026-03-07,1\nBob,Hours,2026-03-08,1\nBob,Hours,2026-03-09,1\n'
    const days = async (): Promise<string[]> =>
      [...(await load(rows)).stderr.matchAll(/has (\S+) \(/g)].map(([, day = '']) => day)
    expect(await days()).toEqual(['2026-03-07', '2026-03-08'])
  })
})

test('weeks begin on Sunday where the account says so', async () => {
  await using importer = await embeddedImporter()
  await withLongKpis(importer)
  await importer.kpi('service', 'settings', 'set', '--week-start', 'sunday')
  importer.write('data.csv', `${HEADER}Bob,Hours,2026-03-07,1\nBob,Hours,2026-03-08,1\nBob,Hours,2026-03-09,1\n`)
  const ran = await importer.kpi('entries', 'import', 'data.csv')
  expect(ran.stderr).toContain('line 3 has 2026-03-08 (1), line 4 has 2026-03-09 (1)')
})

test('a new KPI is judged by the frequency that it gets', async () => {
  await using importer = await embeddedImporter()
  importer.write('data.csv', `${HEADER}Bob,Fees,2026-03-01,1\nBob,Fees,2026-03-15,2\nBob,Fees,2026-04-01,3\n`)
  const line = ['entries', 'import', 'data.csv', '--create-missing', '--frequency', 'M', '-o', 'json']
  const ran = await importer.kpi(...line)
  expect(allOf(errorOf(ran))).toContain('Fees: is monthly, and one month has several entries')
  expect((await importer.client.kpis.list()).map(({ name }) => name)).not.toContain('Fees')
  const moved = await importer.kpi(...line, '--period-dates', 'first', '--on-duplicate', 'sum')
  expect(jsonOf(moved)).toMatchObject({ created: 2 })
  expect(await heldIn(importer)).toEqual(['3 5 2026-03-01 3 - -', '3 5 2026-04-01 3 - -'])
})

test('a run that was stopped goes on, as its own entries are on the same days', async () => {
  let batches = 0
  let isRefused = true
  await using importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (request.method === 'POST' && request.target.endsWith('/kpientries/list')) batches += 1
      const isLater = request.target.endsWith('/kpientries/list') && batches > 1
      return handler(isRefused && isLater ? { ...request, headers: {} } : request)
    },
  })
  await withLongKpis(importer)
  const months = Array.from(
    { length: 3600 },
    (_, at) => `${1900 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`,
  )
  const rows = ['Ann Lee', 'Bob'].flatMap((user) => months.map((month) => `${user},Rent,${month}-02,1\n`))
  importer.write('data.csv', HEADER + rows.join(''))
  const line = ['entries', 'import', 'data.csv', '--period-dates', 'first', '-o', 'json']
  const stopped = await importer.kpi(...line)
  expect([stopped.code, (JSON.parse(stopped.stdout) as { created: number }).created]).toEqual([4, 5000])
  isRefused = false
  expect(jsonOf(await importer.kpi(...line))).toMatchObject({ created: 7200, unchanged: 0, left: 0 })
  const again = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
  expect(again.code).toBe(1)
})

test('a key that may not read entries checks the rows of the file alone, and says so', async () => {
  await using doors = await openDoors()
  await doors.application.kpis.add(kpiNamed('Rent', { frequency_id: 'M' }))
  const kpi = await doors.keyed('entries:write', 'kpis:read')
  const load = (rows: string): Promise<Ran> => {
    doors.write('data.csv', `source_id,kpi_id,date,actual\n${rows}`)
    return kpi('entries', 'import', 'data.csv', '-o', 'json')
  }
  const { north } = doors.items
  const first = await load(`${north},5,2026-03-01,1\n`)
  expect(jsonOf(first)).toMatchObject({ sent: 0, created: 1, unchecked: 'breakdown items, entries' })
  expect(jsonOf(await load(`${north},5,2026-03-02,1\n`))).toMatchObject({ created: 1 })
  const shared = await load(`${north},5,2026-04-01,1\n${north},5,2026-04-30,2\n`)
  expect(allOf(errorOf(shared))).toContain(
    `item ${north}, 2026-04: line 2 has 2026-04-01 (1), line 3 has 2026-04-30 (2)`,
  )
})

const FREQUENCIES: readonly Frequency[] = ['D', 'W', 'M', 'Q', 'Y']
const FIRST_DAY = 20_000

type Case = {
  readonly calendar: Calendar
  readonly stored: readonly Value[]
  readonly rows: readonly Value[]
  readonly where: 'first' | 'last' | undefined
}
type Value = { readonly of: number; readonly day: number }

const valueArb = fc.record({ of: fc.nat(4), day: fc.integer({ min: FIRST_DAY, max: FIRST_DAY + 200 }) })
const caseArb: fc.Arbitrary<Case> = fc.record({
  calendar: fc.record({
    week_start: fc.constantFrom('monday' as const, 'sunday' as const),
    fiscal_year_start: fc.integer({ min: 1, max: 12 }),
  }),
  stored: fc.uniqueArray(valueArb, { maxLength: 4, selector: ({ of, day }) => `${of} ${day}` }),
  rows: fc.array(valueArb, { minLength: 1, maxLength: 4 }),
  where: fc.constantFrom('first' as const, 'last' as const, undefined),
})

const weekdayOf = (day: number): number => new Date(day * 86_400_000).getUTCDay()

/**
 * Whether three in four dates of the weekly KPI are one day of the week, with which neither weeks begin nor `known`
 * entries are.
 */
const mayBeginWeeks = ({ calendar, rows, where }: Case, known: ReadonlySet<number>): boolean => {
  const days = [...new Set(rows.filter(({ of }) => FREQUENCIES[of] === 'W').map(({ day }) => day))].map(weekdayOf)
  const most = days.find((day) => days.filter((one) => one === day).length * 4 >= days.length * 3)
  const first = calendar.week_start === 'monday' ? 1 : 0
  return where === undefined && most !== undefined && most !== first && !known.has(most)
}

/** What an import comes to: the days of each KPI and period with rows, and whether it is to stop. */
const expectedOf = (
  { calendar, stored, rows, where }: Case,
  isWeekUnclear: boolean,
): { readonly days: string[]; readonly stops: boolean } => {
  const periodOf = ({ of, day }: Value): string => `${of} ${periodStart(FREQUENCIES[of] ?? 'D', day, calendar)}`
  const moved = rows.map((one) => {
    const frequency = FREQUENCIES[one.of] ?? 'D'
    const start = periodStart(frequency, one.day, calendar)
    const day = where === undefined ? one.day : where === 'first' ? start : nextPeriod(frequency, start) - 1
    return { of: one.of, day }
  })
  const keyOf = ({ of, day }: Value): string => `${of} ${formatDay(day)}`
  const known = new Set(stored.map(keyOf))
  const isShared = moved.some((row) => {
    const mates = new Set([...stored, ...moved].filter((one) => periodOf(one) === periodOf(row)).map(keyOf))
    return row.of > 0 && mates.size > 1 && (where !== undefined || !known.has(keyOf(row)))
  })
  const stops = isShared || isWeekUnclear
  return { days: [...new Set([...known, ...(stops ? [] : moved.map(keyOf))])].toSorted(), stops }
}

test('with first or last each period with rows has one entry after an import, or the import stops and names it', async () => {
  await using importer = await embeddedImporter({ fill: () => Promise.resolve() })
  const { client, kpi } = importer
  for (const frequency_id of FREQUENCIES) await client.kpis.add(kpiNamed(`Of ${frequency_id}`, { frequency_id }))
  let users = 0
  const newUser = async (): Promise<number> => {
    users += 1
    const { id } = await client.users.add(userNamed(`U${users}`))
    for (const at of FREQUENCIES.keys()) await client.assignments(id).add({ id: at + 1, sort_order: at })
    return id
  }
  const write = (user: number, values: readonly Value[]): void => {
    const rows = values.map(({ of, day }, at) => `${user},${of + 1},${formatDay(day)},${at + 1}\n`)
    importer.write('data.csv', `user_id,kpi_id,date,actual\n${rows.join('')}`)
  }
  // The days of the week on which the weekly KPI has entries, of whomever.
  const known = new Set<number>()
  await fc.assert(
    fc.asyncProperty(caseArb, async (one) => {
      const { week_start, fiscal_year_start } = one.calendar
      await kpi(
        'service',
        'settings',
        'set',
        '--week-start',
        week_start,
        '--fiscal-year-start',
        String(fiscal_year_start),
      )
      const user = await newUser()
      write(user, one.stored)
      await kpi('entries', 'import', 'data.csv', '--period-dates', 'as-is')
      write(user, one.rows)
      const flags = one.where === undefined ? [] : ['--period-dates', one.where]
      const ran = await kpi('entries', 'import', 'data.csv', '--on-duplicate', 'last', ...flags, '-o', 'json')
      for (const { of, day } of one.stored) if (FREQUENCIES[of] === 'W') known.add(weekdayOf(day))
      const expected = expectedOf(one, mayBeginWeeks(one, known))
      const listed = await kpi(
        'entries',
        'list',
        '--user',
        String(user),
        '--from',
        '1900-01-01',
        '--to',
        '2199-12-31',
        '-o',
        'json',
      )
      const entries = jsonOf(listed) as { readonly kpi_id: number; readonly entry_date: string }[]
      expect(entries.map(({ kpi_id, entry_date }) => `${kpi_id - 1} ${entry_date}`).toSorted()).toEqual(expected.days)
      for (const { kpi_id, entry_date } of entries)
        if (FREQUENCIES[kpi_id - 1] === 'W') known.add(new Date(entry_date).getUTCDay())
      const told = expected.stops ? allOf(errorOf(ran)) : ''
      const wanted = expected.stops
        ? /Of [WMQY]: is \w+, and (?:.* several entries|(?:all its|\d of its \d) dates are)/
        : /^$/
      expect(ran.code).toBe(expected.stops ? 1 : 0)
      expect(told).toMatch(wanted)
    }),
    { numRuns: runs(15, 200) },
  )
})

/** The days of some weeks from Sunday, 2026-03-01 on, so many days after it. */
const weeksFrom = (after: number, count: number, skipped = 0): string[] =>
  Array.from({ length: count }, (_, at) => formatDay(dayOf('2026-03-01') + 7 * (skipped + at) + after))

test.each<[string, Readonly<Record<string, readonly string[]>>, string | undefined]>([
  ['one of two owners', { A: weeksFrom(0, 4), B: weeksFrom(1, 4) }, '4 of its 8 dates are Sundays, such as 2026-03-01'],
  ['the greater owner', { A: weeksFrom(0, 9), B: weeksFrom(1, 1) }, '9 of its 10 dates are Sundays'],
  ['nearly all dates', { A: [...weeksFrom(0, 40), ...weeksFrom(1, 1, 40)] }, '40 of its 41 dates are Sundays'],
  [
    'all owners of one date',
    { A: weeksFrom(0, 1), B: weeksFrom(0, 1), C: weeksFrom(0, 1) },
    'all its dates are Sundays',
  ],
  ['a stray', { A: [...weeksFrom(1, 40), ...weeksFrom(0, 1, 41)] }, undefined],
  ['an owner of one date', { A: weeksFrom(1, 9), B: weeksFrom(0, 1) }, undefined],
  ['dates of any day', { A: [0, 2, 3, 5].flatMap((day, at) => weeksFrom(day, 1, at)), B: weeksFrom(0, 1) }, undefined],
])('weeks of %s are asked about where they begin on Sunday, and explained', async (_, owners, told) => {
  await using importer = await embeddedImporter({ fill: () => Promise.resolve() })
  const rows = Object.entries(owners).flatMap(([owner, days]) => days.map((day) => `${owner},${day},1.5\n`))
  importer.write('data.csv', `Store,Week,Visits\n${rows.join('')}`)
  const line = ['entries', 'import', 'data.csv', '--create-missing', '--frequency', 'W']
  for (const flags of [['--dry-run'], ['--explain'], []]) {
    const ran = await importer.kpi(...line, ...flags, '-o', 'json')
    const shown = flags[0] === '--explain' ? ran.stdout : ran.stderr
    expect([ran.code, shown.includes('is weekly')]).toEqual(told === undefined ? [0, false] : [1, true])
    expect(shown).toContain(told ?? '')
  }
})

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

test('weeks that begin on any day lie in the weeks of the account, or are asked about, and each way out is right', async () => {
  await using importer = await embeddedImporter({ fill: () => Promise.resolve() })
  let files = 0
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        week_start: fc.constantFrom('monday' as const, 'sunday' as const),
        first: fc.integer({ min: FIRST_DAY, max: FIRST_DAY + 6 }),
        // The weeks of the file, with gaps.
        weeks: fc.uniqueArray(fc.nat(30), { minLength: 4, maxLength: 8 }),
        header: fc.constantFrom('Week beginning', 'Week ending', 'Date'),
      }),
      async ({ week_start, first, weeks, header }) => {
        await importer.kpi('service', 'settings', 'set', '--week-start', week_start)
        const calendar = { week_start, fiscal_year_start: 1 }
        const days = weeks.map((week) => first + 7 * week)
        const load = async (...flags: string[]) => {
          files += 1
          importer.write(
            'data.csv',
            `Store,${header},K${files}\n${days.map((day) => `A,${formatDay(day)},1\n`).join('')}`,
          )
          const line = ['entries', 'import', 'data.csv', '--create-missing', '--frequency', 'W', '--no-undo', ...flags]
          const ran = await importer.kpi(...line, '-o', 'json')
          const range = ['--from', '2000-01-01', '--to', '2100-01-01']
          const list = await importer.kpi('entries', 'list', '--kpi', `K${files}`, ...range, '-o', 'json')
          const entries = list.code === 0 ? (jsonOf(list) as { readonly entry_date: string }[]) : []
          return { ran, stored: entries.map(({ entry_date }) => entry_date) }
        }
        const written = days.map(formatDay).toSorted()
        const start = periodStart('W', first, calendar)
        const isClear = first === start || (header === 'Week ending' && first === start + 6)
        const { ran, stored } = await load()
        expect([ran.code, stored]).toEqual(isClear ? [0, written] : [1, []])
        if (isClear) return
        const told = allOf(errorOf(ran))
        expect(told).toContain(`all its dates are ${WEEKDAYS[(first + 3) % 7]}s`)
        expect(waysIn(told)).toEqual([
          ['--period-dates', 'as-is'],
          ['--period-dates', 'next'],
        ])
        expect((await load('--period-dates', 'as-is')).stored).toEqual(written)
        const next = days.map((day) => formatDay(nextPeriod('W', periodStart('W', day, calendar))))
        expect((await load('--period-dates', 'next')).stored).toEqual(next.toSorted())
      },
    ),
    { numRuns: runs(5, 60) },
  )
})
