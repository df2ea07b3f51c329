import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, newerUser, remoteUser, type User } from '../support/user.ts'

const TERMINAL = { terminal: 120 }

const WAYS = [
  { name: 'on the embedded service', open: () => embeddedUser(), isNewer: true },
  { name: 'through a profile to a server', open: () => remoteUser(), isNewer: false },
  { name: 'through a profile of the newer interface', open: () => newerUser(), isNewer: true },
]

describe.each(WAYS)('$name', ({ open, isNewer }) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fillShop(user)
    await user.client.kpis.update(1, { target_default: 100_0000n })
    await user.client.assignments(2).update(1, { user_target: 120_0000n })
    await user.client.entries.add({ user_id: 2, kpi_id: 1, entry_date: 20_500, actual: 5_0000n })
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })
  const out = async (...args: string[]): Promise<string> => (await user.kpi(...args)).stdout

  test('a table shows names, with --ids the ids as well, and json the ids alone', async () => {
    const line = ['kpis', 'list', '--filter', 'name=Revenue']
    expect(await out(...line)).toMatch(/^id {2}name +category +unit +.*\n 1 {2}Revenue {2}General {3}Number +D /)
    expect(await out(...line, '--ids')).toMatch(/^id {2}name +category_id {2}category +unit_id {2}unit /)
    expect(jsonOf(await user.kpi(...line, '-o', 'json'))).toMatchObject([{ category_id: 1, unit_id: 1 }])
    expect(await out(...line, '-o', 'json')).not.toContain('"category"')
    const named = jsonOf(await user.kpi(...line, '-o', 'json', '--names'))
    expect(named).toMatchObject([{ category_id: 1, category: 'General', unit: 'Number' }])
  })

  test('entries say whose and of what they are', async () => {
    const line = ['entries', 'list', '--from', '2026-02-16', '--to', '2026-02-16']
    const title = isNewer ? 'id  user     source   kpi      ' : 'id  user     kpi      '
    expect((await out(...line)).split('\n')[0]).toContain(title)
    expect(await out(...line, '--columns', 'user,kpi,actual')).toBe(
      'user     kpi      actual\nAnn Lee  Revenue       5\n',
    )
    expect(await out(...line, '-o', 'csv', '--columns', 'kpi_id,kpi')).toBe('kpi_id,kpi\n1,Revenue\n')
  })

  test('no entries are told with the days that were looked at', async () => {
    const ran = await user.kpi('entries', 'list', '--from', '2020-01-01', '--to', '2020-01-02')
    expect(ran.stderr).toBe('no entries from 2020-01-01 to 2020-01-02\n')
  })

  test('one record has names for what it refers to', async () => {
    const record = await out('kpis', 'get', 'Revenue')
    expect(record).toMatch(/^category +General$/m)
    expect(record).not.toContain('category_id')
    expect(await out('kpis', 'get', 'Revenue', '--ids')).toMatch(/^category_id +1$/m)
  })

  test.each([
    ['category=General', 2],
    ['category_id=general', 2],
    ['category_id=1', 2],
    ['unit=Percent', 0],
  ])('--filter %s finds by name or id', async (filter, count) => {
    const found = jsonOf(await user.kpi('kpis', 'list', '--filter', filter, '-o', 'json')) as unknown[]
    expect(found).toHaveLength(count)
  })

  test('--filter says what it did not find, and what was probably meant', async () => {
    expect(await user.kpi('kpis', 'list', '--filter', 'category=Genral')).toMatchObject({
      code: 2,
      stderr: 'kpi kpis list: there is no category "Genral"; did you mean "General"?\n',
    })
  })

  describe('at a terminal', () => {
    const told = (...args: string[]): Promise<Ran> => user.kpiIn(TERMINAL, ...args)

    test('what was created, changed and deleted is told in a sentence, or printed with -o', async () => {
      const line = ['kpis', 'create', '--frequency', 'D', '--name']
      const created = await told(...line, 'Footfall')
      expect(created).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(/^created KPI \d+, Footfall\nto take this back: kpi undo \S+\n$/) as string,
      })
      expect((await told('kpis', 'update', 'Footfall', '--target-default', '5')).stderr).toMatch(
        /^updated KPI \d+, Footfall\nto take this back: kpi undo \S+\n$/,
      )
      expect((await told('kpis', 'delete', 'Footfall', '--yes')).stderr).toMatch(
        /\ndeleted KPI \d+, Footfall with (0|its) assignments and no entries\nto take this back: kpi undo \S+\n$/,
      )
      const printed = await told(...line, 'Printed', '-o', 'json')
      expect(jsonOf(printed)).toMatchObject({ name: 'Printed' })
      await told('kpis', 'delete', 'Printed', '--yes')
    })

    test('an entry is told as added, changed or unchanged, with what was there before', async () => {
      const add = (actual: string, ...more: string[]): Promise<Ran> =>
        told(
          'entries',
          'add',
          '--user',
          'Ann Lee',
          '--kpi',
          'Revenue',
          '--date',
          '2026-02-17',
          '--actual',
          actual,
          ...more,
        )
      expect((await add('7')).stderr).toBe('added: Revenue of Ann Lee, 2026-02-17: 7\n')
      expect((await add('7')).stderr).toBe('unchanged: Revenue of Ann Lee, 2026-02-17: 7\n')
      expect((await add('8', '--target', '90')).stderr).toBe(
        'changed: Revenue of Ann Lee, 2026-02-17: 8 (was 7), target 90 (was none)\n',
      )
    })
  })
})

/** The newer interface has no assignments. */
describe.each(WAYS.slice(0, 2))('$name', ({ open }) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fillShop(user)
    await user.client.assignments(2).update(1, { user_target: 120_0000n })
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })
  const out = async (...args: string[]): Promise<string> => (await user.kpi(...args)).stdout
  const told = (...args: string[]): Promise<Ran> => user.kpiIn(TERMINAL, ...args)

  test('assign list says user, KPI, the target that counts, and whose it is', async () => {
    const lines = (await out('assign', 'list', '--users', 'Ann Lee,3', '--columns', 'user,kpi,target,target_from'))
      .trimEnd()
      .split('\n')
    expect(lines[0]).toBe('user     kpi      target  target_from')
    expect(lines).toContain('Ann Lee  Revenue     120  user')
    expect(jsonOf(await user.kpi('assign', 'list', '-o', 'json'))).not.toHaveProperty('0.target')
  })

  test('what was assigned is told by names, or printed with them elsewhere', async () => {
    const pair = ['--kpis', 'Visits', '--users', '3']
    expect((await told('assign', 'add', ...pair)).stderr).toMatch(
      /^assigned Visits to Bob Ray\nto take this back: kpi undo \S+\n$/,
    )
    expect(await out('assign', 'update', ...pair, '--sort-order', '4')).toMatch(/^user +kpi .*\nBob Ray +Visits /)
    expect((await told('assign', 'remove', ...pair, '--yes')).stderr).toMatch(
      /^removed Visits from Bob Ray\nto take this back: kpi undo \S+.*\n$/,
    )
  })
})

test('a key that may not read names shows ids', async () => {
  await using reader = await newerUser(['entries:read'])
  await fillShop(reader)
  const ran = await reader.kpi('entries', 'list', '--from', '2020-01-01', '--columns', 'user,kpi', '--limit', '1')
  expect(ran).toMatchObject({ code: 0, stdout: 'user  kpi\n#2    #1\n' })
})
