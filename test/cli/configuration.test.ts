import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { temporaryFolder } from '../support/folder.ts'
import { foreignService } from '../support/foreign.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { allOf, errorOf, jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { spellings } from '../support/spellings.ts'
import { embeddedUser, fillShop, newerUser, remoteUser, type User, users } from '../support/user.ts'
import { runs } from '../support/soak/tests.ts'

const SHOP_FILE = `categories:
  - name: Sales
units:
  - { name: Hours, display_format: "#.00 h" }
groups:
  - name: Region
group_items:
  - { group: Region, name: North }
kpis:
  - { name: Revenue, category: Sales, unit: Currency, icon: Money, frequency: daily, target_default: 100 }
  - { name: Visits, frequency: D, value_direction: down }
users:
  - { email: ann@example.com, first_name: Ann, user_status: locked }
assignments:
  - { user: ann@example.com, kpi: Revenue, user_target: 120 }
  - { user: Ann@example.com, kpi: Visits }
user_group_items:
  - { user: ann@example.com, group_item: North }
`

const write = ({ folder }: User, text: string, name = 'kpi.yaml'): void => writeFileSync(folder.in(name), text)
const summary = (ran: Ran): unknown => jsonOf(ran)
const apply = (user: User, ...args: string[]): Promise<Ran> => user.kpi('apply', 'kpi.yaml', '-o', 'json', ...args)
const plan = async (user: User, ...args: string[]): Promise<unknown> =>
  jsonOf(await user.kpi('plan', 'kpi.yaml', '-o', 'json', ...args))

