import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, newerUser, remoteUser, type User } from '../support/user.ts'

/** Names that YAML, or the marks of ids, could take for something else. */
const ODD = `#1|#2|'#1|''#2|1|007|null|~|yes|true|- a|a: b|a #b|[3]|{a}|"q"|it's|& a|* a|! a|> a|% a|@a|\`a\`|1e3|0x1F
2026-01-01|<<|=|? a|a,b|Name|name|__proto__|constructor|...|---|é|日本|😀|:|"|-|- x|0x1|1.0|-1|.5|a'|[1]|[#1]|a[b]|+|é`
  .split(/[|\n]/)
  .concat('a|b', '| a', 'a\nb', 'a\tb', 'a\n\nb: c', 'x'.repeat(200))

/** Names of which several things have the same, or that are the ids of others. */
const COMMON = ['#1', '#2', '#3', '1', '2', '3', "'#2", 'all', 'a', 'A']

/** Texts as names, of which `common` in `common + 4` are such that several things have them. */
const nameOf = (common: number) => (max: number) =>
  fc
    .oneof(
      { weight: common, arbitrary: fc.constantFrom(...COMMON) },
      { weight: 3, arbitrary: fc.constantFrom(...ODD) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: max }) },
    )
    .map((text) => Array.from(text).slice(0, max).join('').trim())
    .filter((text) => text !== '' && !/(?![\n\t])[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(text))

const decimal = fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n })
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null })
const at = fc.nat({ max: 99 })
const several = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 4 })
const place = fc.integer({ min: -32_768, max: 32_767 })

/** An account: things by name, and links between them by their place in the lists. */
const accountsWith = (name: ReturnType<typeof nameOf>) =>
  fc.record({
    categories: several(fc.record({ name: name(50), sort_order: place })),
    units: several(
      fc.record({ name: name(25), display_format: fc.constantFrom('#', "'#'", '# "h"', ': #'), percent: fc.boolean() }),
    ),
    groups: several(
      fc.record({ name: name(50), items: several(fc.record({ name: name(100), archived: fc.boolean() })) }),
    ),
    kpis: several(
      fc.record({
        name: name(100),
        category: at,
        unit: at,
        icon_id: fc.integer({ min: 1, max: 40 }),
        frequency_id: fc.constantFrom('D', 'W', 'M', 'Q', 'Y'),
        description: maybe(name(150)),
        target_default: maybe(decimal),
        value_direction: fc.constantFrom('U', 'D', 'N'),
        aggregate_function: fc.constantFrom('AVG', 'SUM'),
        sort_order: place,
        is_active: fc.boolean(),
      }),
    ),
    formulas: several(
      fc.record({ name: name(100), inputs: fc.array(at, { minLength: 1, maxLength: 3 }), target: maybe(decimal) }),
    ),
    users: several(
      fc.record({
        first_name: name(50),
        last_name: maybe(name(50)),
        user_type: fc.constantFrom('Admin', 'Director', 'Manager', 'User'),
        user_status_id: fc.constantFrom('A', 'L'),
        can_manage_users: fc.boolean(),
      }),
    ),
    assignments: fc.array(fc.record({ user: at, kpi: at, target: maybe(decimal), place }), { maxLength: 8 }),
    links: fc.array(fc.record({ user: at, item: at }), { maxLength: 6 }),
  })
type Account = ReturnType<typeof accountsWith> extends fc.Arbitrary<infer T> ? T : never

const pick = <T>(list: readonly T[], place: number): T | undefined => list[place % Math.max(1, list.length)]
const pairs = <T>(list: readonly T[], key: (one: T) => string): T[] => [
  ...new Map(list.map((one) => [key(one), one])).values(),
]

