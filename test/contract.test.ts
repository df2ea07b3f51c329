import { describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { parseDay } from '../src/domain/day.ts'
import type { KpiDraft } from '../src/domain/resources/kpi.ts'
import type { UserDraft } from '../src/domain/resources/user.ts'
import { kpiDraft } from './support/client-questions.ts'
import { differences } from './support/differences.ts'
import { refusal } from './support/refusal.ts'
import { wholeClient } from './support/whole-client.ts'
import { everyWay, waysIn } from './support/service.ts'

const day = (text: string): number => parseDay(text) ?? NaN

const userDraft = (fields: Partial<UserDraft> = {}): UserDraft => ({
  user_type: 'User',
  user_status_id: 'A',
  first_name: 'Ann',
  last_name: 'Lee',
  email: 'ann@example.com',
  ...fields,
})

/** A KPI that is assigned to a user. */
const assigned = async (client: Client, fields: Partial<KpiDraft> = {}): Promise<{ user: number; kpi: number }> => {
  const kpi = await client.kpis.add(kpiDraft(fields))
  const user = await client.users.add(userDraft())
  await client.assignments(user.id).add({ id: kpi.id, sort_order: 1 })
  return { user: user.id, kpi: kpi.id }
}

describe.each(everyWay)('%s', (_, open) => {
  describe('KPIs', () => {
    test('are kept as they were made, with an id, and listed by sort_order then id', async () => {
      await using way = await open()
      const { kpis } = wholeClient(way)
      const first = await kpis.add(kpiDraft({ name: 'B', sort_order: 2, target_default: 12_345_678_901_234_5678n }))
      const second = await kpis.add(kpiDraft({ name: 'A', sort_order: 1, description: ' trimmed ' }))
      expect(first).toMatchObject({ id: 1, name: 'B', target_default: 12_345_678_901_234_5678n, is_calculated: false })
      expect(second).toMatchObject({ id: 2, description: 'trimmed', target_default: null, created_at: 1_795_262_400 })
      expect(await kpis.list()).toEqual([second, first])
      expect(await kpis.get(1)).toEqual(first)
    })

    test('change only in what is sent, and updated_at only when something changed', async () => {
      await using way = await open()
      const { kpis } = wholeClient(way)
      const made = await kpis.add(kpiDraft({ target_default: 100_0000n, description: 'old' }))
      const changed = await kpis.update(made.id, { target_default: null })
      expect(changed).toEqual({ ...made, target_default: null, updated_at: changed.updated_at })
      expect(await kpis.update(made.id, { target_default: null })).toEqual(changed)
      const again = await kpis.update(made.id, { name: 'Revenue' })
      expect(again).toMatchObject({ name: 'Revenue', description: 'old' })
      // Also in the same second.
      expect([made.updated_at < changed.updated_at, changed.updated_at < again.updated_at]).toEqual([true, true])
      expect((await kpis.get(made.id)).target_default).toBeNull()
    })

    test('are removed with their assignments and entries', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      await client.entries.add({ user_id: user, kpi_id: kpi, entry_date: day('2026-01-01'), actual: 1n })
      await client.kpis.remove(kpi)
      expect(await client.assignments(user).list()).toEqual([])
      expect(await client.entries.list({ from: day('2026-01-01'), to: day('2026-01-01') })).toEqual([])
      expect(await refusal(client.kpis.get(kpi))).toMatchObject({
        code: 'not_found',
        message: `there is no KPI ${kpi}`,
      })
    })

    test('are refused with every fault at once', async () => {
      await using way = await open()
      const draft = kpiDraft({
        name: 'x'.repeat(101),
        category_id: 99,
        unit_id: 98,
        icon_id: 97,
        frequency_id: 'X' as 'D',
      })
      const { code, issues } = await refusal(way.client.kpis.add(draft))
      expect(code).toBe('invalid')
      expect(issues.map(({ field }) => field).sort()).toEqual([
        'category_id',
        'frequency_id',
        'icon_id',
        'name',
        'unit_id',
      ])
    })
  })

  describe('users', () => {
    test('have e-mail addresses that are theirs alone, without regard to case', async () => {
      await using way = await open()
      const { users } = wholeClient(way)
      const ann = await users.add(userDraft({ password: 'secret' }))
      expect(ann).toMatchObject({ email: 'ann@example.com', password: null, can_manage_users: false })
      const clash = await refusal(users.add(userDraft({ email: 'ANN@example.com' })))
      expect(clash).toMatchObject({ code: 'conflict', issues: [{ field: 'email' }] })
      const more = await refusal(users.add(userDraft({ email: 'ANN@example.com', first_name: '' })))
      expect(more.code).toBe('invalid')
      expect(more.issues.map(({ field }) => field)).toEqual(['first_name', 'email'])
      expect(await users.update(ann.id, { email: 'Ann@Example.com' })).toMatchObject({ email: 'Ann@Example.com' })
      await users.add(userDraft({ email: 'zo\u00eb@example.com' }))
      for (const email of [
        'zoe\u0308@example.com',
        'ZO\u00cb@example.com',
        'zo\u200b\u00eb@example.com',
        '\uff5ao\u00eb@example.com',
      ])
        expect(await refusal(users.add(userDraft({ email })))).toMatchObject({ code: 'conflict' })
    })

    test('with entries are locked, not deleted; the last active one neither', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      await client.entries.add({ user_id: user, kpi_id: kpi, entry_date: day('2026-01-01'), actual: 1n })
      expect(await refusal(client.users.remove(user))).toMatchObject({ code: 'conflict' })
      expect(await client.users.update(user, { user_status_id: 'L' })).toMatchObject({ user_status_id: 'L' })
      const [admin] = await client.users.list()
      expect(await refusal(client.users.remove(admin?.id ?? 0))).toMatchObject({ code: 'conflict' })
      expect(await refusal(client.users.update(admin?.id ?? 0, { user_status_id: 'L' }))).toMatchObject({
        code: 'conflict',
      })
    })

    test('without entries are deleted with their assignments', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user } = await assigned(client)
      await client.users.remove(user)
      expect((await client.users.list()).map(({ id }) => id)).not.toContain(user)
    })
  })

  describe('catalog', () => {
    test('starts with what every account has', async () => {
      await using way = await open()
      const client = wholeClient(way)
      expect((await client.categories.list()).map(({ name }) => name)).toEqual(['General'])
      expect((await client.units.list()).map(({ name }) => name)).toEqual(['Number', 'Decimal', 'Percent', 'Currency'])
      expect((await client.frequencies.list()).map(({ id }) => id)).toEqual(['D', 'M', 'Q', 'W', 'Y'])
      expect(await client.frequencies.get('W')).toEqual({ id: 'W', name: 'Weekly' })
      expect((await client.icons.list()).length).toBeGreaterThanOrEqual(30)
      expect(await refusal(client.frequencies.get('X'))).toMatchObject({ code: 'not_found' })
    })

    test('keeps what KPIs use', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const category = await client.categories.add({ name: 'Finance' })
      expect(category.sort_order).toBe(2)
      const unit = await client.units.add({
        name: 'Pieces',
        entry_format: '#',
        display_format: '#',
        is_percentage: false,
      })
      const kpi = await client.kpis.add(kpiDraft({ category_id: category.id, unit_id: unit.id }))
      expect(await refusal(client.categories.remove(category.id))).toMatchObject({ code: 'conflict' })
      expect(await refusal(client.units.remove(unit.id))).toMatchObject({ code: 'conflict' })
      await client.kpis.remove(kpi.id)
      await client.categories.remove(category.id)
      await client.units.remove(unit.id)
    })
  })

  describe('assignments', () => {
    test('are made once, in order of sort_order, with targets only where the KPI has one', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const other = await client.kpis.add(kpiDraft({ name: 'Visits', target_default: 10_0000n }))
      const mine = client.assignments(user)
      expect(await refusal(mine.add({ id: kpi, sort_order: 2 }))).toMatchObject({ code: 'conflict' })
      expect(await refusal(mine.update(kpi, { user_target: 1n }))).toMatchObject({
        code: 'invalid',
        issues: [{ field: 'user_target' }],
      })
      await mine.add({ id: other.id, sort_order: 0, user_target: 20_0000n })
      expect((await mine.list()).map(({ id, user_target }) => [id, user_target])).toEqual([
        [other.id, 20_0000n],
        [kpi, null],
      ])
      await client.kpis.update(other.id, { target_default: null })
      expect((await mine.get(other.id)).user_target).toBeNull()
      await client.kpis.update(other.id, { target_default: 10_0000n })
      expect((await mine.get(other.id)).user_target).toBe(20_0000n)
      await mine.remove(kpi)
      expect(await refusal(mine.remove(kpi))).toMatchObject({ code: 'not_found' })
      expect(await refusal(client.assignments(99).list())).toMatchObject({ code: 'not_found' })
    })
  })

  describe('groups and their items', () => {
    test('are made, shown, listed in order, changed and removed', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const region = await client.groups.add({ name: 'Region' })
      expect(region).toMatchObject({ id: 2, name: 'Region', sort_order: 1, created_at: 1_795_262_400 })
      const items = client.groupItems(region.id)
      const north = await items.add({ name: 'North' })
      const south = await items.add({ name: ' South ', sort_order: 0 })
      expect(south).toMatchObject({ group_id: region.id, name: 'South', sort_order: 0 })
      expect(await items.list()).toEqual([south, north])
      expect(await items.get(north.id)).toEqual(north)
      expect(await items.update(north.id, { name: 'Nord' })).toMatchObject({ name: 'Nord', sort_order: 1 })
      expect(await client.groups.update(region.id, { sort_order: 7 })).toMatchObject({ name: 'Region', sort_order: 7 })
      expect(await refusal(client.groups.remove(region.id))).toMatchObject({ code: 'conflict' })
      for (const { id } of [north, south]) await items.remove(id)
      await client.groups.remove(region.id)
      expect(await client.groups.list()).toEqual([])
      expect(await refusal(items.list())).toMatchObject({ code: 'not_found', message: 'there is no group 2' })
    })

    test('are never the people', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user } = await assigned(client)
      expect(await client.groups.list()).toEqual([])
      expect(await refusal(client.groups.get(1))).toMatchObject({ code: 'not_found' })
      expect(await refusal(client.groups.update(1, { name: 'x' }))).toMatchObject({ code: 'not_found' })
      expect(await refusal(client.groups.remove(1))).toMatchObject({ code: 'not_found' })
      expect(await refusal(client.groupItems(1).add({ name: 'x' }))).toMatchObject({ code: 'not_found' })
      expect(await refusal(client.groupItems(1).get(user))).toMatchObject({ code: 'not_found' })
      expect(await refusal(client.userGroupItems(user).add({ id: user }))).toMatchObject({
        code: 'invalid',
        issues: [{ field: 'id', message: `there is no group item ${user}` }],
      })
    })

    test('belong to users, once each', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user } = await assigned(client)
      const group = await client.groups.add({ name: 'Region' })
      const item = await client.groupItems(group.id).add({ name: 'North' })
      const mine = client.userGroupItems(user)
      const held = await mine.add({ id: item.id })
      expect(held).toMatchObject({ user_id: user, group_id: group.id, group_name: 'Region', name: 'North' })
      expect(await mine.list()).toEqual([held])
      expect(await mine.get(item.id)).toEqual(held)
      expect(await refusal(mine.add({ id: item.id }))).toMatchObject({ code: 'conflict', issues: [{ field: 'id' }] })
      await mine.remove(item.id)
      expect(await refusal(mine.remove(item.id))).toMatchObject({ code: 'not_found' })
      expect(await refusal(client.userGroupItems(99).list())).toMatchObject({ code: 'not_found' })
      await mine.add({ id: item.id })
      await client.groupItems(group.id).remove(item.id)
      expect(await mine.list()).toEqual([])
    })

    test('stay while entries carry them', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const group = await client.groups.add({ name: 'Region' })
      const item = await client.groupItems(group.id).add({ name: 'North' })
      await client.userGroupItems(user).add({ id: item.id })
      const entry = await client.entries.add({ user_id: user, kpi_id: kpi, entry_date: 0, actual: 1n })
      await client.userGroupItems(user).remove(item.id)
      expect(await refusal(client.groupItems(group.id).remove(item.id))).toMatchObject({ code: 'conflict' })
      await client.entries.remove(entry.id)
      await client.groupItems(group.id).remove(item.id)
    })
  })

  describe('the KPIs of a category', () => {
    test('are made, shown, changed and removed there, and nowhere else', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { id } = await client.categories.add({ name: 'Finance' })
      const finance = client.categoryKpis(id)
      const made = await finance.add(kpiDraft({ category_id: 99 }))
      expect(made).toMatchObject({ category_id: id, name: 'Sales' })
      expect(await finance.list()).toEqual([made])
      expect(await client.categoryKpis(1).list()).toEqual([])
      expect(await refusal(client.categoryKpis(1).get(made.id))).toMatchObject({ code: 'not_found' })
      expect(await finance.update(made.id, { category_id: 1, name: 'Profit' })).toMatchObject({
        category_id: id,
        name: 'Profit',
      })
      await client.kpis.update(made.id, { category_id: 1 })
      expect(await refusal(finance.remove(made.id))).toMatchObject({ code: 'not_found' })
      await client.categoryKpis(1).remove(made.id)
      expect(await client.kpis.list()).toEqual([])
    })
  })

  describe('entries', () => {
    const date = day('2026-03-01')

    test('are upserted by user, KPI and date: what is not sent stays, null clears', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client, { target_default: 1_0000n })
      const key = { user_id: user, kpi_id: kpi, entry_date: date }
      const made = await client.entries.add({ ...key, actual: 5_0000n, target: 7_0000n, notes: 'first' })
      expect(made).toMatchObject({ ...key, actual: 5_0000n, target: 7_0000n, notes: 'first' })
      const again = await client.entries.add({ ...key, actual: 6_0000n, notes: null })
      expect(again).toMatchObject({ id: made.id, actual: 6_0000n, target: 7_0000n, notes: null })
      expect(await client.entries.add({ ...key, actual: 1_0000n, addToActual: true })).toMatchObject({
        actual: 7_0000n,
      })
      expect(await client.entries.add({ ...key, actual: 9n, setActual: false })).toMatchObject({ actual: 7_0000n })
      expect(
        await client.entries.add({ ...key, user_id: undefined, email: 'ANN@example.com', actual: 1n }),
      ).toMatchObject({ actual: 1n })
    })

    test('keep a target hidden while their KPI has none', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const key = { user_id: user, kpi_id: kpi, entry_date: date }
      expect(await client.entries.add({ ...key, actual: 1n, target: 2n })).toMatchObject({ target: null })
      expect(await refusal(client.entries.add({ ...key, entry_date: date + 1, target: 2n }))).toMatchObject({
        code: 'invalid',
      })
    })

    test.each([
      ['nobody', {}, ['user_id']],
      ['a user that does not exist', { user_id: 99 }, ['user_id']],
      ['a KPI that does not exist', { kpi_id: 99 }, ['kpi_id']],
      ['somebody and the address of somebody else', { email: 'admin@localhost' }, ['email']],
      ['no value at all', { actual: undefined }, ['actual']],
      ['a date beyond the years', { entry_date: day('2200-01-01') }, ['entry_date']],
      ['a value of 15 digits', { actual: 10n ** 18n }, ['actual']],
      [
        'everything wrong at once',
        { user_id: 99, kpi_id: 98, entry_date: day('1899-12-31'), actual: 10n ** 18n },
        ['actual', 'entry_date', 'kpi_id', 'user_id'],
      ],
    ])('for %s are refused', async (_name, change, fields) => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const draft = { user_id: user, kpi_id: kpi, entry_date: date, actual: 1n, ...change }
      const sent = 'user_id' in change || fields[0] !== 'user_id' ? draft : { ...draft, user_id: undefined }
      const { code, issues } = await refusal(client.entries.add(sent))
      expect({ code, fields: issues.map(({ field }) => field).sort() }).toEqual({ code: 'invalid', fields })
    })

    test.each([
      [
        'a locked user',
        async (client: Client, user: number) => client.users.update(user, { user_status_id: 'L' }),
        'user_id',
      ],
      [
        'an inactive KPI',
        async (client: Client, _user: number, kpi: number) => client.kpis.update(kpi, { is_active: false }),
        'kpi_id',
      ],
      [
        'a KPI that is not assigned',
        async (client: Client, user: number, kpi: number) => client.assignments(user).remove(kpi),
        'kpi_id',
      ],
    ])('of %s take no new values, but history can be corrected', async (_name, close, field) => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const entry = await client.entries.add({ user_id: user, kpi_id: kpi, entry_date: date, actual: 1n })
      await close(client, user, kpi)
      const refused = await refusal(
        client.entries.add({ user_id: user, kpi_id: kpi, entry_date: date + 1, actual: 1n }),
      )
      expect(refused).toMatchObject({ code: 'invalid', issues: [{ field }] })
      expect(await client.entries.update(entry.id, { actual: 2n })).toMatchObject({ actual: 2n })
      const moved = await refusal(client.entries.update(entry.id, { entry_date: date + 1 }))
      expect(moved).toMatchObject({ code: 'invalid', issues: [{ field }] })
      await client.entries.remove(entry.id)
    })

    test('move to another key, but not onto one that is taken', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const one = await client.entries.add({ user_id: user, kpi_id: kpi, entry_date: date, actual: 1n })
      const two = await client.entries.add({ user_id: user, kpi_id: kpi, entry_date: date + 1, actual: 2n })
      expect(await refusal(client.entries.update(one.id, { entry_date: two.entry_date }))).toMatchObject({
        code: 'conflict',
      })
      expect(await client.entries.update(one.id, { entry_date: date + 2 })).toMatchObject({
        id: one.id,
        entry_date: date + 2,
      })
    })

    test('are listed by day then id, within days, for a user or KPI, a page at a time', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const batch = Array.from({ length: 600 }, (_item, at) => ({
        user_id: user,
        kpi_id: kpi,
        entry_date: date + at,
        actual: BigInt(at),
      }))
      await client.entries.addMany(batch)
      const [first, second] = await Promise.all(
        [1, 2].map((page) => client.entries.list({ from: date, to: date + 599, page })),
      )
      expect([first?.length, second?.length]).toEqual([500, 100])
      expect([...(first ?? []), ...(second ?? [])].map(({ entry_date }) => entry_date)).toEqual(
        batch.map(({ entry_date }) => entry_date),
      )
      expect(await client.entries.list({ from: date, to: date + 9, userId: user, kpiId: kpi })).toHaveLength(10)
      expect(await client.entries.list({ from: date, to: date + 9, userId: 1 })).toEqual([])
      expect(await refusal(client.entries.list({ from: date + 1, to: date }))).toMatchObject({ code: 'malformed' })
    })
  })

  describe('batches', () => {
    const date = day('2026-03-01')

    test('add, update and leave, and count rows', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const row = (at: number, actual: bigint): object => ({
        user_id: user,
        kpi_id: kpi,
        entry_date: date + at,
        actual,
      })
      const send = (...rows: object[]): Promise<unknown> => client.entries.addMany(rows as never)
      expect(await send(row(0, 1n), row(1, 1n))).toEqual({
        rows_added: 2,
        rows_created: 2,
        rows_updated: 0,
        rows_unchanged: 0,
      })
      expect(await send(row(1, 1n), row(2, 1n), row(0, 5n), row(2, 9n), row(2, 9n))).toEqual({
        rows_added: 3,
        rows_created: 1,
        rows_updated: 2,
        rows_unchanged: 2,
      })
      const entries = await client.entries.list({ from: date, to: date + 2 })
      expect(entries.map(({ id, actual }) => [id, actual])).toEqual([
        [1, 5n],
        [2, 1n],
        [3, 9n],
      ])
    })

    test('store nothing when a row is bad, and name every bad row', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const good = { user_id: user, kpi_id: kpi, entry_date: date, actual: 1n }
      const { code, issues } = await refusal(
        client.entries.addMany([good, { ...good, kpi_id: 99 }, good, { ...good, user_id: 98, actual: 10n ** 18n }]),
      )
      expect(code).toBe('invalid')
      expect(issues.map(({ index, field }) => [index, field])).toEqual([
        [1, 'kpi_id'],
        [3, 'actual'],
        [3, 'user_id'],
      ])
      expect(await client.entries.list({ from: date, to: date })).toEqual([])
    })

    test('are judged row by row on what the rows before leave', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const key = { user_id: user, kpi_id: kpi, entry_date: date }
      await client.entries.addMany([
        { ...key, actual: 1n },
        { ...key, actual: 2n, addToActual: true },
        { ...key, notes: 'n' },
      ])
      expect(await client.entries.list({ from: date, to: date })).toMatchObject([{ actual: 3n, notes: 'n' }])
      expect(
        await refusal(
          client.entries.addMany([
            { ...key, notes: null },
            { ...key, actual: null },
          ]),
        ),
      ).toMatchObject({ issues: [{ index: 1, field: 'actual' }] })
    })

    test.each([
      ['an empty list', 0],
      ['more than 5,000 rows', 5001],
    ])('are refused for %s', async (_name, rows) => {
      await using way = await open()
      const draft = { user_id: 1, kpi_id: 1, entry_date: date, actual: 1n }
      const refused = await refusal(way.client.entries.addMany(Array.from({ length: rows }, () => draft)))
      expect(refused).toMatchObject({ code: 'invalid', issues: [{ field: 'entries' }] })
    })
  })

  describe('the report', () => {
    test('tells periods, targets and names, exactly', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client, {
        frequency_id: 'W',
        aggregate_function: 'AVG',
        target_default: 10_0000n,
      })
      await client.assignments(user).update(kpi, { user_target: 4_0000n })
      const monday = day('2026-11-16')
      await client.entries.addMany([
        { user_id: user, kpi_id: kpi, entry_date: monday, actual: 1n, notes: 'a' },
        { user_id: user, kpi_id: kpi, entry_date: monday + 6, actual: 2n, target: 5_0000n, notes: 'b' },
        { user_id: user, kpi_id: kpi, entry_date: monday + 7, actual: 9n },
      ])
      const { rows, total } = await client.report({ from: monday, to: monday + 6 })
      expect(total).toBe(1)
      expect(rows).toEqual([
        {
          kpiId: kpi,
          kpiName: 'Sales',
          kpiDescription: null,
          itemId: user,
          itemName: 'Ann Lee',
          periodId: 'W',
          period: 'Weekly',
          labelFormat: '#',
          isPercentage: 0,
          hasTarget: 1,
          direction: 'U',
          directionName: 'Up',
          entryDate: monday,
          actual: 2n,
          target: 4_5000n,
          notes: 'a\nb',
        },
      ])
      expect(await client.report({ from: monday + 1, to: monday + 6 })).toEqual({ rows: [], total: 0 })
      expect((await client.report({ from: monday, to: monday, kpiIds: [99] })).rows).toEqual([])
      expect((await client.report({ from: monday, to: monday, userIds: [user, 99] })).rows).toHaveLength(1)
      expect(await refusal(client.report({ from: monday + 1, to: monday }))).toMatchObject({ code: 'malformed' })
    })

    test('gives the first rows, as many as one answer holds, and says how many there are', async () => {
      await using way = await open()
      const client = wholeClient(way)
      const { user, kpi } = await assigned(client)
      const first = day('1990-01-01')
      const most = client.reportRows
      const all = most + 500
      for (let start = 0; start < all; start += 5000) {
        const rows = Array.from({ length: Math.min(5000, all - start) }, (_item, at) => ({
          user_id: user,
          kpi_id: kpi,
          entry_date: first + start + at,
          actual: 1n,
        }))
        await client.entries.addMany(rows)
      }
      const { rows, total } = await client.report({ from: first, to: first + most + 1000 })
      expect([rows.length, total, rows[0]?.entryDate, rows.at(-1)?.entryDate]).toEqual([
        most,
        all,
        first,
        first + most - 1,
      ])
    })
  })

  describe('what is meant to differ', () => {
    const seen = differences.flatMap(({ name, client }) => (client ? [[name, client] as const] : []))
    test.each(seen)('%s', async (_name, { ask, told }) => {
      await using way = await open()
      expect(await ask(way)).toEqual(told[way.client.variant])
    })
  })
})