describe.each(users)('a configuration %s', (_name, open) => {
  test('is applied in the order in which things depend on each other; a second apply sends nothing', async () => {
    await using user = await open()
    write(user, SHOP_FILE)
    expect(summary(await apply(user))).toMatchObject({ created: 10, updated: 0, deleted: 0, unchanged: 0, left: 0 })
    const { client } = user
    expect(await client.kpis.list()).toMatchObject([
      { name: 'Revenue', category_id: 2, unit_id: 4, icon_id: 11, frequency_id: 'D', target_default: 100_0000n },
      { name: 'Visits', category_id: 1, unit_id: 1, value_direction: 'D', sort_order: 2 },
    ])
    const [, { id: ann, ...fields } = { id: 0 }] = await client.users.list()
    expect(fields).toMatchObject({ first_name: 'Ann', user_status_id: 'L' })
    expect(await client.assignments(ann).list()).toMatchObject([
      { id: 1, user_target: 120_0000n, sort_order: 1 },
      { id: 2, user_target: null, sort_order: 2 },
    ])
    expect(await client.userGroupItems(ann).list()).toMatchObject([{ group_name: 'Region', name: 'North' }])
    expect(summary(await apply(user))).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 10 })
    expect(await user.kpi('plan', 'kpi.yaml', '--exit-code')).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'nothing to do: 10 unchanged\n' +
        'not in kpi.yaml, and left alone: 1 category (General); 4 units (Number, Decimal, Percent, Currency); 1 user (admin@localhost)\n',
    })
  })

  test('is planned with old and new values, a summary first, and exit code 9', async () => {
    await using user = await open()
    await fillShop(user)
    write(user, 'kpis:\n  - { name: Revenue, target_default: 150, category: Shops }\ncategories: [{ name: Shops }]\n')
    expect(await user.kpi('plan', 'kpi.yaml', '--exit-code')).toEqual({
      code: 9,
      stderr: expect.stringMatching(
        /^1 to create, 1 to update\nnot in kpi.yaml, .*\n3 stored entries .* 150 instead of 100 /,
      ) as string,
      stdout: [
        'action  section     name     field           old      new\n',
        'create  categories  Shops\n',
        'update  kpis        Revenue  category        General  Shops\n',
        'update  kpis        Revenue  target_default  100      150\n',
      ].join(''),
    })
    expect(await user.kpi('plan', 'kpi.yaml', '--summary-only')).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(
        /^1 to create, 1 to update\nnot in kpi.yaml, .*\n3 stored entries .* 150 instead of 100 /,
      ) as string,
    })
    expect(errorOf(await user.kpi('plan', 'kpi.yaml', '--exit-code', '-o', 'json'))).toMatchObject({
      code: 'differences',
      exit_code: 9,
    })
    expect((await apply(user)).code).toBe(0)
    expect(await user.client.kpis.get(1)).toMatchObject({ category_id: 2, target_default: 150_0000n, name: 'Revenue' })
  })

  test('deletes KPIs with their entries before the people whom the entries keep', async () => {
    await using user = await open()
    write(
      user,
      'kpis: [{ name: New, frequency: daily }]\nusers: [{ email: z@example.com, first_name: Zoe }]\nassignments: [{ user: z@example.com, kpi: New }]\n',
    )
    expect((await apply(user)).code).toBe(0)
    await user.kpi('entries', 'add', '--user', 'Zoe', '--kpi', 'New', '--date', '2026-03-01', '--actual', '5')
    write(user, 'categories: []\n')
    expect(summary(await apply(user, '--prune', '--yes'))).toMatchObject({ deleted: 3 })
    expect(await user.client.kpis.list()).toEqual([])
  })

  test('warns before anything is sent of what the service keeps, though a plan would delete it', async () => {
    await using user = await open()
    await user.client.kpis.add(kpiNamed('Old'))
    write(
      user,
      'categories: [{ name: Shops }]\nusers: [{ email: z@example.com, first_name: Zoe }]\nassignments: [{ user: z@example.com, kpi: Old }]\n',
    )
    expect((await apply(user)).code).toBe(0)
    await user.kpi('entries', 'add', '--user', 'Zoe', '--kpi', 'Old', '--date', '2026-03-01', '--actual', '5')
    await user.kpi('kpis', 'update', 'Old', '--category', 'Shops')
    write(user, 'units: []\n')
    const { stderr } = await user.kpi('plan', 'kpi.yaml', '--prune')
    expect(stderr).toMatch(/user .*z@example\.com.* has entries and stays: lock the user instead/)
    expect(stderr).toMatch(/category .*Shops.* is in use by 1 KPI \(Old\) and stays: give it another first/)
    const { code, stderr: applied } = await user.kpi('apply', 'kpi.yaml', '--prune', '--yes')
    expect([code, applied.includes(' stays')]).toEqual([3, true])
  })

  test('writes a dump or a plan to standard output where the file is -', async () => {
    await using user = await open()
    await fillShop(user)
    const dumped = await user.kpi('dump', '--to-file', '-')
    expect(dumped).toEqual(await user.kpi('dump'))
    write(user, 'categories: [{ name: Shops }]\n')
    const planned = await user.kpi('plan', 'kpi.yaml', '--to-file', '-', '--quiet')
    expect(JSON.parse(planned.stdout)).toMatchObject({ rows: [{ action: 'create', name: 'Shops' }] })
    expect(existsSync(user.folder.in('-'))).toBe(false)
  })

  test('deletes with --prune what an earlier apply of the file made, and nothing else', async () => {
    await using user = await open()
    await fillShop(user)
    write(user, SHOP_FILE)
    expect(summary(await apply(user))).toMatchObject({ created: 5, updated: 4, unchanged: 1 })
    write(user, 'kpis: [{ name: Revenue, category: General }]\n')
    expect(await plan(user)).toEqual([expect.objectContaining({ action: 'update', name: 'Revenue' })])
    const ran = await user.kpi('plan', 'kpi.yaml', '--prune', '-o', 'csv', '--quiet')
    expect(ran.stdout).toBe(
      [
        'action,section,name,field,old,new',
        'update,kpis,Revenue,category,Sales,General',
        'delete,user_group_items,Region / North of ann@example.com,,,',
        'delete,group_items,Region / North,,,',
        'delete,groups,Region,,,',
        'delete,units,Hours,,,',
        'delete,categories,Sales,,,',
        '',
      ].join('\n'),
    )
    // Another file, or the same elsewhere, has made nothing.
    write(user, 'kpis: []\n', 'other.yaml')
    expect(jsonOf(await user.kpi('plan', 'other.yaml', '--prune', '-o', 'json'))).toEqual([])

    const refused = await user.kpi('apply', 'kpi.yaml', '--prune', '--yes', '--max-deletes', '4')
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('5 things would be deleted, more than --max-deletes 4') as unknown,
    })
    const foreseen = await user.kpi('apply', 'kpi.yaml', '--prune', '--max-deletes', '4', '--dry-run')
    expect(foreseen).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--max-deletes 4') as unknown,
    })
    expect(await user.kpi('apply', 'kpi.yaml', '--prune', '-o', 'csv', '--quiet', '--dry-run')).toEqual(ran)
    const unasked = await user.kpi('apply', 'kpi.yaml', '--prune')
    expect(unasked).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/delete 5 things that kpi.yaml no longer has: .*needs --yes/) as unknown,
    })
    expect(await user.client.groups.list()).toHaveLength(1)

    const done = await apply(user, '--prune', '--yes', '--max-deletes', '5')
    expect(summary(done)).toMatchObject({ updated: 1, deleted: 5 })
    expect(await user.client.groups.list()).toEqual([])
    expect((await user.client.kpis.list()).map(({ name }) => name)).toEqual(['Revenue', 'Visits'])
    expect(summary(await apply(user, '--prune'))).toMatchObject({ updated: 0, deleted: 0, unchanged: 1 })
  })

  test('is refused as a file of settings where it is one', async () => {
    await using user = await open()
    write(user, 'output: csv\ntime_zone: Europe/Berlin\n')
    for (const [verb, more] of [
      ['plan', []],
      ['apply', ['--yes']],
    ] as const) {
      const told = allOf(errorOf(await user.kpi(verb, 'kpi.yaml', ...more, '-o', 'json')))
      for (const name of ['output', 'time_zone'])
        expect(told).toContain(
          `${name} is a setting, and not a section: files of settings are no configurations; kpi dump prints one`,
        )
    }
  })

  test('is refused with all its faults at once, by line', async () => {
    await using user = await open()
    await fillShop(user)
    write(
      user,
      `kpis:
  - { name: Revenues, category: Generall, frequency: hourly, colour: red }
  - { name: Profit, target_default: 1.23456 }
  - category: General
  - Visits
kpi: []
users:
  - { email: carl@example.com }
  - { email: ANN@example.com, first_name: }
  - { email: ann@example.com }
  - { email: bob@example.com, id: 99 }
assignments:
  - { user: Ann Lee, kpi: Revenue }
  - { user: ann@example.com, kpi: "#9" }
  - { user: ann@example.com, kpi: Visits, user_target: 5 }
`,
    )
    for (const verb of ['plan', 'apply']) {
      const ran = await user.kpi(verb, 'kpi.yaml', '-o', 'json')
      expect(ran.code).toBe(1)
      expect(allOf(errorOf(ran)).split('\n')).toEqual([
        'kpi.yaml has 15 faults',
        'line 2: frequency must be one of daily, weekly, monthly, quarterly, yearly',
        expect.stringContaining('line 2: colour is not a field of a KPI'),
        'line 2: there is no category "Generall"; did you mean "General"?',
        'line 3: target_default must have at most four digits after the decimal point',
        'line 3: the new KPI "Profit" needs frequency',
        'line 4: name is required',
        'line 5: a KPI must be fields with values, such as name: North',
        'line 6: there is no section kpi; did you mean kpis?',
        'line 8: the new user "carl@example.com" needs first_name; did you mean "ann@example.com"?',
        'line 9: first_name must not be empty',
        'line 10: this is the same user as in line 9',
        'line 11: there is no user 99 named "bob@example.com"; leave out the id to go by the name',
        'line 13: there is no user "Ann Lee"',
        'line 14: there is no KPI 9',
        'line 15: Visits has no target, so a user cannot have one either',
      ])
    }
  })
})

