import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { kpiNamed } from '../support/import.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  for (const [name, fields] of [
    ['beta', { sort_order: 3, target_default: 20_0000n }],
    ['Alpha', { sort_order: 1, target_default: 3_5000n, description: 'first' }],
    ['gamma', { sort_order: 2, is_active: false, frequency_id: 'W' }],
  ] as const) {
    await user.client.kpis.add(kpiNamed(name, fields))
  }
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

test.each([
  [[], ['Alpha', 'gamma', 'beta']],
  [
    ['--sort', 'id'],
    ['beta', 'Alpha', 'gamma'],
  ],
  [
    ['--sort', '-id'],
    ['gamma', 'Alpha', 'beta'],
  ],
  [
    ['--sort', 'target_default'],
    ['Alpha', 'beta', 'gamma'],
  ],
  [
    ['--sort', '-target_default'],
    ['beta', 'Alpha', 'gamma'],
  ],
  [
    ['--filter', 'is_active=true'],
    ['Alpha', 'beta'],
  ],
  [['--filter', 'target_default=3.50'], ['Alpha']],
  [['--filter', 'target_default='], ['gamma']],
  [['--filter', 'description=first'], ['Alpha']],
  [['--filter', 'description=First'], ['Alpha']],
  [['--filter', 'frequency_id=D', '--filter', 'sort_order=3'], ['beta']],
  [['--filter', 'frequency=daily', '--filter', 'sort_order=3'], ['beta']],
  [['--filter', 'value_direction=Up', '--filter', 'sort_order=3'], ['beta']],
  [['--limit', '1'], ['Alpha']],
  [['--limit', '0'], []],
  [
    ['--limit', '99'],
    ['Alpha', 'gamma', 'beta'],
  ],
  [
    ['--sort', 'id', '--limit', '2', '--filter', 'is_active=true'],
    ['beta', 'Alpha'],
  ],
])('list %j shows those that are wanted, in that order', async (options, names) => {
  const list = jsonOf(await user.kpi('kpis', 'list', ...options, '-o', 'json')) as { name: string }[]
  expect(list.map(({ name }) => name)).toEqual(names)
})

test('--columns chooses the fields and their order in every format', async () => {
  const list = (format: string): ReturnType<User['kpi']> =>
    user.kpi('kpis', 'list', '--columns', 'name, target_default,id', '--limit', '1', '-o', format)
  expect((await list('table')).stdout).toBe('name   target_default  id\nAlpha             3.5   2\n')
  expect((await list('csv')).stdout).toBe('name,target_default,id\nAlpha,3.5,2\n')
  expect((await list('json')).stdout).toBe('[\n{"name":"Alpha","target_default":3.5,"id":2}\n]\n')
})

test.each([
  [['--columns', 'nmae'], 'kpis have no field "nmae"; did you mean name?'],
  [['--columns', 'id,xyzzy'], 'kpis have no field "xyzzy"; there are id, category_id,'],
  [['--columns', ''], 'kpis have no field ""; there are'],
  [['--sort', '-target'], 'kpis have no field "target"; did you mean target_default?'],
  [['--sort', 'sort-order'], 'kpis have no field "sort-order"; did you mean sort_order?'],
  [['--filter', 'isactive=true'], 'kpis have no field "isactive"; did you mean is_active?'],
  [
    ['--filter', 'frequency=month'],
    '--filter frequency must be one of daily (D), weekly (W), monthly (M), quarterly (Q), yearly (Y); did you mean monthly?',
  ],
  [['--filter', 'name'], '--filter name has no value; write field=value'],
  [['--filter', 'id=one'], '--filter id: must be a whole number'],
  [['--filter', 'is_active=yes'], '--filter is_active: must be true or false'],
  [['--limit', 'all'], '--limit all is not a number of rows'],
  [['--limit', '-1'], '--limit -1 is not a number of rows'],
])('list %j is wrong usage', async (options, message) => {
  const ran = await user.kpi('kpis', 'list', ...options)
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain(`kpi kpis list: ${message}`)
})

test('--filter and --columns take the names of flags, and the words of choices, in other lists, too', async () => {
  const { code, stdout } = await user.kpi('users', 'list', '--filter', 'user_status=active', '--columns', 'user_status')
  expect([code, stdout.replaceAll(/ +$/gm, '')]).toEqual([0, 'user_status_id\nA\n'])
})
