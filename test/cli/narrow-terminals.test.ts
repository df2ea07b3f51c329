import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

/** The days of the shop's entries. */
const DAYS = ['--from', '2026-11-01', '--to', '2026-11-30']

const LINES: readonly (readonly string[])[] = [
  ['kpis', 'list'],
  ['users', 'list'],
  ['units', 'list'],
  ['categories', 'list'],
  ['entries', 'list', ...DAYS],
  ['entries', 'get', '1'],
  ['assign', 'list'],
  ['assign', 'add', '--kpis', 'Visits', '--users', 'all', '--dry-run'],
  ['entries', 'import', 'values.csv', '--dry-run'],
  ['report', ...DAYS],
  ['report', '--rows', ...DAYS],
  ['report', '--by', 'M', ...DAYS],
  ['check', ...DAYS],
  ['doctor'],
  ['plan', 'kpi.yaml'],
]

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  await fillShop(user)
  writeFileSync(user.folder.in('values.csv'), 'user,kpi,date,actual\nAnn Lee,Revenue,2026-11-21,123456789.25\n')
  writeFileSync(user.folder.in('kpi.yaml'), 'categories: [{ name: A category whose name is rather long }]\n')
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

/** What leaves out whole columns where there is no room for them. */
const LEAVES_OUT = ['report', ...DAYS].join(' ')

/** Words of the titles of a table, each with the sign behind it. */
const titleWords = (table: string): string[] => (table.split('\n')[0] ?? '').match(/[A-Za-z]+_?/g) ?? []

const numbersIn = (table: string): string[] => table.match(/(?<= )\d[\d.]*(?= |$)/gm) ?? []

describe.each(LINES)('kpi %s %s', (...line) => {
  test.each([50, 80, 120])('at %i columns is no wider, and cuts neither numbers nor words of titles', async (width) => {
    const at = async (terminal: number): Promise<string> =>
      (await user.kpiIn({ terminal }, ...line, '--no-color')).stdout
    const [wide, narrow] = [await at(400), await at(width)]
    expect(narrow.split('\n').filter(({ length }) => length > width)).toEqual([])
    if (line.join(' ') === LEAVES_OUT) return
    for (const whole of [...titleWords(wide), ...numbersIn(wide)]) expect(narrow).toContain(whole)
  })
})
