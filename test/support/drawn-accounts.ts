import fc from 'fast-check'
import { expect } from 'vitest'
import type { User } from './user.ts'

/** Names that YAML, or the marks of ids, could take for something else. */
const ODD = `#1|#2|'#1|''#2|1|007|null|~|yes|true|- a|a: b|a #b|[3]|{a}|"q"|it's|& a|* a|! a|> a|% a|@a|\`a\`|1e3|0x1F
2026-01-01|<<|=|? a|a,b|Name|name|__proto__|constructor|...|---|é|日本|😀|:|"|-|- x|0x1|1.0|-1|.5|a'|[1]|[#1]|a[b]|+|é`
  .split(/[|\n]/)
  .concat('a|b', '| a', 'a\nb', 'a\tb', 'a\n\nb: c', 'x'.repeat(200))

/** Names of which several things have the same, or that are the ids of others. */
const COMMON = ['#1', '#2', '#3', '1', '2', '3', "'#2", 'all', 'a', 'A']

/** Texts as names, of which `common` in `common + 4` are such that several things have them. */
export const nameOf = (common: number) => (max: number) =>
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
export const accountsWith = (name: ReturnType<typeof nameOf>) =>
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
export type Account = ReturnType<typeof accountsWith> extends fc.Arbitrary<infer T> ? T : never

const pick = <T>(list: readonly T[], place: number): T | undefined => list[place % Math.max(1, list.length)]
const pairs = <T>(list: readonly T[], key: (one: T) => string): T[] => [
  ...new Map(list.map((one) => [key(one), one])).values(),
]

/** Makes an account of the embedded service what is described. */
export const make = async (
  { client, kpi: run }: Pick<User, 'client' | 'kpi'>,
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
    const meant = ['--allow-duplicate', '--by-name', 'name']
    const of = ['--frequency', 'Y', '--formula', formula, `--name=${name}`]
    const flags = target === null ? meant : [...meant, `--target-default=${target % 1000n}`]
    expect(await run('service', 'calculated', 'add', ...of, ...flags)).toMatchObject({ code: 0 })
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

/** Returns the dump of an account. */
export const dumped = async (user: User): Promise<string> => {
  const { code, stdout, stderr } = await user.kpi('dump')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** The lines of a dump in any order: what has the same place goes by its id. */
export const linesOf = (text: string): string[] => text.replaceAll('  - ', '    ').split('\n').toSorted()

/** Tells whether a dump holds ids, which another account does not know. */
export const hasIds = (text: string): boolean => /^ +(?:- )?id: |#\d|formula: .*\[\d+\]/m.test(text)
