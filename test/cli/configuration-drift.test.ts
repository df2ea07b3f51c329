import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sections } from '../../src/changes/records/kind-fields.ts'
import { jsonOf } from '../support/kpi.ts'
import { fillShop, type User, users } from '../support/user.ts'

const FILE = `groups: [{ name: Region }]
group_items: [{ group: Region, name: North }]
categories: [{ name: General }, { name: Sales }]
kpis:
  - { name: Orders, category: Sales, frequency: daily, target_default: 5 }
users: [{ email: eve@example.com, first_name: Eve }]
assignments: [{ user: eve@example.com, kpi: Orders }]
user_group_items: [{ user: eve@example.com, group_item: North }]
`

/** The file of a dump without some line of a section: the entry, of however many lines. */
const without = (text: string, section: string, name: string): string => {
  const [, head = '', body = '', rest = ''] =
    new RegExp(`^([^]*\\n${section}:\\n)((?: .*\\n)+)([^]*)$`).exec(text) ?? []
  const entries = body.split(/^(?= {2}- )/m)
  const kept = entries.filter((one) => !one.includes(name))
  expect(kept).toHaveLength(entries.length - 1)
  return `${head}${kept.length === 0 ? '  []\n' : kept.join('')}${rest}`
}

const fill = async (user: User): Promise<string> => {
  await fillShop(user)
  writeFileSync(user.folder.in('made.yaml'), FILE)
  expect((await user.kpi('apply', 'made.yaml', '-o', 'json')).code).toBe(0)
  expect((await user.kpi('dump', '--to-file', 'kpi.yaml')).code).toBe(0)
  return readFileSync(user.folder.in('kpi.yaml'), 'utf8')
}

/** A line of a dump for each section, what it holds, and what the plan says of it. */
const DELETED: readonly (readonly [section: string, line: string, text: string])[] = [
  ['categories', 'Sales', '1 category (Sales)'],
  ['units', 'Percent', '1 unit (Percent)'],
  ['groups', 'Region', '1 group (Region)'],
  ['group_items', 'North', '1 group item (Region / North)'],
  ['kpis', 'Orders', '1 KPI (Orders)'],
  ['users', 'admin@localhost', '1 user (admin@localhost)'],
  ['assignments', 'Orders', '1 assignment of KPI (Orders of eve@example.com)'],
  ['user_group_items', 'North', '1 group item of the user (Region / North of eve@example.com)'],
]

/** What refers to the line that is deleted goes as well, so that the file has no faults. */
const OF: Readonly<Record<string, readonly (readonly [section: string, line: string])[]>> = {
  categories: [
    ['kpis', 'Orders'],
    ['assignments', 'Orders'],
  ],
  groups: [
    ['group_items', 'North'],
    ['user_group_items', 'North'],
  ],
  group_items: [['user_group_items', 'North']],
  kpis: [['assignments', 'Orders']],
}

describe.each(users)('%s, what the account has beside a file', (_name, open) => {
  test('a dump has all of it; each deleted line is told, and changes nothing', async () => {
    await using user = await open()
    const dump = await fill(user)
    const plan = (...flags: string[]) => user.kpi('plan', 'kpi.yaml', '--exit-code', ...flags)
    expect(await plan()).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^nothing to do: \d+ unchanged\n$/) as string,
    })
    expect(DELETED.map(([section]) => section)).toEqual(
      [...sections.keys()].filter((name) => !['calculated', 'breakdowns', 'breakdown_items'].includes(name)),
    )
    for (const [section, line, text] of DELETED) {
      const all = [[section, line] as const, ...(OF[section] ?? [])]
      const left = all.reduce((rest, [name, entry]) => without(rest, name, entry), dump)
      writeFileSync(user.folder.in('kpi.yaml'), left)
      const ran = await plan()
      expect([section, ran.code, ran.stdout]).toEqual([section, 0, ''])
      expect(ran.stderr).toMatch(/^nothing to do: \d+ unchanged\nnot in kpi\.yaml, and left alone: /)
      expect(ran.stderr).toContain(text)
      expect(jsonOf(await plan('--summary-only', '-o', 'json'))).toMatchObject({ not_in_file: all.length })
    }
  })

  test('sections that a file has not are not told of, and empty ones wholly', async () => {
    await using user = await open()
    await fillShop(user)
    writeFileSync(user.folder.in('kpi.yaml'), 'kpis: [{ name: Revenue }]\ngroups:\n')
    await user.kpi('groups', 'create', '--name', 'Region')
    const ran = await user.kpi('plan', 'kpi.yaml', '--exit-code')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      'nothing to do: 1 unchanged\nnot in kpi.yaml, and left alone: 1 KPI (Visits); 1 group (Region)\n',
    ])
    const foreign = await user.kpi('plan', 'kpi.yaml', '--prune')
    expect(foreign.stderr).toContain(
      '--prune deletes only what an apply of kpi.yaml has created; by hand: kpi kpis delete Visits or kpi groups delete Region\n',
    )
    // What --prune would delete is a change, and no note.
    writeFileSync(user.folder.in('made.yaml'), FILE)
    await user.kpi('apply', 'made.yaml', '-o', 'json')
    writeFileSync(user.folder.in('made.yaml'), FILE.replace(/assignments:.*\n/, 'assignments:\n'))
    const kept = await user.kpi('plan', 'made.yaml', '--exit-code')
    expect([kept.code, kept.stderr]).toEqual([
      0,
      expect.stringContaining('1 assignment of KPI (Orders of eve@example.com)'),
    ])
    const pruned = await user.kpi('plan', 'made.yaml', '--exit-code', '--prune')
    expect([pruned.code, pruned.stderr]).toEqual([9, expect.not.stringContaining('1 assignment of KPI (Orders')])
  })

  test('many of a kind are counted, and the first named', async () => {
    await using user = await open()
    for (let at = 1; at <= 12; at += 1) await user.kpi('categories', 'create', '--name', `C${at}`)
    writeFileSync(user.folder.in('kpi.yaml'), 'categories:\n')
    expect((await user.kpi('plan', 'kpi.yaml')).stderr).toContain(
      '13 categories (General, C1, C2, C3, C4, C5, C6, C7, C8, C9 and 3 more)',
    )
  })
})
