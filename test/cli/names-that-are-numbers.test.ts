import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kpiNamed } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, fillShop, remoteUser, type User } from '../support/user.ts'

/** Of the KPIs, 1 is Revenue, 2 is Visits, 3 is named 1, 4 is named 2024, and 5 is named all. */
const named = async (user: User): Promise<User> => {
  await fillShop(user)
  for (const name of ['1', '2024', 'all']) await user.client.kpis.add(kpiNamed(name))
  return user
}

let user: User
let remote: User
beforeAll(async () => {
  ;[user, remote] = await Promise.all([embeddedUser().then(named), remoteUser().then(named)])
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
  await remote[Symbol.asyncDispose]()
})
const run = (...args: string[]) => user.kpi(...args)

const BOTH = `"1" is the id of the KPI "Revenue", and the name of #3; write "#1" for the id, or "'1" for the name`

test.each([
  ['#1', 1],
  ["'1", 3],
  ['2', 2],
  ['2024', 4],
  ["'2024", 4],
  ['all', 5],
])('kpi kpis get %s finds the KPI %i', async (text, id) => {
  expect(jsonOf(await run('kpis', 'get', text, '-o', 'json'))).toMatchObject({ id })
})

test.each([
  [['kpis', 'get', '1']],
  [['kpis', 'update', '1', '--description', 'x']],
  [['kpis', 'delete', '1', '--yes']],
  [['report', '--kpis', '1']],
  [['report', '--kpis', '1,2']],
  [['assign', 'add', '--kpis', '1', '--users', 'Ann Lee']],
  [['entries', 'list', '--kpi', '1']],
  [['entries', 'add', '--kpi', '1', '--user', 'Ann Lee', '--date', 'today', '--actual', '1']],
  [['entries', 'export', '--kpi', '1']],
])('kpi %j says both meanings of a number that is an id and a name, here and over a network', async (line) => {
  for (const one of [user, remote]) {
    const { code, stderr } = await one.kpi(...line)
    expect(code).toBe(2)
    expect(stderr).toContain(BOTH)
  }
})

test('a number that is neither an id nor a name is said to be no id', async () => {
  expect(await run('kpis', 'get', '77')).toMatchObject({ code: 1 })
})

test('all is refused where a KPI has that name, and * is everything', async () => {
  const line = ['assign', 'add', '--users', 'Ann Lee', '--dry-run', '--kpis']
  const refused = await run(...line, 'all')
  expect(refused).toMatchObject({ code: 2 })
  expect(refused.stderr).toContain('--kpis all may be "#5", which has that name, or everything; write "#5", or "*"')
  expect((await run(...line, "'all")).code).toBe(0)
  expect((await run(...line, '*')).code).toBe(0)
})

test('a filter by name says both meanings', async () => {
  const ran = await run('assign', 'list', '--filter', 'kpi=1')
  expect(ran.stderr).toContain(BOTH)
})

test('a constant of an import says both meanings', async () => {
  writeFileSync(user.folder.in('in.csv'), 'user,date,actual\nAnn Lee,2026-11-02,1\n')
  const ran = await run('entries', 'import', 'in.csv', '--kpi', '1', '--dry-run')
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('--by-id kpi or --by-name kpi')
})

test('a name of JSON may be a number, beside a field for ids', async () => {
  const { id } = await user.client.units.add({
    name: '2',
    display_format: '#',
    entry_format: '#',
    is_percentage: false,
  })
  const create = async (fields: object) => {
    writeFileSync(user.folder.in('new.json'), JSON.stringify([{ name: 'New', frequency_id: 'D', ...fields }]))
    return run('kpis', 'create', '--from-json', 'new.json', '--allow-duplicate', '-o', 'json')
  }
  expect((await create({ unit: '2' })).stderr).toMatch(
    /unit_id: .*is the id of the unit .*Decimal.*, and the name of #/,
  )
  expect(jsonOf(await create({ unit: "'2" }))).toMatchObject({ unit_id: id })
  expect(jsonOf(await create({ unit_id: '2' }))).toMatchObject({ unit_id: 2 })
  expect(jsonOf(await create({ unit: '3' }))).toMatchObject({ unit_id: 3 })
})
