import fc from 'fast-check'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, newerUser, type User, users } from '../support/user.ts'

const SETUP = `categories:
  - name: Sales
units:
  - name: Hours
    display_format: "#.0 h"
kpis:
  - name: Revenue
    category: Sales
    frequency_id: monthly
    target_default: 12345678901234.5678
  - name: Overtime
    category: Sales
    unit: Hours
    frequency_id: weekly
    value_direction: down
groups:
  - name: Region
    items: [North, South]
users:
  - email: ann@example.com
    first_name: Ann
    kpis:
      - kpi: Revenue
        user_target: 100
      - Overtime
    group_items: [North]
`

type Change = {
  readonly action: string
  readonly section: string
  readonly name: string
  readonly changes: string | null
}

describe.each(users)('%s', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    write(SETUP)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const write = (text: string): void => writeFileSync(user.folder.in('setup.yaml'), text)
  const plan = (...flags: string[]): Promise<Ran> => user.kpi('plan', 'setup.yaml', '-o', 'json', ...flags)
  const changes = async (...flags: string[]): Promise<Change[]> => jsonOf(await plan(...flags)) as Change[]
  const names = async (noun: string): Promise<unknown[]> =>
    (jsonOf(await user.kpi(noun, 'list', '-o', 'json')) as Record<string, unknown>[]).map(({ name }) => name)

  test('a plan says what apply then does, in the order of dependence, and a second time nothing is left to do', async () => {
    expect((await changes()).map(({ action, section, name }) => `${action} ${section} ${name}`)).toEqual([
      'create categories Sales',
      'create units Hours',
      'create kpis Revenue',
      'create kpis Overtime',
      'create groups Region',
      'create group_items North',
      'create group_items South',
      'create users ann@example.com',
      'create assignments ann@example.com: Revenue',
      'create assignments ann@example.com: Overtime',
      'create links to group items ann@example.com: North',
    ])
    expect((await plan('--exit-code')).code).toBe(9)
    const applied = await user.kpi('apply', 'setup.yaml')
    expect(applied.code).toBe(0)
    expect(applied.stderr).toContain('applied setup.yaml: 11 created, 0 updated, 0 deleted')
    expect(await plan('--exit-code')).toMatchObject({ code: 0, stdout: '[]\n' })
    const again = await user.kpi('apply', 'setup.yaml')
    expect(again).toEqual({ code: 0, stdout: '', stderr: 'nothing to change\n' })
    expect((await user.kpi('kpis', 'get', 'Revenue', '--jq', '.target_default')).stdout).toBe('12345678901234.5678\n')
  })

  test('what differs is changed, old and new are shown, and what the file does not say is kept', async () => {
    await user.kpi('apply', 'setup.yaml')
    await user.kpi('kpis', 'update', 'Overtime', '--description', 'by hand')
    write(
      SETUP.replace('value_direction: down', 'value_direction: up').replace('user_target: 100', 'user_target: 120.5'),
    )
    expect(await changes()).toEqual([
      { action: 'update', section: 'kpis', name: 'Overtime', changes: 'value_direction: D → U' },
      {
        action: 'update',
        section: 'assignments',
        name: 'ann@example.com: Revenue',
        changes: 'user_target: 100 → 120.5',
      },
    ])
    await user.kpi('apply', 'setup.yaml')
    expect(jsonOf(await user.kpi('kpis', 'get', 'Overtime', '-o', 'json'))).toMatchObject({
      value_direction: 'U',
      description: 'by hand',
    })
  })

  test('--prune deletes only what an earlier run of the file created, after a yes, and within --max-deletes', async () => {
    await user.kpi('kpis', 'create', '--name', 'By hand', '--frequency', 'D')
    await user.kpi('apply', 'setup.yaml')
    write('categories: [Sales]\nkpis:\n  - name: Revenue\n    frequency_id: M\n')
    expect(await changes()).toEqual([])
    const pruned = await changes('--prune')
    expect(pruned.map(({ action, name }) => `${action} ${name}`)).toEqual([
      'delete ann@example.com',
      'delete North',
      'delete South',
      'delete Region',
      'delete Overtime',
      'delete Hours',
    ])
    const refused = await user.kpi('apply', 'setup.yaml', '--prune', '--max-deletes', '5', '--yes')
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('6 things would be deleted, more than --max-deletes 5'),
    ])
    const unasked = await user.kpi('apply', 'setup.yaml', '--prune')
    expect([unasked.code, unasked.stderr]).toEqual([
      2,
      expect.stringContaining('KPI Overtime with its assignments and all its entries'),
    ])
    expect((await user.kpi('apply', 'setup.yaml', '--prune', '--yes')).code).toBe(0)
    expect(await names('kpis')).toEqual(['By hand', 'Revenue'])
    expect(await changes('--prune')).toEqual([])
  })

  test('a kept plan is applied only if nothing has moved since', async () => {
    await plan('--to-file', 'plan.json')
    expect((await plan('--to-file', 'plan.json')).code).toBe(1)
    await user.kpi('categories', 'create', '--name', 'Sales')
    const moved = await user.kpi('apply', 'setup.yaml', '--plan', 'plan.json')
    expect(moved.code).toBe(1)
    expect(moved.stderr).toContain('something has changed since the plan in plan.json was made')
    await plan('--to-file', 'plan.json', '--force')
    expect((await user.kpi('apply', 'setup.yaml', '--plan', 'plan.json')).code).toBe(0)
  })

  test('a file is refused with all its faults and their lines, before anything is sent', async () => {
    write('kpis:\n  - nam: x\n    frequency_id: D\n  - 7\nkpi: 3\nusers: ann\n')
    const faults = await plan()
    expect(faults.code).toBe(1)
    expect(JSON.parse(faults.stderr)).toMatchObject({
      error: {
        issues: [
          { field: 'line 2', message: 'nam is no field there; did you mean name?' },
          { field: 'line 4', message: 'must be a name, or have fields' },
          { field: 'line 5', message: 'there is no section kpi; did you mean kpis?' },
          { field: 'line 6', message: 'users must be a list' },
        ],
      },
    })
    write('kpis:\n  - name: y\n    category: None\nusers:\n  - email: a@b.c\n    first_name: A\n    kpis: [y, z]\n')
    expect(JSON.parse((await plan()).stderr)).toMatchObject({
      error: {
        issues: [
          { field: 'line 2', message: 'category_id there is no category "None"' },
          { field: 'line 2', message: 'frequency_id is required' },
        ],
      },
    })
    write('kpis: [a\n')
    expect((await plan()).stderr).toContain('line 2')
    expect(await names('kpis')).toEqual([])
  })

  test('a dump can be applied to another account, and says the same there', async () => {
    await user.kpi('apply', 'setup.yaml')
    await user.kpi('dump', '--to-file', 'dump.yaml')
    await using other = await embeddedUser()
    writeFileSync(other.folder.in('dump.yaml'), readFileSync(user.folder.in('dump.yaml')))
    expect((await other.kpi('apply', 'dump.yaml')).code).toBe(0)
    expect((await other.kpi('dump')).stdout).toBe((await user.kpi('dump')).stdout)
  })
})