test.each([
  [
    'kpis: []\n---\nkpis: []\n',
    /^kpi: kpi.yaml, line 2: a file holds one configuration, and here another one begins\n$/,
  ],
  [
    'kpis:\n  - { name: A\n  - b: [\n',
    /^kpi: kpi.yaml, line 2, column 5: \{ is opened here and not closed; write \} where it ends\n$/,
  ],
  [
    'kpis: [{ name: A }]\nkpis: []\n',
    /^kpi: kpi.yaml, line 2, column 1: kpis stands here a second time; leave one of them out\n$/,
  ],
  ['kpis: [{ name: !secret A }]\n', /^kpi: kpi.yaml, line 1, column 16: a text that begins with ! needs quotes\n$/],
  ['kpis: 5\n', /^kpi: kpi.yaml, line 1: kpis must be a list/],
  ['- kpis\n', /^kpi: kpi.yaml, line 1: a configuration has sections/],
  ['kpis: [{ name: [A] }]\n', /^kpi: kpi.yaml, line 1: name must be one value, not a list or a map\n/],
  ['__proto__: []\n', /^kpi: kpi.yaml, line 1: there is no section __proto__/],
])('what is no configuration is refused by line: %j', async (text, stderr) => {
  await using user = await embeddedUser()
  write(user, text)
  expect(await user.kpi('plan', 'kpi.yaml')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(stderr) as unknown,
  })
})

