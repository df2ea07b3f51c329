import { writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { fillShop, newerUser, newerUsers, SHOP, type User } from '../support/user.ts'

const [REGION, TEAM] = [2, 3]
const [NORTH, SOUTH, NORTH_TEAM] = [5, 6, 7]

/** The shop, with items in two breakdowns, which the application makes as groups. */
const fill = async (user: User): Promise<void> => {
  await fillShop(user)
  for (const name of ['Region', 'Team']) await user.client.groups.add({ name })
  for (const name of ['North', 'South']) await user.client.groupItems(REGION).add({ name })
  await user.client.groupItems(TEAM).add({ name: 'North' })
}

/** Somebody whose key may do only so much. */
const userWith = async (...scopes: string[]): Promise<User> => {
  const user = await newerUser(scopes)
  onTestFinished(() => user[Symbol.asyncDispose]())
  await fill(user)
  return user
}

type Row = Readonly<Record<string, string | number | boolean | null>>

describe.each(newerUsers)('%s', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fill(user)
    return () => user[Symbol.asyncDispose]()
  })

  const items = (...args: string[]): Promise<Ran> => user.kpi('breakdown-items', ...args)
  const names = async (...args: string[]): Promise<string[]> => {
    const list = jsonOf(await items('list', ...args, '-o', 'json')) as Row[]
    return list.map(({ id, breakdown_id, name }) => `${id} ${breakdown_id} ${name}`)
  }
  const entries = async (...args: string[]): Promise<Row> =>
    jsonOf(await user.kpi('entries', ...args, '-o', 'json')) as Row
  const archive = (item: number | string): Promise<Ran> => items('update', String(item), '--archived', 'true')

  describe('kpi breakdown-items', () => {
    test('list shows people and all other items, of one breakdown, archived or not', async () => {
      expect((await names()).sort()).toEqual([
        '1 1 Admin',
        '2 1 Ann Lee',
        '3 1 Bob Ray',
        '4 1 Bob Ray',
        '5 2 North',
        '6 2 South',
        '7 3 North',
      ])
      expect(await names('--breakdown', '2')).toEqual(['5 2 North', '6 2 South'])
      expect((await archive('South')).code).toBe(0)
      expect(await names('--breakdown', '2', '--archived', 'false')).toEqual(['5 2 North'])
      expect(await names('--archived', 'true')).toEqual(['6 2 South'])
      const { stdout } = await items('list', '--filter', 'name=ann lee')
      expect(stdout).toBe(
        'id  breakdown_id  name     user     is_archived\n 2             1  Ann Lee  Ann Lee  false\n',
      )
    })

    test('create, get, update and delete do as they do elsewhere', async () => {
      const east = jsonOf(await items('create', '--breakdown', '2', '--name', 'East', '-o', 'json'))
      expect(east).toMatchObject({
        id: 8,
        breakdown_id: 2,
        name: 'East',
        user_id: null,
        is_archived: false,
        sort_order: 3,
      })
      expect(jsonOf(await items('get', 'east', '-o', 'json'))).toMatchObject({ id: 8 })
      const changed = await items('update', 'East', '--name', 'Far east', '--archived', 'true', '-o', 'json')
      expect(jsonOf(changed)).toMatchObject({ id: 8, name: 'Far east', is_archived: true })
      expect(jsonOf(await items('update', '8', '--archived', 'false', '-o', 'json'))).toMatchObject({
        is_archived: false,
      })
      expect((await items('delete', 'Far east', '--yes')).stderr).toMatch(
        /^(warning: kpi undo cannot bring all of it back: its links are not noted: .*\n)?deleted breakdown item 8, Far east with its links to users\n$/,
      )
      expect((await items('get', '8')).code).toBe(1)
    })

    test('create and update take many from JSON', async () => {
      writeFileSync(user.folder.in('new.json'), '[{"name":"East","breakdown_id":2},{"name":"Night","breakdown_id":3}]')
      expect((await items('create', '--from-json', 'new.json')).code).toBe(0)
      writeFileSync(user.folder.in('changes.json'), '[{"id":8,"is_archived":true},{"id":9,"is_archived":true}]')
      expect((await items('update', '--from-json', 'changes.json')).code).toBe(0)
      expect(await names('--archived', 'true')).toEqual(['9 3 Night', '8 2 East'])
    })

    test.each([
      [
        ['get', 'North'],
        2,
        '"North" is the name of more than one breakdown item: 5 in breakdown 2, 7 in breakdown 3; use',
      ],
      [['create', '--name', 'East'], 2, 'a breakdown item needs --breakdown <n>'],
      ...[['list'], ['create', '--name', 'East'], ['update', 'South']].map((line): [string[], number, string] => [
        [...line, '--breakdown', 'Region'],
        2,
        '--breakdown must be a whole number: breakdowns are given by id, which kpi service breakdowns list shows',
      ]),
      [['list', '--archived', 'perhaps'], 2, '--archived must be true or false'],
      [['update', '2', '--archived', 'true'], 4, 'people are changed in the application'],
    ])('%j is refused', async (args, code, message) => {
      const ran = await items(...args)
      expect(ran).toMatchObject({ code, stdout: '' })
      expect(ran.stderr).toContain(message)
    })
  })

  describe('entries of a breakdown item', () => {
    test('are added by name or id, updated, and listed', async () => {
      const line = ['--source', 'South', '--kpi', 'Revenue']
      const made = await entries('add', ...line, '--actual', '12.5')
      expect(made).toMatchObject({ user_id: null, source_id: SOUTH, kpi_id: SHOP.revenue, actual: 12.5 })
      expect(await entries('add', '--source', '6', '--kpi', '1', '--notes', 'n')).toMatchObject({
        id: made['id'],
        actual: 12.5,
      })
      await entries('add', '--source', String(NORTH), '--kpi', 'Visits', '--actual', '3')
      expect(await entries('list', '--source', 'south')).toMatchObject([
        { id: made['id'], source_id: SOUTH, notes: 'n' },
      ])
      expect(await entries('list', '--source', '5', '--kpi', 'Revenue')).toEqual([])
      const { stdout } = await user.kpi('entries', 'list', '--source', 'South', '--columns', 'source_id,actual')
      expect(stdout).toBe('source_id  actual\n        6    12.5\n')
    })

    test('are those of a person, where the item stands for one', async () => {
      const list = await entries('list', '--source', 'Ann Lee', '--limit', '2')
      expect(list).toMatchObject([
        { user_id: SHOP.ann, source_id: SHOP.ann, actual: 40 },
        { user_id: SHOP.ann, source_id: SHOP.ann, actual: 80.5 },
      ])
      const added = await entries('add', '--source', String(SHOP.ann), '--kpi', '2', '--actual', '1')
      expect(added).toMatchObject({ user_id: SHOP.ann })
    })

    test.each(['South', String(SOUTH)])('of an archived item (%s) are refused before they are sent', async (name) => {
      await archive('South')
      const ran = await user.kpi('entries', 'add', '--source', name, '--kpi', '1', '--actual', '1')
      const advice = 'breakdown-items update 6 --archived false'
      const message = `breakdown item 6 (South) is archived and takes no new entries; unarchive it: kpi ${advice}`
      expect(ran).toEqual({ code: 1, stdout: '', stderr: `kpi: ${message}\n` })
      expect((await user.kpi(...advice.split(' '))).code).toBe(0)
      expect(await entries('add', '--source', name, '--kpi', '1', '--actual', '1')).toMatchObject({ source_id: SOUTH })
    })

    test('of a person who is locked are refused, too: nobody can unarchive them', async () => {
      await user.client.users.update(SHOP.ann, { user_status_id: 'L' })
      const ran = await user.kpi('entries', 'add', '--source', 'Ann Lee', '--kpi', '1', '--actual', '1')
      expect(ran.code).toBe(1)
      expect(ran.stderr).toContain('(Ann Lee) is archived and takes no new entries; its user is locked')
    })

    test('tell all that is wrong at once', async () => {
      const ran = await user.kpi('entries', 'add', '--source', 'Sout', '--kpi', 'Revenu', '--actual', 'x')
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      for (const word of ['"Sout"', '"Revenu"', '--actual']) expect(ran.stderr).toContain(word)
    })

    test.each([
      ['North', 2, '--source: "North" is the name of more than one breakdown item: 5 in breakdown 2, 7 in breakdown 3'],
      ['Sout', 2, '--source: there is no breakdown item "Sout"; did you mean "South"?'],
      ['99', 1, 'there is no breakdown item 99'],
    ])('of %s are refused: there is no such item', async (name, code, message) => {
      for (const line of [['add', '--kpi', '1', '--actual', '1'], ['list']]) {
        const ran = await user.kpi('entries', ...line, '--source', name)
        expect(ran).toMatchObject({ code, stdout: '' })
        expect(ran.stderr).toContain(message)
      }
    })
  })
})

