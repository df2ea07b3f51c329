import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorOf } from '../support/kpi.ts'
import { formatDay } from '../../src/domain/day.ts'
import { embeddedImporter, heldIn, importers, lockedMeanwhile } from '../support/import.ts'

/** So many good rows, then so many bad ones. */
const fileOf = (good: number, bad: number): string =>
  [
    'user,kpi,date,actual',
    ...Array.from({ length: good }, (_, at) => `Ann Lee,Sales,${formatDay(at)},1`),
    ...Array.from({ length: bad }, (_, at) => `Ann Lee,Sales,${formatDay(good + at)},x${at}`),
    '',
  ].join('\n')

describe.each(importers)('--max-errors: %s', (_, open) => {
  test.each([
    ['0', 1, '1 of the first 11 rows is bad'],
    ['2', 3, '3 of the first 13 rows are bad'],
    ['20%', 4, '4 of 14 rows are bad'],
  ])('%s gives up on a file with %i bad rows, before anything is sent', async (most, bad, says) => {
    await using importer = await open()
    importer.write('data.csv', fileOf(10, bad))
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--max-errors', most)
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toContain(`kpi: nothing was sent: ${says}, more than --max-errors ${most} allows\n`)
    expect(ran.stderr).toMatch(/\n {2}line 12: .*"x0".*\n(.*\n)* {2}--dry-run: without --max-errors shows all/)
    expect(existsSync(importer.folder.in('data.rejects.csv'))).toBe(false)
    expect(await heldIn(importer)).toEqual([])
  })

  test.each(['1', '10%', '100%'])('%s takes a file with one bad row of ten', async (most) => {
    await using importer = await open()
    importer.write('data.csv', fileOf(9, 1))
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--max-errors', most, '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 9, rejected: 1 }])
  })

  test.each([['0'], ['0', '--dry-run'], ['10%'], ['10%', '--dry-run']])(
    '%s gives up on a key that stands in the file twice, at any distance, before anything is sent %s',
    async (...most) => {
      await using importer = await open()
      importer.write('data.csv', `${fileOf(10, 0)}Ann Lee,Sales,${formatDay(0)},2\n`)
      const ran = await importer.kpi('entries', 'import', 'data.csv', '--max-errors', ...most)
      expect([ran.code, ran.stdout]).toEqual([1, ''])
      expect(ran.stderr).toContain('kpi: nothing was sent: 2 of 11 rows are bad')
      expect(ran.stderr).toContain('line 2: the same user, KPI and date are on lines 2, 12')
      expect(await heldIn(importer)).toEqual([])
    },
  )

  test('holds for a dry run, too', async () => {
    await using importer = await open()
    importer.write('data.csv', fileOf(10, 3))
    expect(await importer.kpi('entries', 'import', 'data.csv', '--dry-run', '--max-errors', '2')).toMatchObject({
      code: 1,
    })
  })

  test.each(['x', '-1', '1.5', '101%', ''])('%j is refused', async (most) => {
    await using importer = await open()
    importer.write('data.csv', fileOf(1, 0))
    expect(await importer.kpi('entries', 'import', 'data.csv', `--max-errors=${most}`)).toMatchObject({ code: 2 })
  })
})

describe('--max-errors of rows that the service refuses', () => {
  test('stops between two batches, and says what was sent', async () => {
    await using importer = await lockedMeanwhile()
    const rows = Array.from(
      { length: 30_000 },
      (_, at) => `${at % 10 === 0 ? 'Ann Lee' : 'Bob'},Sales,${formatDay(at)},1`,
    )
    importer.write('data.csv', ['user,kpi,date,actual', ...rows].join('\n'))
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--max-errors', '1%', '-o', 'json')
    const summary = JSON.parse(ran.stdout) as Record<string, number>
    expect(ran.code).toBe(1)
    expect(errorOf(ran).message).toContain(
      'more than 300 of 30,000 rows were rejected, more than --max-errors 1% allows',
    )
    expect(errorOf(ran).message).toContain(
      `stopped with ${summary['left']} entries left; once that is fixed, the same command continues`,
    )
    expect(await heldIn(importer)).toHaveLength(summary['created'] ?? -1)
  })

  test('ends as too many, too, where nothing is left', async () => {
    await using importer = await lockedMeanwhile()
    importer.write('data.csv', 'user,kpi,date,actual\nAnn Lee,Sales,2026-01-01,1\nBob,Sales,2026-01-01,1\n')
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--max-errors', '0', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([1, { created: 1, rejected: 1, left: 0 }])
    expect(errorOf(ran).message).toContain('more than 0 of 2 rows were rejected, more than --max-errors 0 allows')
  })
})

/** Thirty bad rows, and a good one behind them. */
const badFirst = (row: (at: number) => string): string =>
  ['user,kpi,date,actual', ...Array.from({ length: 30 }, (_, at) => row(at)), 'Bob,Sales,2026-01-01,1', ''].join('\n')

const day = (at: number): string => formatDay(20_000 + at)

describe('a file whose first rows are all bad', () => {
  test.each<[why: string, row: (at: number) => string]>([
    ['assignments are missing', (at) => `Bob,Visits,${day(at)},1`],
    ['their years are none of entries', (at) => `Bob,Sales,18${10 + at}-01-01,1`],
    ['nobody has their names', (at) => `Nobody ${at},Sales,${day(at)},1`],
    ['there are no such KPIs', (at) => `Bob,Nothing,${day(at)},1`],
    ['they stand for no value', (at) => `Bob,Sales,${day(at)},n/a`],
    ['the user is locked', (at) => `Lou,Sales,${day(at)},1`],
  ])('is loaded but for them where %s', async (_, row) => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', badFirst(row))
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--missing', '', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 1, rejected: 30 }])
  })

  test.each<[why: string, row: (at: number) => string]>([
    ['dates', (at) => `Bob,Sales,the ${at}th,1`],
    ['numbers', (at) => `Bob,Sales,${day(at)},many`],
    ['rows', (at) => `Bob,Sales,${day(at)},1,2`],
  ])('is refused where %s are none, unless all rows may be bad', async (_, row) => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', badFirst(row))
    const ran = await importer.kpi('entries', 'import', 'data.csv')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('the first 20 rows are all bad') as unknown })
    expect(await importer.kpi('entries', 'import', 'data.csv', '--max-errors', '100%')).toMatchObject({ code: 3 })
    expect(await heldIn(importer)).toHaveLength(1)
  })

  test('that lack assignments says how they are made, wherever it stops', async () => {
    await using importer = await embeddedImporter()
    importer.write(
      'data.csv',
      badFirst((at) => `Bob,Visits,${day(at)},1`),
    )
    for (const flags of [[], ['--dry-run'], ['--max-errors', '5'], ['--max-errors', '5%'], ['--max-errors', '100%']]) {
      const ran = await importer.kpi('entries', 'import', 'data.csv', ...flags)
      expect(ran.stderr).toContain('--create-assignments')
    }
  })
})
