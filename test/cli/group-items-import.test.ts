import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Handler } from '../../src/server/wire.ts'
import { asThirdParty, type Importer, remoteImporter, userNamed } from '../support/import.ts'
import { errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { newerUser, type User, users } from '../support/user.ts'

type Row = Readonly<Record<string, string | number | null>>

/** What is read and changed of an account with people, groups and their items. */
const actionsOf = (user: User) => ({
  load: (command: string, text: string, ...args: string[]): Promise<Ran> => {
    writeFileSync(user.folder.in('data.csv'), text)
    return user.kpi(...command.split(' '), 'import', 'data.csv', '-o', 'json', ...args)
  },
  /** Every link, as `user: group / item`. */
  held: async (): Promise<string[]> => {
    const rows = jsonOf(await user.kpi('assign', 'group-items', 'list', '-o', 'json', '--names')) as Row[]
    return rows.map((row) => `${row['user']}: ${row['group_name']} / ${row['name']}`).toSorted()
  },
  rejects: (): string => readFileSync(user.folder.in('data.rejects.csv'), 'utf8'),
})

describe.each(users)('%s', (_, open) => {
  let user: User
  let actions: ReturnType<typeof actionsOf>
  beforeEach(async () => {
    user = await open()
    actions = actionsOf(user)
    await user.client.users.add(userNamed('Ann', { last_name: 'Lee' }))
    const [shop, region] = [
      await user.client.groups.add({ name: 'Shop' }),
      await user.client.groups.add({ name: 'Region' }),
    ]
    for (const name of ['North', 'South']) await user.client.groupItems(shop.id).add({ name })
    await user.client.groupItems(region.id).add({ name: 'North' })
  })
  afterEach(async () => {
    await user[Symbol.asyncDispose]()
  })

  const STAFF = 'Employee,E-mail,Shop,Region\n"Lee, Ann",ann@example.com,North,North\n"Ng, Cy",cy@example.com,South,\n'

  test('people and their groups come from one sheet, and the second time nothing is sent', async () => {
    const { load, held } = actions
    const planned = await load('users', STAFF, '--dry-run')
    expect(JSON.parse(planned.stdout)).toMatchObject([
      { line: 2, action: 'update', name: 'ann@example.com', changes: 'Shop: North; Region: North' },
      {
        line: 3,
        action: 'create',
        changes: expect.stringMatching(/first_name: Cy; last_name: Ng; Shop: South$/) as string,
      },
    ])
    expect(await held()).toEqual([])
    expect(jsonOf(await load('users', STAFF))).toMatchObject({ read: 2, created: 1, updated: 1, unchanged: 0, left: 0 })
    expect(await held()).toEqual(['Ann Lee: Region / North', 'Ann Lee: Shop / North', 'Cy Ng: Shop / South'])
    expect(jsonOf(await load('users', STAFF))).toMatchObject({ read: 2, created: 0, updated: 0, unchanged: 2 })
  })

  test('what a row gives is one: a row with an unknown item changes nothing, and the reason names what is meant', async () => {
    const { load, held, rejects } = actions
    const ran = await load('users', `${STAFF.replace('South', 'Sout')}Bo,bo@example.com,Paris,\n`)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 0, updated: 1, rejected: 2 }])
    expect(rejects()).toContain(
      'Shop: there is no group item ""Sout"" in Shop; did you mean ""South""?; --create-missing creates it',
    )
    expect(rejects()).toContain('Shop: there is no group item ""Paris"" in Shop; --create-missing creates it')
    expect(await held()).toEqual(['Ann Lee: Region / North', 'Ann Lee: Shop / North'])
    // A person who cannot be created gets nothing, and what only that row names is not created.
    const lacking = await load('users', 'E-mail,Shop\nnew@example.com,Paris\n', '--create-missing')
    expect([lacking.code, await held()]).toMatchObject([3, { length: 2 }])
    expect(await user.client.groupItems(2).list()).toHaveLength(2)
  })

  test('--create-missing makes groups and items that rows need, warns of near ones, and kpi undo takes all of it back', async () => {
    const { load, held } = actions
    const text =
      'Employee,E-mail,Filiale,Department\n"Lee, Ann",ann@example.com,Nrth,Sales\nBo Oh,bo@example.com,South,Sales\n'
    const flags = ['--create-missing', '--map', 'group-item:Shop=Filiale']
    const ran = await load('users', text, ...flags)
    expect(ran.stderr).toContain('the new group item "Nrth" is nearly "North", which exists')
    expect(jsonOf(ran)).toMatchObject({ created: 1, updated: 1, rejected: 0 })
    const given = [
      'Ann Lee: Department / Sales',
      'Ann Lee: Shop / Nrth',
      'Bo Oh: Department / Sales',
      'Bo Oh: Shop / South',
    ]
    expect(await held()).toEqual(given)
    expect(jsonOf(await load('users', text, ...flags))).toMatchObject({ unchanged: 2 })
    await user.kpi('undo', String((jsonOf(ran) as Row)['receipt']), '--yes')
    expect(await held()).toEqual([])
    expect((await user.client.groups.list()).map(({ name }) => name)).toEqual(['Shop', 'Region'])
    expect(await user.client.users.list()).toHaveLength(2)
  })

  test('--on-conflict and --only-existing are about the people, and go for what rows give them', async () => {
    const { load, held } = actions
    expect(jsonOf(await load('users', STAFF, '--on-conflict', 'skip'))).toMatchObject({ created: 1, skipped: 1 })
    expect(await held()).toEqual(['Cy Ng: Shop / South'])
    const refused = await load('users', STAFF, '--on-conflict', 'error')
    expect([refused.code, await held()]).toMatchObject([3, { length: 1 }])
    expect(jsonOf(await load('users', STAFF, '--only-existing'))).toMatchObject({ updated: 1, unchanged: 1 })
  })

  test.each([
    ['a column for each group', 'Name;Shop;Region\n"Lee, Ann";South;North\n', []],
    ['a column of items, and one of groups', 'user,group,group item\nann@example.com,Shop,South\n2,Region,North\n', []],
    [
      'first and last names',
      'Vorname;Nachname;Filiale;Region\nAnn;Lee;South;North\n',
      ['--map', 'group-item:Shop=Filiale'],
    ],
    ['a user of all rows', 'group_item,group\nSouth,shop\nNorth,region\n', ['--user', 'Lee, Ann']],
    ['addresses beside names', 'Employee,E-mail,Shop,Region\nAnn Lee,ann@example.com,South,North\n', []],
  ])('kpi assign group-items import takes %s, and its own list as unchanged', async (_shape, text, flags) => {
    const { load, held } = actions
    expect(jsonOf(await load('assign group-items', text, ...flags))).toMatchObject({ added: 2, rejected: 0, left: 0 })
    expect(await held()).toEqual(['Ann Lee: Region / North', 'Ann Lee: Shop / South'])
    for (const names of [[], ['--names']]) {
      const { stdout } = await user.kpi('assign', 'group-items', 'list', '-o', 'csv', ...names)
      expect(jsonOf(await load('assign group-items', stdout))).toMatchObject({
        read: 2,
        added: 0,
        unchanged: 2,
        rejected: 0,
      })
    }
  })

  test('kpi assign group-items import says all that is wrong with a row, creates what is missing, and is undone', async () => {
    const { load, held, rejects } = actions
    const text =
      'user,Shop,Region\nLee Ann,North,\nann@example.com,Paris,East\nann@example.com,,\nann@example.com,n/a,\n'
    const ran = await load('assign group-items', text)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { read: 4, added: 0, rejected: 3 }])
    expect(rejects()).toContain('there is no user ""Lee Ann""; did you mean ""Ann Lee""?')
    expect(rejects()).toContain(
      'Shop: there is no group item ""Paris"" in Shop; --create-missing creates it; Region: there',
    )
    expect(rejects()).toContain('Shop: ""n/a"" may stand for no value; leave the cell empty')
    const planned = await load('assign group-items', text, '--create-missing', '--dry-run')
    expect(JSON.parse(planned.stdout)).toMatchObject([
      { line: 2, action: 'reject' },
      { line: 3, action: 'add', user_id: 2, group_name: 'Shop', name: 'Paris' },
      { line: 3, action: 'add', group_name: 'Region', name: 'East' },
      { line: 5, action: 'reject' },
    ])
    const made = await load('assign group-items', text, '--create-missing')
    expect([made.code, await held()]).toEqual([3, ['Ann Lee: Region / East', 'Ann Lee: Shop / Paris']])
    await user.kpi('undo', String((JSON.parse(made.stdout) as Row)['receipt']), '--yes')
    expect([await held(), await user.client.groupItems(2).list()]).toMatchObject([[], { length: 2 }])
  })

  test.each([
    ['users', 'Name,Email,Shop\nAnn Lee,ann@example.com,"North, South"\n'],
    ['assign group-items', 'User,Shop\nAnn Lee,north; South\n'],
    ['assign group-items', 'User,Group,Group item\nAnn Lee,Shop,North|South|North\n'],
  ])('%s import gives all items that a cell lists, and the second time nothing', async (command, text) => {
    const { load, held } = actions
    const given = await load(command, text, '--create-missing')
    expect([given.code, await held()]).toEqual([0, ['Ann Lee: Shop / North', 'Ann Lee: Shop / South']])
    expect(jsonOf(await load(command, text, '--create-missing'))).toMatchObject({ read: 1, rejected: 0 })
    const { receipt } = jsonOf(given) as { receipt: string }
    expect([(await user.kpi('undo', receipt, '--yes')).code, await held()]).toEqual([0, []])
  })

  test.each([
    ['users', 'Name,Email,Shop\nAnn Lee,ann@example.com,"North, East"\n'],
    ['assign group-items', 'User,Shop\nAnn Lee,"North, East"\n'],
  ])('%s import asks whether a new name with a comma is a list', async (command, text) => {
    const { load, held, rejects } = actions
    expect((await load(command, text, '--create-missing')).code).toBe(3)
    expect(rejects()).toContain(
      '""North, East"" may be one new group item in Shop or 2: --by-name group_item takes it as one; for several, create each first: kpi group-items create --group Shop --name North',
    )
    expect((await load(command, text, '--create-missing', '--by-name', 'group_item')).code).toBe(0)
    expect(await held()).toEqual(['Ann Lee: Shop / North, East'])
    // By now the whole is a name.
    expect(jsonOf(await load(command, text, '--create-missing'))).toMatchObject({ unchanged: 1, rejected: 0 })
  })

  test('what people have besides stays, and the command that takes it away is named and works', async () => {
    const { load, held } = actions
    await load('assign group-items', 'user,Shop\nann@example.com,North\n')
    const ran = await load('assign group-items', 'user,Shop\nann@example.com,South\n')
    const [, line = ''] = /; (kpi assign group-items remove .*) does\n/.exec(ran.stderr) ?? []
    expect(line).toBe('kpi assign group-items remove --group-items "#3" --users ann@example.com')
    expect(await held()).toEqual(['Ann Lee: Shop / North', 'Ann Lee: Shop / South'])
    await user.kpi('assign', 'group-items', 'remove', '--group-items', '#3', '--users', 'ann@example.com', '--yes')
    expect(await held()).toEqual(['Ann Lee: Shop / South'])
  })

  test('a file without users, groups or items is refused, with what there is and the flags', async () => {
    const { load } = actions
    const issues = async (text: string, ...flags: string[]): Promise<string> =>
      JSON.stringify(errorOf(await load('assign group-items', text, ...flags)).issues)
    expect(await issues('x,Shop\nann@example.com,North\n')).toContain(
      'no column is the user; give one with --map user=COLUMN or --user',
    )
    expect(await issues('user,Place\nann@example.com,North\n')).toContain(
      'the groups are Shop, Region; give one with --map group_item=COLUMN',
    )
    expect(await issues('user,Shop,shop\nann@example.com,North,South\n')).toContain('--map group-item:Shop=')
    expect(await issues('user,Laden\nann@example.com,North\n', '--map', 'group-item:Shp=Laden')).toContain(
      'did you mean \\"Shop\\"?',
    )
    // What the user says of a group goes before the name of another column.
    const said = await load(
      'assign group-items',
      'user,Shop,Laden\nann@example.com,x,North\n',
      '--map',
      'group-item:Shop=Laden',
    )
    expect(jsonOf(said)).toMatchObject({ added: 1, rejected: 0 })
    const typo = await load('assign group-items', 'user,Shop\nann@example.com,North\n', '--map', 'shop=Shop')
    expect([typo.code, errorOf(typo).message]).toEqual([2, expect.stringContaining('group-item:GROUP=COLUMN')])
    const nobody = await load('assign group-items', 'Shop\nNorth\n', '--user', 'Lee, Anne')
    expect(errorOf(nobody).message).toBe('--user: there is no user "Lee, Anne"; did you mean "Ann Lee"?')
  })
})