/** Makes an account of the embedded service what is described. */
const make = async (
  { client, kpi: run }: User,
  account: Account,
  has = { formulas: true, archive: true },
): Promise<void> => {
  for (const one of account.categories) await client.categories.add(one)
  for (const { name, display_format, percent } of account.units)
    await client.units.add({ name, display_format, entry_format: '#.00', is_percentage: percent })
  const categories = await client.categories.list()
  const units = await client.units.list()
  const kpis: { id: number; target_default: bigint | null; is_active: boolean }[] = []
  for (const { category, unit, ...fields } of account.kpis) {
    const ids = { category_id: pick(categories, category)?.id ?? 1, unit_id: pick(units, unit)?.id ?? 1 }
    kpis.push(await client.kpis.add({ ...fields, ...ids }))
  }
  const active = kpis.filter((one) => one.is_active)
  for (const { name, inputs, target } of active.length === 0 || !has.formulas ? [] : account.formulas) {
    const formula = `SUM(${inputs.map((input) => `[${pick(active, input)?.id}]`).join(', ')}) / 2`
    const flags = [
      '--frequency',
      'Y',
      '--formula',
      formula,
      ...(target === null ? [] : [`--target-default=${target % 1000n}`]),
    ]
    expect((await run('service', 'calculated', 'add', `--name=${name}`, ...flags)).stderr).toBe('')
  }
  const items: number[] = []
  const archived: number[] = []
  for (const { name, items: own } of account.groups) {
    const { id } = await client.groups.add({ name })
    for (const item of own) {
      const made = await client.groupItems(id).add({ name: item.name })
      items.push(made.id)
      if (item.archived) archived.push(made.id)
    }
  }
  const users: number[] = []
  for (const [at, user] of account.users.entries())
    users.push((await client.users.add({ ...user, email: `User${at}+x@example.com` })).id)
  for (const { user, kpi, target, place } of pairs(
    account.assignments,
    ({ user, kpi }) => `${pick(users, user)} ${pick(kpis, kpi)?.id}`,
  )) {
    const [owner, of] = [pick(users, user), pick(kpis, kpi)]
    if (owner !== undefined && of)
      await client
        .assignments(owner)
        .add({ id: of.id, sort_order: place, user_target: of.target_default === null ? null : target })
  }
  for (const { user, item } of pairs(account.links, ({ user, item }) => `${pick(users, user)} ${pick(items, item)}`)) {
    const [owner, of] = [pick(users, user), pick(items, item)]
    if (owner !== undefined && of !== undefined) await client.userGroupItems(owner).add({ id: of })
  }
  for (const id of has.archive ? archived : []) await run('breakdown-items', 'update', String(id), '--archived', 'true')
}

const dumped = async (user: User): Promise<string> => {
  const { code, stdout, stderr } = await user.kpi('dump')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** Ways to an account, and what of it can be made there. */
const WAYS = [
  ['on the embedded service', embeddedUser, { formulas: true, archive: true }, 40],
  ['through the classic interface', remoteUser, { formulas: false, archive: false }, 10],
  ['through the newer interface', newerUser, { formulas: false, archive: true }, 10],
] as const

test.each(WAYS)(
  'the plan of a dump is empty, for any account %s',
  { timeout: 120_000 },
  async (_, open, has, numRuns) => {
    await fc.assert(
      fc.asyncProperty(accountsWith(nameOf(4)), async (account) => {
        await using user = await open()
        await make(user, account, has)
        writeFileSync(user.folder.in('kpi.yaml'), await dumped(user))
        const ran = await user.kpi('plan', 'kpi.yaml', '--exit-code', '-o', 'json')
        expect(ran.stderr).toMatch(/^nothing to do/)
        expect(jsonOf(ran)).toEqual([])
      }),
      { numRuns },
    )
  },
)

test('a formula holds the id of one of two KPIs whose name is like an id', async () => {
  await using user = await embeddedUser()
  for (const name of ['#2', '#2', '#3'])
    expect(
      (await user.kpi('kpis', 'create', `--name=${name}`, '--allow-duplicate', '--unit=1', '--icon=1', '--frequency=D'))
        .code,
    ).toBe(0)
  await user.kpi('service', 'calculated', 'add', '--name', 'Half', '--frequency', 'D', '--formula', '[2] / [3]')
  const text = await dumped(user)
  expect(text).toContain('formula: "[2] / [#3]"')
  writeFileSync(user.folder.in('kpi.yaml'), text)
  expect((await user.kpi('plan', 'kpi.yaml')).stderr).toMatch(/^nothing to do/)
})

/** The lines of a dump in any order: what has the same place goes by its id. */
const linesOf = (text: string): string[] => text.replaceAll('  - ', '    ').split('\n').toSorted()

/** Tells whether a dump holds ids, which another account does not know. */
const hasIds = (text: string): boolean => /^ +(?:- )?id: |#\d|formula: .*\[\d+\]/m.test(text)

test('a dump without ids makes another account the same', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(accountsWith(nameOf(0)), async (account) => {
      await using user = await embeddedUser()
      await using other = await embeddedUser()
      await make(user, account)
      const text = await dumped(user)
      fc.pre(!hasIds(text))
      writeFileSync(other.folder.in('kpi.yaml'), text)
      // Drawn names may be signs alone.
      const meant = ['--by-name', 'categories,units,groups,group_items,kpis,calculated,users']
      expect(await other.kpi('apply', 'kpi.yaml', ...meant)).toMatchObject({ code: 0 })
      expect(linesOf(await dumped(other))).toEqual(linesOf(text))
    }),
    { numRuns: 20 },
  )
})