describe('a saved plan', () => {
  const TARGETS = 'kpis:\n  - { name: Revenue, target_default: 150 }\n  - { name: Costs, frequency: M }\n'

  const planned = async (): Promise<User> => {
    const user = await embeddedUser()
    await fillShop(user)
    write(user, TARGETS)
    const ran = await user.kpi('plan', 'kpi.yaml', '--to-file', 'plan.json', '--summary-only')
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('kpi apply plan.json') as unknown })
    // What the file says now does not matter any longer.
    write(user, 'kpis: []\n')
    return user
  }

  test('is applied later', async () => {
    await using user = await planned()
    expect(summary(await user.kpi('apply', 'plan.json', '-o', 'json'))).toMatchObject({ created: 1, updated: 1 })
    expect(await user.client.kpis.get(1)).toMatchObject({ target_default: 150_0000n })
  })

  test('is continued where a part of it is done', async () => {
    await using user = await planned()
    await user.client.kpis.update(1, { target_default: 150_0000n })
    expect(summary(await user.kpi('apply', 'plan.json', '-o', 'json'))).toMatchObject({ created: 1, updated: 0 })
  })

  test('is refused when something moved', async () => {
    await using user = await planned()
    await user.client.kpis.update(1, { target_default: 120_0000n })
    expect(await user.kpi('apply', 'plan.json')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'kpi: something has changed since the plan was made; make it again with kpi plan. It would now be:\n' +
        '  kpis Revenue: update target_default: 120 → 150\n',
    })
    expect(await user.client.kpis.list()).toHaveLength(2)
  })

  test('is refused when it would delete more than it showed, and not when it would delete less', async () => {
    await using user = await embeddedUser()
    await fillShop(user)
    write(user, 'kpis:\n  - { name: Costs, frequency: M }\n')
    expect((await user.kpi('apply', 'kpi.yaml')).code).toBe(0)
    const made = (await user.client.kpis.list()).find(({ name }) => name === 'Costs')
    const kpi_id = made?.id ?? NaN
    const [{ id: user_id } = { id: NaN }] = await user.client.users.list()
    write(user, 'kpis: []\n')
    expect((await user.kpi('plan', 'kpi.yaml', '--prune', '--to-file', 'plan.json')).code).toBe(0)
    await user.client.assignments(user_id).add({ id: kpi_id, sort_order: 99 })
    await user.client.entries.put({ user_id, kpi_id, entry_date: 20_000, actual: 1n })
    const refused = await user.kpi('apply', 'plan.json', '--yes')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /the plan would delete more than it showed; make it again with kpi plan\n {2}KPI Costs: would be deleted with 1 assignment and 1 entry of .*; when the plan was made, it was with 0 assignments and no entries\n$/,
    )
    expect((await user.kpi('plan', 'kpi.yaml', '--prune', '--to-file', 'plan.json', '--force')).code).toBe(0)
    await user.client.assignments(user_id).remove(kpi_id)
    expect((await user.kpi('apply', 'plan.json', '--yes')).code).toBe(0)
    expect((await user.client.kpis.list()).map(({ name }) => name)).not.toContain('Costs')
  })

  test('is refused for another account, and is not overwritten unasked', async () => {
    await using user = await planned()
    const elsewhere = await user.kpi('--data-dir', 'other', 'apply', 'plan.json')
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the plan is for default at') as unknown,
    })
    const again = await user.kpi('plan', 'kpi.yaml', '--to-file', 'plan.json')
    expect(again).toMatchObject({ code: 1, stderr: 'kpi: plan.json exists already; --force replaces it\n' })
    expect((await user.kpi('apply', 'plan.json', '--prune')).code).toBe(2)
    writeFileSync(
      user.folder.in('plan.json'),
      readFileSync(user.folder.in('plan.json'), 'utf8').replace(': 1,', ': 2,'),
    )
    expect((await user.kpi('apply', 'plan.json')).stderr).toContain('is a plan of another version of kpi')
  })
})

describe('what a variant lacks', () => {
  test.each([
    ['groups: [{ name: Region }]', /has no groups: use kpi breakdown-items/],
    ['group_items: [{ group: "2", name: North }]', /has no group items: use kpi breakdown-items/],
    ['users: [{ email: ann@example.com }]', /creates no people: use a profile of the classic interface/],
    ['assignments: []', /has no assignments of KPIs/],
    ['calculated: []', /line 1: calculated KPIs are defined by the operator of the bundled service/],
    ['breakdowns: []', /line 1: breakdowns are made by the operator/],
  ])('is said on the newer interface: %s', async (text, message) => {
    await using user = await newerUser()
    write(user, text)
    for (const verb of ['plan', 'apply']) {
      const ran = await user.kpi(verb, 'kpi.yaml')
      expect(ran).toMatchObject({ code: 7, stdout: '', stderr: expect.stringMatching(message) as unknown })
    }
  })

  test.each([
    ['breakdown_items: [{ breakdown: "2", name: North }]', /has no breakdown items: use kpi group-items/],
    ['calculated: []', /line 1: calculated KPIs are defined by the operator of the bundled service/],
    [
      'group_items:\n  - { group: Region, name: North, is_archived: true }',
      /line 2: group items are archived in the newer/,
    ],
  ])('is said on the classic interface: %s', async (text, message) => {
    await using user = await remoteUser()
    write(user, text)
    expect(await user.kpi('apply', 'kpi.yaml')).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(message) as unknown,
    })
  })

  test('leaves a dump of the newer interface with the rest, which is applied there', async () => {
    await using user = await newerUser()
    await fillShop(user)
    await user.client.groups.add({ name: 'Region' })
    await user.client.groupItems(2).add({ name: 'North' })
    const { stdout, stderr, code } = await user.kpi('dump')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('breakdown_items:\n  - breakdown: "2"\n    name: North\n')
    expect(stdout).not.toMatch(/^(?:users|groups|assignments):/m)
    write(user, stdout)
    expect(await plan(user)).toEqual([])
    const more = '  - { breakdown: 2, name: South }\n  - { breakdown: 2, name: Old, is_archived: true }\nkpis:'
    write(user, stdout.replace('kpis:', more))
    expect(summary(await apply(user))).toMatchObject({ created: 2, updated: 1 })
    expect(summary(await apply(user))).toMatchObject({ created: 0, updated: 0 })
  })
})