describe.each(waysIn('v1'))('v1 alone, %s', (_, open) => {
  test('has breakdown items, which are the group items of the classic interface', async () => {
    await using way = await open()
    const { client, application } = way
    const { id: breakdown_id } = await application.groups.add({ name: 'Region' })
    const north = await client.breakdownItems.add({ breakdown_id, name: 'North' })
    expect(north).toMatchObject({ breakdown_id, name: 'North', user_id: null, is_archived: false, sort_order: 1 })
    const ofGroup = application.groupItems(breakdown_id)
    const south = await ofGroup.add({ name: 'South' })
    expect(await ofGroup.get(north.id)).toMatchObject({ group_id: breakdown_id, name: 'North' })
    const shut = await client.breakdownItems.update(south.id, { is_archived: true })
    expect(shut).toMatchObject({ id: south.id, name: 'South', is_archived: true })
    expect(await client.breakdownItems.list({ breakdownId: breakdown_id })).toEqual([north, shut])
    expect(await client.breakdownItems.list({ archived: true })).toEqual([shut])
    await client.breakdownItems.remove(north.id)
    expect((await ofGroup.list()).map(({ id }) => id)).toEqual([south.id])
  })

  test('has an item for each person, which is changed with the user alone', async () => {
    await using way = await open()
    const { client, application } = way
    const { id } = await application.users.add(userDraft())
    const item = await client.breakdownItems.get(id)
    expect(item).toMatchObject({ user_id: id, name: 'Ann Lee', is_archived: false })
    for (const patch of [{ name: 'x' }, { is_archived: true }]) {
      expect(await refusal(client.breakdownItems.update(id, patch))).toMatchObject({ code: 'forbidden' })
    }
    expect(await refusal(client.breakdownItems.remove(id))).toMatchObject({ code: 'forbidden' })
    await application.users.update(id, { first_name: 'Anna', user_status_id: 'L' })
    expect(await client.breakdownItems.get(id)).toMatchObject({ name: 'Anna Lee', is_archived: true })
  })

  test('has entries of any item, none new of an archived one, and those of a person by either name', async () => {
    await using way = await open()
    const { client, application } = way
    const { user, kpi } = await assigned(wholeClient(way))
    const { id: breakdown_id } = await application.groups.add({ name: 'Region' })
    const { id: source_id } = await client.breakdownItems.add({ breakdown_id, name: 'North' })
    const key = { kpi_id: kpi, entry_date: day('2026-03-01') }
    const one = await client.entries.add({ ...key, source_id, actual: 1n })
    expect(await client.entries.add({ ...key, source_id, notes: 'n' })).toMatchObject({ id: one.id, actual: 1n })
    const ofUser = await client.entries.add({ ...key, user_id: user, actual: 2n })
    expect(await client.entries.add({ ...key, source_id: user, actual: 3n })).toMatchObject({
      id: ofUser.id,
      actual: 3n,
    })
    expect(await client.entries.addMany([{ ...key, source_id, actual: 4n }])).toMatchObject({ rows_updated: 1 })
    await client.breakdownItems.update(source_id, { is_archived: true })
    const late = await refusal(client.entries.add({ ...key, entry_date: key.entry_date + 1, source_id, actual: 1n }))
    expect(late).toMatchObject({ code: 'invalid', issues: [{ field: 'source_id' }] })
    expect(await client.entries.update(one.id, { actual: 5n })).toMatchObject({ source_id, user_id: null, actual: 5n })
    expect(await application.entries.get(one.id)).toMatchObject({ user_id: null, actual: 5n })
  })
})
