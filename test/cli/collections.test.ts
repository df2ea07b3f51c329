import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { newerUser, type User, users } from '../support/user.ts'

/** What can be done with every resource that has all five verbs. */
type Case = {
  readonly name: string
  /** The flags that make one, and what that shows. */
  readonly create: readonly string[]
  readonly made: object
  /** How it is called. */
  readonly called: string
  readonly update: readonly string[]
  readonly changed: object
  /** How many a fresh account has. */
  readonly before: number
}

const CASES: readonly Case[] = [
  {
    name: 'kpis',
    create: ['--name', 'Sales', '--frequency', 'M', '--target-default', '12345678901234.5678', '--unit', 'percent'],
    made: {
      category_id: 1,
      icon_id: 1,
      unit_id: 3,
      frequency_id: 'M',
      name: 'Sales',
      description: null,
      value_direction: 'U',
      aggregate_function: 'AVG',
      sort_order: 1,
      is_active: true,
      is_calculated: false,
      created_at: '2026-11-21T12:00:00',
    },
    called: 'Sales',
    update: ['--target-default', '', '--is-active', 'false', '--description', 'All shops'],
    changed: { target_default: null, is_active: false, description: 'All shops', name: 'Sales' },
    before: 0,
  },
  {
    name: 'users',
    create: ['--first-name', 'Zoë', '--last-name', 'Ng', '--email', 'zoe@example.com', '--can-manage-users', 'true'],
    made: { user_type: 'User', user_status_id: 'A', first_name: 'Zoë', can_manage_users: true, password: null },
    called: 'ZOE@example.com',
    update: ['--user-status', 'L', '--last-name', ''],
    changed: { user_status_id: 'L', last_name: null, first_name: 'Zoë' },
    before: 1,
  },
  {
    name: 'categories',
    create: ['--name', 'Shops'],
    made: { name: 'Shops', sort_order: 2 },
    called: 'shops',
    update: ['--sort-order', '-7'],
    changed: { name: 'Shops', sort_order: -7 },
    before: 1,
  },
  {
    name: 'groups',
    create: ['--name', 'Sales Region'],
    made: { name: 'Sales Region', sort_order: 1 },
    called: 'sales_region',
    update: ['--sort-order', '5'],
    changed: { name: 'Sales Region', sort_order: 5 },
    before: 0,
  },
  {
    name: 'units',
    create: ['--name', 'Euro', '--display-format', '€ #.00'],
    made: { name: 'Euro', entry_format: '#.00', display_format: '€ #.00', is_percentage: false },
    called: 'Euro',
    update: ['--entry-format', '0.0'],
    changed: { name: 'Euro', entry_format: '0.0' },
    before: 4,
  },
]

/** People and groups are the application's in the newer interface. */
const NEWER = CASES.filter(({ name }) => name !== 'users' && name !== 'groups')