describe('on the bundled service itself', () => {
  test('calculated KPIs are made behind what they use, and archived items behind their links', async () => {
    await using user = await embeddedUser()
    write(
      user,
      `calculated:
  - { name: Twice, frequency: M, formula: "2 * [Per visit]" }
  - { name: Per visit, frequency: M, formula: "[Revenue] / [Visits]", over: inputs }
kpis:
  - { name: Revenue, frequency: D }
  - { name: Visits, frequency: D }
users: [{ email: ann@example.com, first_name: Ann }]
breakdowns: [{ name: Region }]
breakdown_items:
  - { breakdown: Region, name: Old, is_archived: true }
user_group_items: [{ user: ann@example.com, group: Region, group_item: Old }]
`,
    )
    expect(summary(await apply(user))).toMatchObject({ created: 8, updated: 1 })
    expect(summary(await apply(user))).toMatchObject({ created: 0, updated: 0, unchanged: 8 })
    const formulas = await user.kpi('service', 'calculated', 'list', '--columns', 'name,formula', '-o', 'csv')
    expect(formulas.stdout).toBe('name,formula\nTwice,2 * [3]\nPer visit,[1] / [2]\n')
    // A KPI is deactivated only when no formula needs it any longer.
    write(
      user,
      `kpis: [{ name: Visits, is_active: false }]
calculated: [{ name: Per visit, formula: "[Revenue] / 2" }]
`,
    )
    expect(await plan(user)).toMatchObject([
      { name: 'Per visit', field: 'formula', old: '[Revenue] / [Visits]', new: '[Revenue] / 2' },
      { name: 'Visits', field: 'is_active', old: 'true', new: 'false' },
    ])
    expect(summary(await apply(user))).toMatchObject({ updated: 2 })
  })
})

describe.each(databases)('an account of the bundled service on %s', (_name, make) => {
  test('is named with --account, and is configured by its operator', async () => {
    await using database = await make()
    using home = temporaryFolder()
    const kpi = shellIn({ home: home.path, env: { ...database.env, KPI_DATA_DIR: database.dataDir } })
    const flags = ['--account', 'acme', ...database.flags]
    await kpi('service', 'accounts', 'create', 'acme', '--login', 'eve@example.com', ...database.flags)
    const text =
      'kpis: [{ name: Sales, frequency: D }]\ncalculated: [{ name: Half, frequency: D, formula: "[Sales] / 2" }]\n'
    writeFileSync(home.in('kpi.yaml'), text)
    expect(jsonOf(await kpi('apply', 'kpi.yaml', '-o', 'json', ...flags))).toMatchObject({ created: 2 })
    const { stdout } = await kpi('dump', ...flags)
    expect(stdout).toContain('formula: "[Sales] / 2"')
    writeFileSync(home.in('kpi.yaml'), stdout)
    expect((await kpi('plan', 'kpi.yaml', ...flags)).stderr).toMatch(/^nothing to do/)
    expect((await kpi('dump', ...database.flags)).stdout).not.toContain('Sales')
  })
})

test('a target that users had before their KPI lost its own is what the file says', async () => {
  await using user = await embeddedUser()
  const { client } = user
  await client.kpis.add(kpiNamed('Revenue', { target_default: 100_0000n }))
  const { id } = await client.users.add(userNamed('Ann'))
  await client.assignments(id).add({ id: 1, sort_order: 1, user_target: 120_0000n })
  await client.kpis.update(1, { target_default: null })
  write(
    user,
    `kpis: [{ name: Revenue, target_default: 90 }]
assignments: [{ user: ann@example.com, kpi: Revenue, user_target: null }]
`,
  )
  await apply(user)
  expect(await client.assignments(id).list()).toMatchObject([{ user_target: null }])
  expect(summary(await apply(user))).toMatchObject({ updated: 0 })
})