describe('a key that may do only so much', () => {
  test('adds entries by ids alone, without looking at anything', async () => {
    const user = await userWith('entries:write')
    const line = ['entries', 'add', '--kpi', '1', '--actual', '7', '-o', 'json']
    expect(jsonOf(await user.kpi(...line, '--source', String(NORTH_TEAM)))).toMatchObject({ source_id: NORTH_TEAM })
    const named = await user.kpi(...line, '--source', 'South')
    expect(named).toMatchObject({ code: 4, stdout: '' })
    expect(named.stderr).toContain('the key does not have the scope breakdowns:read')
    expect(named.stderr).toContain('--scopes entries:write,breakdowns:read makes one')
  })
})

describe('what the newer interface shows', () => {
  test('names group items of a report as breakdown items that are no person', async () => {
    const user = await userWith('reports:read', 'breakdowns:read', 'users:read', 'entries:write')
    await user.kpi('entries', 'add', '--source', '6', '--kpi', '1', '--actual', '5')
    const report = async (...args: string[]): Promise<unknown> =>
      (jsonOf(await user.kpi('report', '--from', 'today', ...args, '-o', 'json')) as Row[]).map(
        ({ itemId, itemName, actual }) => `${itemId} ${itemName} ${actual}`,
      )
    expect(await report()).toEqual(['2 Ann Lee 60.25', '6 South 5'])
    expect(await report('--users', 'ann@example.com')).toEqual(['2 Ann Lee 60.25'])
    expect(await report('--group-items', 'South')).toEqual(['6 South 5'])
    const person = await user.kpi('report', '--group-items', 'Ann Lee')
    expect(person).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no group item "Ann Lee"') as unknown,
    })
  })

  test('of an entry, whatever it belongs to', async () => {
    const user = await userWith('entries:read', 'entries:write')
    await user.kpi('entries', 'add', '--source', '6', '--kpi', '1', '--date', '2026-11-01', '--actual', '5')
    expect(jsonOf(await user.kpi('entries', 'get', '4', '-o', 'json'))).toMatchObject({
      user_id: null,
      source_id: SOUTH,
    })
    const { stdout } = await user.kpi('entries', 'list', '--limit', '2', '--columns', 'id,user_id,source_id')
    expect(stdout).toBe('id  user_id  source_id\n 4                   6\n 1        2          2\n')
  })
})