describe.each([
  ...users.map(([name, open]) => ({ name, open, cases: CASES })),
  { name: 'through a profile of the newer interface', open: () => newerUser(), cases: NEWER },
])('$name', ({ open, cases }) => {
  let user: User
  beforeAll(async () => {
    user = await open()
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  describe.each(cases)('kpi $name', ({ name, create, made, called, update, changed, before }) => {
    const kpi = (...args: string[]): Promise<Ran> => user.kpi(name, ...args)
    const listed = async (): Promise<unknown[]> => jsonOf(await kpi('list', '-o', 'json')) as unknown[]

    test('creates, shows, lists, changes and deletes', async () => {
      expect(await listed()).toHaveLength(before)
      const record = jsonOf(await kpi('create', ...create, '-o', 'json'))
      expect(record).toMatchObject(made)
      expect(jsonOf(await kpi('get', called, '-o', 'json'))).toEqual(record)
      expect(await listed()).toContainEqual(record)
      expect(await listed()).toHaveLength(before + 1)
      expect(jsonOf(await kpi('update', called, ...update, '-o', 'json'))).toMatchObject(changed)
      expect(jsonOf(await kpi('get', called, '-o', 'json'))).toMatchObject(changed)
      const { id } = record as { id: number }
      expect(await kpi('delete', called, '--yes')).toEqual({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(
          new RegExp(`^(warning: kpi undo cannot .+\n)?deleted [A-Za-z]+ ${id}, .+\n$`),
        ) as unknown,
      })
      expect(await listed()).toHaveLength(before)
    })

    test('shows in a dry run what would be created, and sends nothing', async () => {
      const dry = await kpi('create', ...create, '--dry-run', '-o', 'json')
      expect(dry.stderr).toMatch(/^dry run, nothing was sent: 1 [A-Za-z]+ to create$/m)
      expect(jsonOf(dry)).toContainEqual(expect.objectContaining({ action: 'create', id: null, new: create[1] }))
      expect(await kpi('create', ...create, '--dry-run', '--summary-only')).toEqual({ ...dry, stdout: '' })
      expect(await listed()).toHaveLength(before)
    })

    test('names what a delete takes, in a dry run and where nobody can be asked, and deletes nothing then', async () => {
      const { id } = jsonOf(await kpi('create', ...create, '-o', 'json')) as { id: number }
      const ran = await kpi('delete', called)
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toMatch(
        new RegExp(
          `^kpi [a-z-]+ delete: delete [A-Za-z]+ ${id}, .+ needs --yes where nobody can be asked; --dry-run shows what would be done\n$`,
        ),
      )
      const dry = await kpi('delete', called, '--dry-run', '-o', 'json')
      expect(jsonOf(dry)).toMatchObject([{ action: 'delete', id }])
      expect(dry.stderr).toMatch(/^dry run, nothing was sent: 1 [A-Za-z]+ to delete\n$/)
      const short = await kpi('delete', called, '--dry-run', '--summary-only')
      expect(short).toEqual({ ...dry, stdout: '' })
      expect(await listed()).toHaveLength(before + 1)
      await kpi('delete', called, '--yes')
    })

    test('says all names, or all ids, that are not there before it asks for a yes', async () => {
      expect(await kpi('delete', 'Nix', 'Nox')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /^kpi [a-z-]+ delete: there is no [A-Za-z]+ "Nix".*; there is no [A-Za-z]+ "Nox".*\n$/,
        ) as unknown,
      })
      expect(await kpi('delete', '998', '999')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^kpi: there is no [A-Za-z]+ 998; there is no [A-Za-z]+ 999\n$/) as unknown,
      })
    })

    test('says of an id that is not there that there is none', async () => {
      for (const line of [
        ['get', '999'],
        ['update', '999', ...update],
        ['delete', '999', '-y'],
      ]) {
        const ran = await kpi(...line)
        expect(ran).toMatchObject({ code: 1, stdout: '' })
        expect(ran.stderr).toMatch(/^kpi: there is no [A-Za-z]+ 999\n$/)
      }
    })
  })

  test('a decimal is exact, of any length', async () => {
    const made = await user.kpi(
      'kpis',
      'create',
      '--name',
      'Long',
      '--frequency',
      'D',
      '--target-default',
      '-99999999999999.9999',
    )
    expect(made.stdout).toMatch(/^target_default +-99999999999999\.9999$/m)
    for (const [format, row] of [
      ['json', '"target_default":-99999999999999.9999'],
      ['csv', 'Long,-99999999999999.9999'],
    ]) {
      const { stdout } = await user.kpi('kpis', 'list', '--columns', 'name,target_default', '-o', format ?? '')
      expect(stdout).toContain(row)
    }
  })

  test.each([
    ['frequencies', ['D', 'M', 'Q', 'W', 'Y'], ['Daily', 'Monthly', 'Quarterly', 'Weekly', 'Yearly']],
    ['icons', [1, 2], ['Chart', 'Line chart']],
  ])('kpi %s lists what there is', async (name, ids, names) => {
    const records = jsonOf(await user.kpi(name, 'list', '-o', 'json')) as { id: unknown; name: unknown }[]
    expect(records.slice(0, ids.length)).toEqual(ids.map((id, at) => ({ id, name: names[at] })))
  })
})