test('names that several things have are dumped with ids, and refused without', async () => {
  await using user = await embeddedUser()
  await user.client.kpis.add(kpiNamed('Sales'))
  await user.client.kpis.add(kpiNamed('Sales'))
  await user.client.kpis.add(kpiNamed('#1'))
  const { id } = await user.client.users.add(userNamed('Ann'))
  for (const kpi of [2, 3]) await user.client.assignments(id).add({ id: kpi, sort_order: kpi })
  const { stdout } = await user.kpi('dump')
  expect(stdout).toContain('  - id: 2\n    name: Sales\n')
  expect(stdout).toContain('kpi: "#2"')
  expect(stdout).toContain(`kpi: "'#1"`)
  write(user, 'kpis: [{ name: Sales, is_active: false }]\n')
  expect((await user.kpi('plan', 'kpi.yaml')).stderr).toBe(
    'kpi: kpi.yaml, line 1: "Sales" is the name of more than one KPI: 1, 2; say which one, as id: 1\n',
  )
  write(user, 'kpis: [{ name: sales, frequency: D }]\n')
  expect((await user.kpi('plan', 'kpi.yaml', '--summary-only')).stderr).toBe(
    'kpi: kpi.yaml, line 1: "sales" is the name of more than one KPI: 1, 2; say which one, as id: 1\n',
  )
})

describe('a name that an account has in another spelling', () => {
  const NAMES = ['Café Zürich', 'Große Straße 5', 'ΟΔΟΣ', '東京 ガ', 'Москва Й'] as const

  test('means what is there, is told, and is neither made again nor pruned', async () => {
    await using user = await embeddedUser()
    const fileOf = (names: readonly string[]): string =>
      JSON.stringify({
        categories: names.map((name) => ({ name })),
        units: names.map((name) => ({ name, display_format: '#' })),
        groups: names.map((name) => ({ name })),
        group_items: names.map((name) => ({ group: name, name })),
        kpis: names.map((name) => ({ name, category: name, unit: name, frequency: 'D' })),
        calculated: names.map((name, at) => ({ name: `of ${at}`, formula: `[${name}] * 2`, frequency: 'D' })),
      })
    write(user, fileOf(NAMES))
    const created = NAMES.length * 6
    expect(summary(await apply(user))).toMatchObject({ created })
    const spelt = fc.tuple(...NAMES.map((name) => spellings(name)))
    await fc.assert(
      fc.asyncProperty(spelt, async (written) => {
        write(user, fileOf(written))
        const ran = await user.kpi('plan', 'kpi.yaml', '--prune')
        expect([ran.code, ran.stdout]).toEqual([0, ''])
        expect(ran.stderr).toContain(`nothing to do: ${created} unchanged\n`)
        const others = written.filter((text, at) => text.trim() !== NAMES[at]).length
        expect(ran.stderr.split('whose name stays as it is').length - 1).toBe(others * 5)
      }),
      { numRuns: runs(12, 200) },
    )
  })

  test('is new beside one that the file names exactly', async () => {
    await using user = await embeddedUser()
    await user.client.kpis.add(kpiNamed('Sales'))
    for (const items of [
      '{ name: sales, frequency: D }, { name: Sales }',
      '{ name: Sales }, { name: sales, frequency: D }',
    ]) {
      write(user, `kpis: [${items}]\n`)
      expect((await user.kpi('plan', 'kpi.yaml', '--summary-only')).stderr).toBe(
        '1 to create, 1 unchanged\nwarning: KPI "sales" is new, and differs from "Sales" only in case, blanks or dashes\n',
      )
    }
    write(user, 'kpis: [{ name: Höhe, frequency: D }, { name: HÖHE, frequency: D }]\n')
    const twins = await user.kpi('plan', 'kpi.yaml', '--summary-only')
    expect(twins.stderr).toContain(
      'KPI "HÖHE" is new beside the new "Höhe", which is the same name in another spelling',
    )
    write(user, 'kpis: [{ name: sales, target_default: 5 }, { name: SALES, target_default: 6 }]\n')
    expect((await user.kpi('plan', 'kpi.yaml')).stderr).toBe(
      'kpi: kpi.yaml, line 1: this is the same KPI as in line 1\n',
    )
  })
})

test('numbers are read as they are written, and things by #id', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  write(
    user,
    `categories: [{ name: 007 }, { name: 1.50 }]
kpis: [{ name: Revenue, category: 1.50, target_default: 12345678901234.5678 }]
assignments: [{ user: "#2", kpi: "#1", sort_order: 1 }, { user: "#2", kpi: Visits, sort_order: 2 }]
`,
  )
  expect(summary(await apply(user))).toMatchObject({ created: 2, updated: 1, unchanged: 2 })
  expect(await user.client.categories.list()).toMatchObject([{ name: 'General' }, { name: '007' }, { name: '1.50' }])
  expect(await user.client.kpis.get(1)).toMatchObject({ category_id: 3, target_default: 12345678901234_5678n })
})

