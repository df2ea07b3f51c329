import { rmSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { dayOfCivil, formatDay, parseDay } from '../../src/domain/day.ts'
import { formatDecimal, parseDecimal } from '../../src/domain/decimal.ts'
import { ON_DUPLICATE } from '../../src/reading/options/options.ts'
import { embeddedImporter, ID, type Importer } from '../support/import.ts'
import { type Candidate, dateText, type Held, outcomeOf, type Values, type Ways } from '../support/import-model.ts'
import { runs } from '../support/soak/tests.ts'

let importer: Importer
/** Each try has days of its own, so that none sees what another has stored. */
let start = dayOfCivil(1950, 1, 1)
const DAYS = 5
beforeAll(async () => {
  importer = await embeddedImporter()
})
afterAll(async () => {
  await importer[Symbol.asyncDispose]()
})

const textOf = (value: bigint | null): string | null => (value === null ? null : formatDecimal(value))

const held = async (): Promise<Held> => {
  const found = new Map<string, Values>()
  for await (const page of entryPages(importer.client, { from: start, to: start + DAYS })) {
    for (const { user_id, kpi_id, entry_date, actual, target, notes } of page) {
      const values = { actual: textOf(actual), target: textOf(target), notes }
      found.set(`${user_id} ${kpi_id} ${formatDay(entry_date)}`, values)
    }
  }
  return found
}

const store = async (entries: Held): Promise<void> => {
  const drafts = [...entries].map(([key, { actual, target, notes }]) => {
    const [user, kpi, date] = key.split(' ')
    const [actualValue, targetValue] = [actual, target].map((text) => parseDecimal(text ?? '')?.value ?? null)
    return {
      user_id: Number(user),
      kpi_id: Number(kpi),
      entry_date: parseDay(date ?? '') ?? 0,
      actual: actualValue ?? null,
      target: targetValue ?? null,
      notes,
    }
  })
  if (drafts.length > 0) await importer.client.entries.addMany(drafts)
}

type Told = { line: number; action: string; user_id: number; kpi_id: number; entry_date: string; reason: string | null }

/** Tries a file dry and wet, and holds both against the model. */
const tryFile = async (
  table: readonly string[][],
  candidates: readonly Candidate[],
  stored: Held,
  ways: Ways,
): Promise<void> => {
  importer.write('data.csv', stringify(table as string[][]))
  rmSync(importer.folder.in('data.rejects.csv'), { force: true })
  await store(stored)
  const args = ['entries', 'import', 'data.csv', '-o', 'json', '--on-duplicate', ways.onDuplicate]
  if (ways.clear) args.push('--empty', 'clear')
  if (ways.strict) args.push('--strict')
  const expected = outcomeOf(candidates, stored, ways)
  const code = expected.rejected.length > 0 ? 3 : 0

  const dry = await importer.kpi(...args, '--dry-run')
  const told = JSON.parse(dry.stdout) as Told[]
  const [bad, good] = [true, false].map((isBad) => told.filter(({ action }) => (action === 'reject') === isBad))
  expect(dry.code).toBe(code)
  expect(
    good?.map((row) => `${row.line} ${row.user_id} ${row.kpi_id} ${row.entry_date} ${row.action}`).toSorted(),
  ).toEqual(
    expected.actions.flatMap(({ key, lines, action }) => lines.map((line) => `${line} ${key} ${action}`)).toSorted(),
  )
  expect(bad?.map(({ line }) => line)).toEqual(expected.rejected)
  expect(await held()).toEqual(stored)

  const wet = await importer.kpi(...args)
  const count = (action: string): number => expected.actions.filter((one) => one.action === action).length
  expect(wet.code).toBe(code)
  expect(JSON.parse(wet.stdout)).toMatchObject({
    read: table.length - 1,
    created: count('create'),
    updated: count('update'),
    unchanged: count('unchanged'),
    rejected: expected.rejected.length,
    left: 0,
  })
  const rejects = code === 3 ? parse(importer.read('data.rejects.csv')).slice(1) : []
  // Of a wide row the cells that were loaded are empty; where empty cells clear, it stays as it was.
  const isLoaded = (line: number, at: number): boolean => {
    const kpi = { Sales: ID.sales, Visits: ID.visits }[table[0]?.[at] ?? '']
    return !ways.clear && expected.actions.some(({ key, lines }) => lines.includes(line) && key.includes(` ${kpi} `))
  }
  expect(rejects).toEqual(
    bad?.map(({ line, reason }) => {
      const cells = (table[line - 1] ?? []).map((cell, at) => (isLoaded(line, at) ? '' : cell))
      return [...cells, String(line), reason]
    }),
  )
  expect(await held()).toEqual(expected.held)
}

const day = fc.constantFrom<number | 'bad'>(0, 0, 1, 1, 2, 3, 'bad')
const user = fc.constantFrom('Ann Lee', 'Ann Lee', 'Ann Lee', 'Bob', 'Bob', 'Lou', 'Zed', '')
const kpi = fc.constantFrom('Sales', 'Sales', 'Sales', 'Visits', 'Visits', 'Closed', 'Spare', 'Salez', '')
const number = fc.constantFrom('', '1', '1', '-2.5', '30', '1.00005', '-1.00004', 'x')
const notes = fc.constantFrom('', 'n', 'say "n", then m')
const ways = fc.record({ onDuplicate: fc.constantFrom(...ON_DUPLICATE), clear: fc.boolean(), strict: fc.boolean() })

/** What is stored before: of each user, KPI and day at most one entry, which holds something. */
const storedEntries = fc
  .uniqueArray(
    fc.record({
      place: fc.constantFrom('2 1', '2 2', '3 1'),
      day: fc.nat(3),
      actual: fc.constantFrom(null, '1', '30'),
      target: fc.constantFrom(null, '1'),
      notes: fc.constantFrom(null, 'n'),
    }),
    { selector: (one) => `${one.place} ${one.day}`, maxLength: 8 },
  )
  .map((list) => list.map((one) => (one.place.endsWith(' 1') ? { ...one, target: null } : one)))
  .map((list) => list.filter((one) => one.actual !== null || one.target !== null || one.notes !== null))

type Stored = { place: string; day: number } & Values

const asHeld = (list: readonly Stored[]): Held =>
  new Map(list.map(({ place, day: at, ...values }) => [`${place} ${formatDay(start + at)}`, values]))

test('of any long file, a dry run says of every row what the run then does, and both do what a slow model does', async () => {
  const row = fc.record({ user, kpi, day, actual: number, target: number, notes })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 15 }), storedEntries, ways, async (rows, before, how) => {
      start += DAYS + 1
      const dated = rows.map((one) => ({ ...one, date: dateText(start, one.day) }))
      await tryFile(
        [
          ['user', 'kpi', 'date', 'actual', 'target', 'notes'],
          ...dated.map((one) => [one.user, one.kpi, one.date, one.actual, one.target, one.notes]),
        ],
        dated.map(({ actual, target, notes: note, ...one }, at) => ({
          ...one,
          line: at + 2,
          values: { actual, target, notes: note },
          isRow: true,
        })),
        asHeld(before),
        how,
      )
    }),
    { numRuns: runs(15, 200) },
  )
})

test('of any wide file too', async () => {
  const row = fc.record({ user, day, Sales: number, Visits: number })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 15 }), storedEntries, ways, async (rows, before, how) => {
      start += DAYS + 1
      const dated = rows.map((one) => ({ ...one, date: dateText(start, one.day) }))
      await tryFile(
        [['user', 'date', 'Sales', 'Visits'], ...dated.map((one) => [one.user, one.date, one.Sales, one.Visits])],
        dated.flatMap(({ user: name, date, Sales, Visits }, at) =>
          Object.entries({ Sales, Visits }).map(([column, actual]) => {
            return { line: at + 2, user: name, kpi: column, date, values: { actual }, isRow: false }
          }),
        ),
        asHeld(before),
        how,
      )
    }),
    { numRuns: runs(15, 200) },
  )
})
