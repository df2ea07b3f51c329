import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { kpiNamed } from '../support/import.ts'
import { splitList } from '../../src/cli/args/names.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  await fillShop(user)
  for (const name of ['Net sales', 'net_sales', 'Größe']) await user.client.kpis.add(kpiNamed(name))
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

test.each([
  ['kpis', '1', 1],
  ['kpis', '#1', 1],
  ['kpis', 'Revenue', 1],
  ['kpis', 'REVENUE', 1],
  ['kpis', ' revenue ', 1],
  ['kpis', 'Net sales', 3],
  ['kpis', 'net_sales', 4],
  ['kpis', 'größe', 5],
  ['users', '2', 2],
  ['users', 'Ann Lee', 2],
  ['users', 'ann_lee', 2],
  ['users', 'ann@example.com', 2],
  ['users', 'BOBBY@example.com', 4],
  ['categories', 'general', 1],
  ['units', 'Percent', 3],
])('kpi %s get %j finds the one with id %i', async (noun, text, id) => {
  expect(jsonOf(await user.kpi(noun, 'get', text, '-o', 'json'))).toMatchObject({ id })
})

test.each([
  ['kpis', 'Revenu', 'there is no KPI "Revenu"; did you mean "Revenue"?'],
  ['kpis', 'Weather', 'there is no KPI "Weather"'],
  ['kpis', 'NET SALES', '"NET SALES" is the name of more than one KPI: 3, 4; use the id'],
  ['kpis', '', 'there is no KPI ""'],
  ['users', 'Bob Ray', '"Bob Ray" is the name of more than one user: 3, 4; use the id'],
  ['users', 'an@example.com', 'there is no user "an@example.com"; did you mean "ann@example.com"?'],
  ['users', '-1', 'there is no user "-1"'],
  ['users', '002', 'there is no user "002"; ids have no zeros before them: did you mean 2?'],
])('kpi %s get %j is wrong usage that says what to do', async (noun, text, message) => {
  expect(await user.kpi(noun, 'get', text)).toEqual({ code: 2, stdout: '', stderr: `kpi ${noun} get: ${message}\n` })
})

test('a name stands for an id in a flag, too', async () => {
  const line = ['kpis', 'create', '--name', 'Named', '--frequency', 'D', '-o', 'json']
  const named = ['--category', 'general', '--unit', 'Decimal', '--icon', 'line chart']
  expect(jsonOf(await user.kpi(...line, ...named))).toMatchObject({ category_id: 1, unit_id: 2, icon_id: 2 })
})

test('all names of a line that are not known are told at once, and nothing is deleted', async () => {
  expect(await user.kpi('kpis', 'delete', 'Revenue', 'Visit', 'Nil', '--yes')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'kpi kpis delete: there is no KPI "Visit"; did you mean "Visits"?; there is no KPI "Nil"\n',
  })
  expect((await user.kpi('kpis', 'get', 'Revenue')).code).toBe(0)
})

test('names with commas between them, where each is a word of its own, are told as such', async () => {
  const { code, stderr } = await user.kpi('kpis', 'update', 'Revenue,Net sales', '--target-default', '1')
  const none = 'kpi kpis update: there is no KPI "Revenue,Net sales"'
  expect([code, stderr]).toEqual([2, `${none}; here names are words of their own: Revenue "Net sales"\n`])
})

test('one that is named twice is deleted once', async () => {
  const { id } = await user.client.kpis.add(kpiNamed('Twice'))
  expect(await user.kpi('kpis', 'delete', 'Twice', 'twice', String(id), '--yes')).toEqual({
    code: 0,
    stdout: '',
    stderr: `deleted KPI ${id}, Twice with 0 assignments and no entries\n`,
  })
})

test('one whose name has a comma is quoted in a list', async () => {
  const { id } = await user.client.kpis.add(kpiNamed('Sales, net'))
  const ran = await user.kpi('report', '--kpis', `"sales, net",${id}`)
  expect(ran).toMatchObject({
    code: 0,
    stderr:
      'no values from 2026-10-22 to 2026-11-21, nor on any other day, of what was asked for; leave out a filter to see the others\n',
  })
})

test.each([
  ['a "quoted" name', 'a "quoted" name', ['a "quoted" name']],
  ['quotes within quotes', '"say ""hi"", twice",b', ['say "hi", twice', 'b']],
  ['a name before quotes', 'actual="Net, sales", date=Day', ['actual=Net, sales', 'date=Day']],
  ['a quote that is never closed', '"a, b', ['"a', 'b']],
  ['nothing between commas', ' a,, b ,', ['a', 'b']],
])('a list may have %s', (_, list, parts) => {
  expect(splitList(list)).toEqual(parts)
})

test('one that only begins as it is typed is suggested', async () => {
  const { stderr } = await user.kpi('kpis', 'get', 'Sales, n')
  expect(stderr).toBe('kpi kpis get: there is no KPI "Sales, n"; did you mean "Sales, net"?\n')
})