test('an apply of which the service refuses a change says what it was about, and does the rest', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  write(user, 'groups: [{ name: A }]\nusers:\n  - { email: admin@localhost, user_status: locked }\n')
  for (const { id } of (await user.client.users.list()).slice(1))
    await user.client.users.update(id, { user_status_id: 'L' })
  const ran = await user.kpi('apply', 'kpi.yaml')
  expect(ran.code).toBe(3)
  expect(ran.stderr).toContain('no. 2 of 2: update user admin@localhost: ')
  expect(ran.stderr).toContain('is the last active user and cannot be locked')
  expect(ran.stdout).toContain('left      1')
})

describe('a third-party service, which clears what it is not sent and has odd values', () => {
  const KPI = {
    id: 7,
    name: ' Sales ',
    category_id: 1,
    icon_id: 99,
    unit_id: 1,
    frequency_id: 'H',
    description: 'x'.repeat(200),
    target_default: 100,
    value_direction: 'U',
    aggregate_function: 'SUM',
    sort_order: 1,
    is_active: true,
    is_calculated: false,
  }
  const LISTS: Readonly<Record<string, readonly object[]>> = {
    '/api/kpis': [KPI, { ...KPI, id: 8, name: 'Share', is_calculated: true }],
    '/api/kpicategories': [{ id: 1, name: 'General', sort_order: 1 }],
    '/api/kpiunits': [{ id: 1, name: 'Number', entry_format: '#', display_format: '#', is_percentage: null }],
    '/api/users': [{ id: 3, email: 'ann@example.com', first_name: ' Ann ', user_type: 'User', user_status_id: 'A' }],
    '/api/users/3/kpis': [{ id: 7, user_target: 120, sort_order: 4 }],
  }
  const openShop = async () => {
    const service = await foreignService((response, { method, url = '' }) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(method === 'GET' ? (LISTS[url] ?? []) : KPI))
    })
    const home = temporaryFolder()
    onTestFinished(() => home[Symbol.dispose]())
    const env = { KPI_BASE_URL: `${service.url}/api`, KPI_LOGIN: 'ann', KPI_TOKEN: 'secret' }
    const changes = (): { method: string; target: string; body: unknown }[] =>
      service.reached
        .filter(({ method }) => method !== 'GET')
        .map(({ method, target, body }) => ({ method, target, body: JSON.parse(body || 'null') as unknown }))
    return { home, changes, kpi: shellIn({ home: home.path, env }) }
  }

  test('gets the whole object', async () => {
    const { home, kpi, changes } = await openShop()
    const text = `kpis: [{ name: Sales, target_default: 90 }]
assignments: [{ user: ann@example.com, kpi: Sales, user_target: null }, { user: ann@example.com, kpi: Share }]
`
    writeFileSync(home.in('kpi.yaml'), text)
    expect(await kpi('apply', 'kpi.yaml')).toMatchObject({ code: 0 })
    const { id: _id, is_calculated: _isCalculated, ...whole } = KPI
    expect(changes()).toEqual([
      { method: 'PUT', target: '/api/kpis/7', body: { ...whole, target_default: 90 } },
      { method: 'POST', target: '/api/users/3/kpis', body: { id: 8, sort_order: 5 } },
      { method: 'PUT', target: '/api/users/3/kpis/7', body: { user_target: null, sort_order: 4 } },
    ])
  })

  test('is dumped with warnings for what a file cannot say, and the plan of that is empty', async () => {
    const { home, kpi, changes } = await openShop()
    const { stdout, stderr, code } = await kpi('dump')
    expect({ code, stderr: stderr.split('\n') }).toEqual({
      code: 0,
      stderr: [
        'warning: left out: icon of KPI Sales: the service does not list it',
        'warning: left out: frequency of KPI Sales: must be one of D, W, M, Q, Y',
        'warning: left out: description of KPI Sales: has 200 characters, at most 150 are allowed',
        'warning: left out: 1 calculated KPI, which only the bundled service on its own machine can say: Share',
        '',
      ],
    })
    writeFileSync(home.in('kpi.yaml'), stdout)
    expect((await kpi('plan', 'kpi.yaml', '--exit-code')).stderr).toBe('nothing to do: 5 unchanged\n')
    expect(changes()).toEqual([])
  })
})

test('an apply that is interrupted says what is left, and a place to send to is never guessed', async () => {
  await using user = await embeddedUser()
  write(user, SHOP_FILE)
  const stopped = await user.kpiIn({ signal: AbortSignal.abort() }, 'apply', 'kpi.yaml')
  expect(stopped).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('stopped while the data was read') as unknown,
  })
  expect((await user.kpiIn({ env: { KPI_TOKEN: 'secret' } }, 'apply', 'kpi.yaml')).code).toBe(2)
  expect(await user.client.kpis.list()).toEqual([])
})

test('two applies of a file at once do not both run', async () => {
  await using user = await embeddedUser()
  write(user, SHOP_FILE)
  const codes = (await Promise.all([apply(user), apply(user)])).map(({ code }) => code)
  expect(new Set(codes)).toEqual(new Set([0, 8]))
  expect(await user.client.kpis.list()).toHaveLength(2)
})