test('the newer interface has no group items of users', async () => {
  await using user = await newerUser()
  expect((await actionsOf(user).load('assign group-items', 'user,Shop\nann@example.com,North\n')).code).toBe(7)
})

describe('a sheet of people and their groups', () => {
  const SHEET = `Employee,E-mail,Shop\n${Array.from({ length: 6 }, (_, at) => `${'ABCDEF'.charAt(at)}nn Lee,p${at}@example.com,Shop ${at % 3}`).join('\n')}\n`

  /** The items, and every link of a person with one. */
  const stateOf = async ({ client }: Importer): Promise<unknown> => {
    const people = await client.users.list()
    const links = await Promise.all(people.map(({ id }) => client.userGroupItems(id).list()))
    const items = await client.groupItems(2).list()
    const emails = new Map(people.map(({ id, email }) => [id, email]))
    return [items.map(({ name }) => name), links.flat().map((one) => `${emails.get(one.user_id)} ${one.name}`)]
  }
  const WHOLE = [['Shop 0', 'Shop 1', 'Shop 2'], [0, 1, 2, 3, 4, 5].map((at) => `p${at}@example.com Shop ${at % 3}`)]
  const load = (importer: Importer): Promise<Ran> => {
    importer.write('staff.csv', SHEET)
    return importer.kpi('users', 'import', 'staff.csv', '--create-missing', '-o', 'json')
  }
  const fill = (): Promise<void> => Promise.resolve()

  test('is imported into a third-party service as well', async () => {
    await using importer = await remoteImporter({ fill, wrap: asThirdParty })
    expect(jsonOf(await load(importer))).toMatchObject({ read: 6, created: 6, rejected: 0, left: 0 })
    expect(await stateOf(importer)).toEqual(WHOLE)
    expect(jsonOf(await load(importer))).toMatchObject({ created: 0, updated: 0, unchanged: 6 })
  })

  test.each([1, 3, 6, 9, 12, 15])(
    'goes on where it was cut off at request %i that changes something, and counts rows as if it never was',
    async (most) => {
      let left = most
      const cut = (handler: Handler): Handler => {
        return async (request) => {
          if (request.method === 'POST') left -= 1
          return left >= 0
            ? handler(request)
            : { status: 401, headers: { 'content-type': 'application/json' }, body: '{"message":"no"}' }
        }
      }
      await using importer = await remoteImporter({ fill, wrap: cut })
      expect((await load(importer)).code).not.toBe(0)
      left = Infinity
      expect(jsonOf(await load(importer))).toMatchObject({ read: 6, created: 6, updated: 0, unchanged: 0, left: 0 })
      expect(await stateOf(importer)).toEqual(WHOLE)
    },
  )
})
