import { DatabaseSync } from 'node:sqlite'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  await fillShop(user)
  using shop = new DatabaseSync(user.folder.in('shop.sqlite'))
  shop.exec('create table counts (day text, visits real)')
})
afterAll(() => user[Symbol.asyncDispose]())

/** The commands that import, each with a header whose last column is of what is in doubt. */
const IMPORTS: readonly [command: string, header: string, row: string][] = [
  ['entries import', 'user,kpi,date,actual', 'ann@example.com,Visits,2026-03-0N'],
  ['assign import', 'user,kpi,target', 'ann@example.com,Visits'],
  ['assign import', 'user,Visits', 'ann@example.com'],
  ['kpis import', 'name,frequency,target_default', 'KPI N,D'],
  ['users import', 'email,first_name,last_name,user_type', 'uN@example.com,Ann,Lee'],
  ['categories import', 'name,sort_order', 'Category N'],
  ['units import', 'name,sign', 'Unit N'],
  ['groups import', 'name,sort_order', 'Group N'],
  ['group-items import', 'name,group,sort_order', 'Item N,1'],
]

/** Cells that raise doubts or faults, and what stands around the rows. */
const DOUBTS: readonly [what: string, cells: readonly string[], around: (text: string) => string | Buffer][] = [
  ['words for no value', ['-', 'n/a', '3'], (text) => text],
  ['numbers that may be read in two ways', ['"1,234"', '"5,678"'], (text) => text],
  ['numbers of both kinds', ['"1.234,5"', '"1,234.5"'], (text) => text],
  ['numbers with other text', ['3 pieces', '4 boxes'], (text) => text],
  ['too many decimals', ['0.000001', '1.123456'], (text) => text],
  ['titles above and totals below', ['3', '4'], (text) => `Report 2026\n\n${text}Total,,,7\nSource: the shop\n`],
  ['a column too many', ['3,x', '4,y'], (text) => text.replace('\n', ',Remark\n')],
  ['two equal columns', ['3,3', '4,4'], (text) => text.replace(/,([^,]*)\n/, ',$1,$1\n')],
  ['no column that is known', ['3', '4'], (text) => text.replace(/^.*\n/, 'a,b,c,d\n')],
  ['another delimiter', ['3', '4'], (text) => text.replaceAll(',', '|')],
  ['names of nothing', ['3', '4'], (text) => text.replaceAll(/ann@example.com|Visits|[A-Z]\w+ N/g, '99')],
  ['an unclear encoding', ['3', '4'], (text) => Buffer.from(`${text}Zo\u00eb\u0161,D,3\n`, 'latin1')],
  ['nothing', [], () => ''],
]

const flagsIn = (text: string): string[] => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag)

/** Returns the flags that a command has, as its help lists them, and those of all commands. */
const flagsOf = async (command: string): Promise<Set<string>> => {
  const { stdout } = await user.kpi(...command.split(' '), '--help', '--all')
  return new Set(flagsIn(stdout))
}

/** Returns what is said that is about this command, and not about one that is named with its flags. */
const saidOfItself = (text: string): string => text.replaceAll(/\bkpi [a-z]+(?:-[a-z]+)? [a-z]+\b[^;\n]*/g, '')

describe.each(IMPORTS)('kpi %s of a file with %s advises only flags that it has', (command, header, row) => {
  test.each(DOUBTS)('with %s', async (_, cells, around) => {
    const rows = cells.map((cell, at) => `${row.replaceAll('N', String(at + 1))},${cell}\n`)
    writeFileSync(user.folder.in('data.csv'), around(`${header}\n${rows.join('')}`))
    const { stdout, stderr } = await user.kpi(...command.split(' '), 'data.csv', '--dry-run')
    const known = await flagsOf(command)
    expect(flagsIn(saidOfItself(stdout + stderr)).filter((flag) => !known.has(flag))).toEqual([])
  })

  test('with a database', async () => {
    const { stderr } = await user.kpi(...command.split(' '), 'shop.sqlite', '--dry-run')
    const known = await flagsOf(command)
    expect(stderr).toContain('it is an SQLite database')
    expect(flagsIn(saidOfItself(stderr)).filter((flag) => !known.has(flag))).toEqual([])
  })
})