test.each([
  [['dump', '-o', 'csv'], 'kpi dump: a dump is YAML; leave out -o csv\n'],
  [['apply', '-', '--prune'], 'kpi apply: --prune needs a file with a name, whose earlier applies it goes by\n'],
  [['apply', 'kpi.yaml', '--max-deletes', 'x'], 'kpi apply: --max-deletes x is not a whole number\n'],
  [['apply', 'kpi.yaml', '--summary-only'], 'kpi apply: --summary-only goes with --dry-run\n'],
])('%j is wrong usage', async (args, stderr) => {
  await using user = await embeddedUser()
  expect(await user.kpi(...args)).toEqual({ code: 2, stdout: '', stderr })
})

describe('formulas', () => {
  const open = async (): Promise<User> => {
    const user = await embeddedUser()
    await fillShop(user)
    await user.kpi('service', 'calculated', 'add', '--name', 'Half', '--frequency', 'D', '--formula', '[Revenue] / 2')
    return user
  }

  test.each([
    ['kpis: [{ name: Revenue, frequency: W }]', 'line 1: frequency: cannot be Weekly: the formula of KPI 3 (Half)'],
    ['kpis: [{ name: Revenue, is_active: false }]', 'line 1: is_active: cannot be false: the formula of KPI 3 (Half)'],
    ['calculated: [{ name: Half, formula: "[Half] + 1" }]', 'line 1: formula: uses its own KPI'],
    ['calculated: [{ name: New, frequency: D, formula: "[New] + 1" }]', 'line 1: formula: uses its own KPI'],
    [
      'calculated: [{ name: New, frequency: D, formula: "[Half]" }, { name: Half, formula: "[New]" }]',
      'line 1: formula: goes in a circle',
    ],
  ])('refuse in a plan what an apply would refuse: %s', async (text, message) => {
    await using user = await open()
    write(user, `${text}\n`)
    for (const line of [
      ['plan', 'kpi.yaml'],
      ['apply', 'kpi.yaml', '--dry-run'],
      ['apply', 'kpi.yaml', '--yes'],
    ])
      expect(await user.kpi(...line)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) as unknown })
  })

  test('become coarser before what they use, in one apply', async () => {
    await using user = await open()
    write(user, 'kpis: [{ name: Revenue, frequency: W }]\ncalculated: [{ name: Half, frequency: W }]\n')
    expect(summary(await apply(user))).toMatchObject({ updated: 2, left: 0 })
  })

  test('do not keep a KPI from getting a target, which its users need, when it is closed in the same apply', async () => {
    await using user = await embeddedUser()
    await fillShop(user)
    write(
      user,
      'kpis: [{ name: Visits, target_default: 5, is_active: false }]\nassignments: [{ user: ann@example.com, kpi: Visits, user_target: 7 }]\n',
    )
    expect(summary(await apply(user))).toMatchObject({ left: 0 })
    write(
      user,
      'kpis: [{ name: Visits, target_default: null, is_active: true }]\nassignments: [{ user: ann@example.com, kpi: Visits, user_target: null }]\n',
    )
    expect(summary(await apply(user))).toMatchObject({ left: 0 })
  })

  test('are changed in an order in which each is valid', async () => {
    await using user = await open()
    const half = '{ name: Half, frequency: W, formula: "[Revenue] / 2" }'
    write(user, `calculated: [{ name: Top, frequency: W, formula: "[Half]" }, ${half}]\n`)
    expect(summary(await apply(user))).toMatchObject({ created: 1, updated: 1, left: 0 })
    write(user, 'calculated: [{ name: Half, frequency: M }, { name: Top, frequency: M }]\n')
    expect(summary(await apply(user))).toMatchObject({ updated: 2, left: 0 })
    write(user, 'calculated: [{ name: Top, frequency: D }, { name: Half, frequency: D }]\n')
    expect(summary(await apply(user))).toMatchObject({ updated: 2, left: 0 })
    write(user, 'calculated: [{ name: Half, formula: "[Top]" }, { name: Top, formula: "[Revenue]" }]\n')
    expect(summary(await apply(user))).toMatchObject({ updated: 2, left: 0 })
  })

  test('keep what they use from being deleted, which a plan says', async () => {
    await using user = await open()
    write(user, 'kpis: [{ name: Extra, category: General, unit: Number, frequency: D }]\n')
    await apply(user)
    await user.kpi('service', 'calculated', 'add', '--name', 'Uses', '--frequency', 'D', '--formula', '[Extra] / 2')
    write(user, 'kpis: []\n')
    expect(await user.kpi('plan', 'kpi.yaml', '--prune')).toMatchObject({
      stderr: expect.stringContaining('KPI Extra is used by the formula of calculated KPI Uses and stays') as unknown,
    })
  })
})