test('the newer interface has no groups and assignments, which is said before anything is sent', async () => {
  await using newer = await newerUser()
  writeFileSync(newer.folder.in('setup.yaml'), SETUP)
  const ran = await newer.kpi('plan', 'setup.yaml')
  expect(ran.code).toBe(7)
  const dumped = await newer.kpi('dump')
  expect([dumped.code, dumped.stderr]).toEqual([0, expect.stringContaining('are left out')])
})

const NAME = fc
  .array(
    fc.constantFrom(
      'a',
      'A',
      ' ',
      '_',
      '-',
      '7',
      '#',
      "'",
      'é',
      '😀',
      ':',
      '[',
      '"',
      '~',
      'null',
      '- ',
      '? ',
      '%',
      '\\',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => `${parts.join('')}x`.slice(0, 50))
  .map((name) => (name === '7x' ? '7' : name))

const ACCOUNT = fc.record({
  categories: fc.array(NAME, { maxLength: 3 }),
  kpis: fc.array(
    fc.record({
      name: NAME,
      category: fc.nat(3),
      target: fc.option(fc.bigInt(-(10n ** 15n), 10n ** 15n)),
      active: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  items: fc.array(NAME, { maxLength: 3 }),
  people: fc.array(
    fc.record({ locked: fc.boolean(), kpis: fc.uniqueArray(fc.nat(3)), items: fc.uniqueArray(fc.nat(2)) }),
    { maxLength: 3 },
  ),
})

type Account = typeof ACCOUNT extends fc.Arbitrary<infer A> ? A : never

const fill = async (client: Client, account: Account): Promise<void> => {
  const categories = [1]
  for (const name of account.categories) categories.push((await client.categories.add({ name, sort_order: 2 })).id)
  const kpis: number[] = []
  for (const { name, category, target, active } of account.kpis)
    kpis.push(
      (
        await client.kpis.add(
          kpiNamed(name, {
            category_id: categories[category % categories.length] ?? 1,
            target_default: target,
            is_active: active,
          }),
        )
      ).id,
    )
  const group = await client.groups.add({ name: 'Region' })
  const items: number[] = []
  for (const name of account.items) items.push((await client.groupItems(group.id).add({ name })).id)
  for (const [at, { locked, kpis: own, items: links }] of account.people.entries()) {
    const { id } = await client.users.add(userNamed(`P${at}`, { user_status_id: locked ? 'L' : 'A' }))
    for (const one of own)
      if (kpis[one] !== undefined) await client.assignments(id).add({ id: kpis[one], sort_order: one })
    for (const one of links) if (items[one] !== undefined) await client.userGroupItems(id).add({ id: items[one] })
  }
}

test('the plan of a dump is empty, whatever the account holds', async () => {
  await fc.assert(
    fc.asyncProperty(ACCOUNT, async (account) => {
      await using user = await embeddedUser()
      await fill(user.client, account)
      await user.kpi('dump', '--to-file', 'dump.yaml')
      expect(await user.kpi('plan', 'dump.yaml', '--exit-code')).toEqual({
        code: 0,
        stdout: '',
        stderr: 'nothing to change\n',
      })
    }),
    { numRuns: 40 },
  )
})
