import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Beginning, type Importer, importers } from '../support/import.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../examples/load-entries')
const WORLDWIDE = join(EXAMPLES, 'worldwide-aggregate.csv')
const COUNTRIES = join(EXAMPLES, 'key-countries-pivoted.csv')

const cellsOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))

/** Four decimals, rounded half away from zero, and no zeros at the end. None of the numbers is negative. */
const roundedTo4 = (number: string): string => {
  const [whole = '', fraction = ''] = number.split('.')
  const up = (fraction[4] ?? '0') >= '5' ? 1n : 0n
  const units = (BigInt(whole + fraction.slice(0, 4).padEnd(4, '0')) + up).toString().padStart(5, '0')
  return `${units.slice(0, -4)}.${units.slice(-4)}`.replace(/\.?0+$/, '')
}

/** What each cell of a wide file should be, as `date column value`, the columns by their place. */
const valuesIn = (file: string): string[] => {
  const [, ...rows] = cellsOf(readFileSync(file, 'utf8'))
  return rows.flatMap(([date, ...cells]) =>
    cells.flatMap((cell, at) => (cell === '' ? [] : [`${date} ${at} ${roundedTo4(cell)}`])),
  )
}

/** The columns of a CSV that a command printed, a text a row. */
const printed = ({ code, stdout, stderr }: Ran, ...columns: string[]): string[] => {
  if (code !== 0) throw new Error(stderr)
  const [header = [], ...rows] = cellsOf(stdout)
  return rows.map((cells) => columns.map((name) => cells[header.indexOf(name)]).join(' '))
}

/** The first user and KPI of the sample account: World, who reports four KPIs; the countries come after. */
const WORLD = 2
const FIRST_KPI = 1

const sampleAccount = async (open: (beginning: Beginning) => Promise<Importer>): Promise<Importer> => {
  const importer = await open({ fill: () => Promise.resolve() })
  for (const name of ['kpis', 'users']) {
    jsonOf(await importer.kpi(name, 'create', '--from-json', join(EXAMPLES, `${name}.json`), '-o', 'json'))
  }
  return importer
}

const ALL = ['--from', '2020-01-01', '--to', '2022-12-31', '-o', 'csv']

describe.each(importers)('%s', (_, open) => {
  test('a file with a column for each KPI is loaded whole, exactly, and once', async () => {
    await using importer = await sampleAccount(open)
    const { kpi } = importer
    const load = ['entries', 'import', WORLDWIDE, '--user', 'World', '--create-assignments', '-o', 'json']
    const expected = valuesIn(WORLDWIDE).map((value) =>
      value.replace(/ (\d) /, (__, at) => ` ${FIRST_KPI + Number(at)} `),
    )
    expect(expected).toHaveLength(816 * 4 - 1)
    expect(expected).toContain('2020-01-23 4 17.9533')

    const rounded = [...readFileSync(WORLDWIDE, 'utf8').matchAll(/\.\d{4}\d*[1-9]/g)].length
    const untold = { updated: 0, rejected: 0, rounded, empty: 1, left: 0 }
    expect(jsonOf(await kpi(...load))).toMatchObject({ ...untold, read: 816, created: 3263, unchanged: 0, assigned: 4 })
    expect(printed(await kpi('entries', 'list', ...ALL), 'entry_date', 'kpi_id', 'actual')).toEqual(expected)
    expect(printed(await kpi('report', ...ALL, '--users', 'World'), 'entryDate', 'kpiId', 'actual')).toEqual(expected)
    const before = (await kpi('entries', 'list', ...ALL)).stdout
    expect(jsonOf(await kpi(...load))).toMatchObject({ ...untold, read: 816, created: 0, unchanged: 3263, assigned: 0 })
    expect((await kpi('entries', 'list', ...ALL)).stdout).toBe(before)
  })

  test('a file with a column for each user is loaded whole, exactly, and once', async () => {
    await using importer = await sampleAccount(open)
    const { kpi } = importer
    const load = ['entries', 'import', COUNTRIES, '--kpi', 'Confirmed', '--create-assignments', '-o', 'json']
    const expected = valuesIn(COUNTRIES).map((value) =>
      value.replace(/ (\d) /, (__, at) => ` ${WORLD + 1 + Number(at)} `),
    )
    expect(expected).toHaveLength(816 * 8)

    const untold = { read: 816, updated: 0, rejected: 0, rounded: 0, empty: 0, left: 0 }
    expect(jsonOf(await kpi(...load))).toMatchObject({ ...untold, created: 6528, unchanged: 0, assigned: 8 })
    const listed = printed(await kpi('entries', 'list', ...ALL), 'entry_date', 'user_id', 'actual')
    expect(listed.toSorted()).toEqual(expected.toSorted())
    const reported = printed(await kpi('report', ...ALL, '--kpis', 'Confirmed'), 'entryDate', 'itemId', 'actual')
    expect(reported).toEqual(expected)
    const before = (await kpi('entries', 'list', ...ALL)).stdout
    expect(jsonOf(await kpi(...load))).toMatchObject({ ...untold, created: 0, unchanged: 6528, assigned: 0 })
    expect((await kpi('entries', 'list', ...ALL)).stdout).toBe(before)
  })
})
