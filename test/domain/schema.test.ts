import { describe, expect, expectTypeOf, test } from 'vitest'
import { readDraft } from '../../src/codec/json.ts'
import { type Entry, entry, type EntryDraft, type EntryPatch } from '../../src/domain/resources/entry.ts'
import { resources } from '../../src/domain/resources/index.ts'
import { user } from '../../src/domain/resources/user.ts'
import { completeRecord, type Field, type Stored } from '../../src/domain/schema.ts'
import { columnsOf } from '../../src/store/tables/table.ts'

/** A field as the interface's tables say it: `M` mandatory, `RO` read only, `W` write only, `N` newer only, the longest text. */
const described = (name: string, { kind, max, ...is }: Field): string => {
  const marks = [is.readOnly && 'RO', is.required && 'M', is.writeOnly && 'W', is.newer && 'N', is.nullable && '?', max]
  return [name, kind, ...marks.filter((mark) => mark !== undefined)].join(' ')
}

const MADE = ['created_at datetime RO', 'updated_at datetime RO']

describe('the field table', () => {
  test.each([
    [
      'kpi',
      [
        'id integer RO',
        'category_id integer M',
        'icon_id int16 M',
        'unit_id integer M',
        'frequency_id choice M',
        'name text M 100',
        'description text ? 150',
        'target_default decimal ?',
        'value_direction choice M',
        'aggregate_function choice M',
        'sort_order int16 M',
        'is_active boolean M',
        'is_calculated boolean RO',
        ...MADE,
      ],
    ],
    ['assignment', ['id integer M', 'user_id integer RO', 'user_target decimal ?', 'sort_order int16 M', ...MADE]],
    [
      'user',
      [
        'id integer RO',
        'user_type choice M',
        'user_status_id choice M',
        'first_name text M 50',
        'last_name text ? 50',
        'email text M 150',
        'password text ? 20',
        'can_manage_users boolean',
        'can_admin_settings boolean',
        'last_login_at datetime RO ?',
        'last_password_changed_at datetime RO ?',
        ...MADE,
      ],
    ],
    [
      'user_group_item',
      [
        'user_id integer RO',
        'id integer M',
        'group_id integer RO',
        'group_name text RO',
        'name text RO',
        'created_at datetime RO',
      ],
    ],
    ['group', ['id integer RO', 'name text M 50', 'sort_order int16', ...MADE]],
    ['group_item', ['id integer RO', 'group_id integer RO', 'name text M 100', 'sort_order int16', ...MADE]],
    ['category', ['id integer RO', 'name text M 50', 'sort_order int16', ...MADE]],
    ['frequency', ['id choice RO', 'name text RO']],
    [
      'unit',
      [
        'id integer RO',
        'name text M 25',
        'entry_format text M 25',
        'display_format text M 25',
        'is_percentage boolean M',
        ...MADE,
      ],
    ],
    ['icon', ['id int16 RO', 'name text RO']],
    [
      'entry',
      [
        'id integer RO',
        'user_id integer ?',
        'email text W ? 150',
        'source_id integer N ?',
        'kpi_id integer M',
        'entry_date date M',
        'actual decimal ?',
        'target decimal ?',
        'notes text ? 500',
        ...MADE,
        'setActual boolean W',
        'setTarget boolean W',
        'setNotes boolean W',
        'addToActual boolean W',
      ],
    ],
    [
      'breakdown_item',
      [
        'id integer RO',
        'breakdown_id integer M',
        'name text M 100',
        'user_id integer RO ?',
        'is_archived boolean',
        'sort_order int16',
        ...MADE,
      ],
    ],
    [
      'report_row',
      [
        'kpiId integer RO',
        'kpiName text RO',
        'kpiDescription text RO ?',
        'itemId integer RO',
        'itemName text RO',
        'periodId choice RO',
        'period text RO',
        'labelFormat text RO',
        'isPercentage integer RO',
        'hasTarget integer RO',
        'direction choice RO',
        'directionName text RO',
        'entryDate date RO',
        'actual decimal RO ?',
        'target decimal RO ?',
        'notes text RO ?',
      ],
    ],
  ])('of %s is that of the interface, in its order', (name, fields) => {
    const of = resources.find((one) => one.name === name)
    // Fields that are shown on request only are no part of the interface.
    const own = Object.entries<Field>(of?.fields ?? {}).filter(([, { onRequest }]) => !onRequest)
    expect(own.map(([field, is]) => described(field, is))).toEqual(fields)
  })

  test.each([
    ['frequency_id', ['D', 'W', 'M', 'Q', 'Y']],
    ['value_direction', ['U', 'D', 'N']],
    ['aggregate_function', ['AVG', 'SUM']],
    ['user_type', ['Admin', 'Director', 'Manager', 'User']],
    ['user_status_id', ['A', 'L']],
  ])('offers for %s only %j', (name, choices) => {
    const found = resources.flatMap(({ fields }) => fields[name]?.oneOf ?? [])
    expect(found).toEqual(choices)
  })

  test.each(resources.map((of) => [of.name, of] as const))('of %s divides its fields without losing one', (_, of) => {
    const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name)
    const all = Object.entries<Field>(of.fields).filter(([, { newer, onRequest }]) => !newer && !onRequest)
    expect(names(of.shown)).toEqual(all.filter(([, { writeOnly }]) => !writeOnly).map(([name]) => name))
    expect(names(of.writable)).toEqual(all.filter(([, { readOnly }]) => !readOnly).map(([name]) => name))
    expect(names(of.shown)).toEqual(expect.arrayContaining(names(of.brief)))
  })

  test('has what only the newer variant has, which the classic interface neither shows nor takes nor keeps', () => {
    expect(Object.keys(entry.fields)).toContain('source_id')
    for (const fields of [entry.shown, entry.writable, entry.brief, columnsOf(entry)]) {
      expect(fields.map(({ name }) => name)).not.toContain('source_id')
    }
    expectTypeOf<Stored<typeof entry>>().not.toHaveProperty('source_id')
    expectTypeOf<Entry & EntryDraft & EntryPatch>().toHaveProperty('source_id')
    expect(readDraft(entry, { kpi_id: 1, entry_date: '2026-03-02', source_id: 7 }, true)).toEqual({
      values: { kpi_id: 1, entry_date: 20_514 },
      issues: [],
    })
  })

  test.each(
    resources.flatMap(({ name, shown }) => shown.flatMap(({ field: { refers } }) => (refers ? [[name, refers]] : []))),
  )('of %s refers to %s, which there is', (_, refers) => {
    expect(resources.map(({ name }) => name)).toContain(refers)
  })
})

describe('a complete record', () => {
  const automatic = { id: 7, created_at: 1, updated_at: 2 }

  test('has what was given, what the service sets, the usual for the rest, and never a secret', () => {
    const given = { user_type: 'User', user_status_id: 'A', first_name: 'Ann', email: 'a@b', password: 'secret' }
    expect(completeRecord(user, { ...given, can_manage_users: true }, automatic)).toEqual({
      id: 7,
      user_type: 'User',
      user_status_id: 'A',
      first_name: 'Ann',
      last_name: null,
      email: 'a@b',
      password: null,
      can_manage_users: true,
      can_admin_settings: false,
      last_login_at: null,
      last_password_changed_at: null,
      created_at: 1,
      updated_at: 2,
    })
  })

  test('of what was there before changes only in what was given, null included', () => {
    const before = completeRecord(user, { first_name: 'Ann', last_name: 'Lee', can_manage_users: true }, automatic)
    expect(completeRecord(user, { last_name: null }, before)).toEqual({ ...before, last_name: null })
    expect(completeRecord(user, {}, before)).toEqual(before)
  })
})
