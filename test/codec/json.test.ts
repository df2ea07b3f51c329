import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactJson } from '../../src/codec/json-number.ts'
import {
  checkDraft,
  draftToJson,
  type Json,
  readDraft,
  readJson,
  readPatch,
  recordFromJson,
  recordToJson,
} from '../../src/codec/json.ts'
import { Fault } from '../../src/domain/errors.ts'
import { entry } from '../../src/domain/resources/entry.ts'
import { category } from '../../src/domain/resources/catalog.ts'
import { type Kpi, kpi } from '../../src/domain/resources/kpi.ts'
import { user } from '../../src/domain/resources/user.ts'
import type { Field, FieldValue, FieldKind } from '../../src/domain/schema.ts'
import { day } from '../support/calendar.ts'

const fault = (message: string): Fault =>
  new Fault(message, message.startsWith('must ') ? 'must' : message.startsWith('is ') ? 'is' : undefined)
const WHOLE = fault('must be a whole number')
const INT16 = fault('must be a whole number from -32768 to 32767')
const NUMBER = fault('must be a number')
const TOO_LARGE = fault('must have at most 14 digits before the decimal point')
const BOOLEAN = fault('must be true or false')
const TEXT = fault('must be text')
const DATE = fault('must be a date, YYYY-MM-DD')

describe('a value in JSON', () => {
  const field = (kind: FieldKind): Field => ({ kind, about: '', ...(kind === 'choice' && { oneOf: ['U', 'D'] }) })
  const SAME = 'same in both'

  // What the classic interface makes of it, and what the newer one does.
  test.each<[FieldKind, string, FieldValue | Fault, FieldValue | Fault]>([
    ['integer', '7', 7, SAME],
    ['integer', '7.0', 7, SAME],
    ['integer', '7e0', 7, SAME],
    ['integer', '9007199254740991', 9_007_199_254_740_991, SAME],
    ['integer', '9007199254740993', WHOLE, SAME],
    ['integer', '1e300', WHOLE, SAME],
    ['integer', '7.5', WHOLE, SAME],
    ['integer', '"7"', 7, WHOLE],
    ['integer', '" -7 "', -7, WHOLE],
    ['integer', '"7.5"', WHOLE, WHOLE],
    ['integer', '"7e0"', WHOLE, WHOLE],
    ['integer', '"seven"', WHOLE, WHOLE],
    ['integer', 'true', WHOLE, SAME],
    ['int16', '32767', 32_767, SAME],
    ['int16', '-32768', -32_768, SAME],
    ['int16', '32768', INT16, SAME],
    ['int16', '-32769', INT16, SAME],
    ['int16', '"32768"', INT16, INT16],
    ['decimal', '50', 50_0000n, SAME],
    ['decimal', '-0', 0n, SAME],
    ['decimal', '0.1', 1000n, SAME],
    ['decimal', '1.5E+3', 1500_0000n, SAME],
    ['decimal', '1e-5', 0n, SAME],
    ['decimal', '0.00005', 1n, SAME],
    ['decimal', '-0.00005', -1n, SAME],
    ['decimal', '99999999999999.9999', 99_999_999_999_999_9999n, SAME],
    ['decimal', '12345678901234.56785', 12_345_678_901_234_5679n, SAME],
    ['decimal', '1234567890123456e-4', 123_456_789_012_3456n, SAME],
    ['decimal', '0.0000000000000000001e19', 1_0000n, SAME],
    ['decimal', '99999999999999.99995', TOO_LARGE, SAME],
    ['decimal', '100000000000000', TOO_LARGE, SAME],
    ['decimal', '1e300', TOO_LARGE, SAME],
    // A number like any other, only larger than a double can be.
    ['decimal', '1e400', TOO_LARGE, SAME],
    ['decimal', '-1e400', TOO_LARGE, SAME],
    ['decimal', '"12.5"', 12_5000n, NUMBER],
    ['decimal', '" -12.50 "', -12_5000n, NUMBER],
    ['decimal', '"99999999999999.9999"', 99_999_999_999_999_9999n, NUMBER],
    ['decimal', '"1e3"', NUMBER, NUMBER],
    ['decimal', '".5"', NUMBER, NUMBER],
    ['decimal', '"5."', NUMBER, NUMBER],
    ['decimal', '"+5"', NUMBER, NUMBER],
    ['decimal', '"1,5"', NUMBER, NUMBER],
    ['decimal', '"NaN"', NUMBER, NUMBER],
    ['decimal', '""', null, NUMBER],
    ['decimal', 'true', NUMBER, SAME],
    ['boolean', 'true', true, SAME],
    ['boolean', 'false', false, SAME],
    ['boolean', '"true"', true, BOOLEAN],
    ['boolean', '" false "', false, BOOLEAN],
    ['boolean', '"True"', BOOLEAN, BOOLEAN],
    ['boolean', '"yes"', BOOLEAN, BOOLEAN],
    ['boolean', '1', BOOLEAN, SAME],
    ['text', '" two\\r\\nlines "', 'two\nlines', SAME],
    ['text', '"  "', null, SAME],
    ['text', '"5"', '5', SAME],
    ['text', '5', TEXT, SAME],
    ['text', '12345678901234567890', TEXT, SAME],
    ['text', 'false', TEXT, SAME],
    ['text', '"\\u0000"', fault('has characters that text cannot hold, such as control characters'), SAME],
    ['text', '"\\ud83d"', fault('has characters that text cannot hold, such as control characters'), SAME],
    ['text', '"\\ud83d\\ude00"', '\u{1f600}', SAME],
    ['choice', '"U"', 'U', SAME],
    ['choice', '"u"', fault('must be one of U, D'), SAME],
    ['date', '"2026-11-21"', day('2026-11-21'), SAME],
    ['date', '"2026-11-21T00:00:00"', day('2026-11-21'), SAME],
    ['date', '"1899-12-31"', fault('must be in the years 1900 to 2199'), SAME],
    ['date', '"2026-02-29"', fault('is a date that does not exist'), SAME],
    ['date', '20261121', DATE, SAME],
    ['datetime', '"2026-11-21T12:00:00"', 1_795_262_400, SAME],
  ])('of kind %s reads %s', (kind, text, classic, newer) => {
    const read = (lenient: boolean): FieldValue | Fault => readJson(field(kind), parseExactJson(text), lenient)
    expect(read(true)).toStrictEqual(classic)
    expect(read(false)).toStrictEqual(newer === SAME ? classic : newer)
  })

  const kinds: FieldKind[] = ['integer', 'int16', 'decimal', 'boolean', 'text', 'choice', 'date', 'datetime']

  test.each(kinds)('of kind %s may be null, and is neither an object nor a list', (kind) => {
    for (const lenient of [true, false]) {
      expect(readJson(field(kind), null, lenient)).toBeNull()
      expect(readJson(field(kind), {}, lenient)).toBeInstanceOf(Fault)
      expect(readJson(field(kind), ['5'], lenient)).toBeInstanceOf(Fault)
    }
  })
})

const BODY = {
  category_id: 1,
  icon_id: 2,
  unit_id: 3,
  frequency_id: 'D',
  name: 'Sales',
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 4,
  is_active: true,
}

const issuesOf = (body: Json, lenient: boolean): string[] =>
  readDraft(kpi, body, lenient).issues.map(({ field, message }) => `${field} ${message}`)

describe('the body that makes a resource', () => {
  test('is taken field by field; what it adds and what is read only is ignored', () => {
    const sent = { ...BODY, id: 99, is_calculated: true, created_at: 'x', colour: 'red', Name: 'Other' }
    expect(readDraft(kpi, sent, false)).toEqual({ values: BODY, issues: [] })
  })

  test('must name every mandatory field; the classic interface fills in two', () => {
    const mandatory = Object.keys(BODY).map((name) => `${name} is required`)
    expect(issuesOf({}, false)).toEqual(mandatory)
    expect(issuesOf({}, true)).toEqual(mandatory.filter((text) => !/category_id|aggregate_function/.test(text)))
  })

  test.each([null, '', '  '])('has a mandatory field that is %j no less missing', (blank) => {
    expect(issuesOf({ ...BODY, name: blank, value_direction: blank }, false)).toEqual([
      'name is required',
      'value_direction is required',
    ])
  })

  test('tells all its faults at once, in the order of the table', () => {
    const sent = { ...BODY, is_active: 'maybe', name: 'x'.repeat(101), icon_id: 70_000, target_default: '1,5' }
    expect(issuesOf({ ...sent, unit_id: [] }, true)).toEqual([
      'icon_id must be a whole number from -32768 to 32767',
      'unit_id must be a whole number',
      'name has 101 characters, at most 100 are allowed',
      'target_default must be a number',
      'is_active must be true or false',
    ])
  })

  test('takes the last of a key given twice, and __proto__ as a key like any other', () => {
    const text = `{"name": "first", "__proto__": {"description": "d", "unit_id": 9}, "name": "last"}`
    expect(readDraft(kpi, parseExactJson(text), true).values).toEqual({ name: 'last' })
    expect(Object.getPrototypeOf(readDraft(kpi, parseExactJson(text), true).values)).toBe(Object.prototype)
  })

  test.each(['[]', '[{}]', '"text"', '5', '12345678901234567890', 'true', 'null'])(
    'is malformed as %s, whatever is in it',
    (text) => {
      const malformed = { code: 'malformed', message: 'the body must be one JSON object' }
      expect(() => readDraft(kpi, parseExactJson(text), true)).toThrow(expect.objectContaining(malformed) as Error)
      expect(() => readPatch(kpi, parseExactJson(text), false)).toThrow(expect.objectContaining(malformed) as Error)
    },
  )

  test('may leave a field with a default blank', () => {
    expect(readDraft(category, { name: 'A', sort_order: null }, false)).toEqual({ values: { name: 'A' }, issues: [] })
    const flags = { kpi_id: 1, entry_date: '2026-11-21', setActual: null, addToActual: 'true' }
    expect(readDraft(entry, flags, true).values).toEqual({
      kpi_id: 1,
      entry_date: day('2026-11-21'),
      addToActual: true,
    })
  })

  test('is checked no less where it comes in memory', () => {
    const draft = { user_id: 1, kpi_id: 2, entry_date: day('1899-12-31'), actual: 10n ** 18n, notes: '\0' }
    expect(checkDraft(entry, draft, true).issues.map(({ field }) => field)).toEqual(['entry_date', 'actual', 'notes'])
  })
})

describe('the body that changes a resource', () => {
  test('keeps what it does not name, clears with null or blank, and ignores what is read only', () => {
    expect(readPatch(kpi, {}, false)).toEqual({ values: {}, issues: [] })
    const sent = { description: ' ', target_default: null, id: 5, created_at: 'x', colour: 'red' }
    expect(readPatch(kpi, sent, false)).toEqual({ values: { description: null, target_default: null }, issues: [] })
    expect(readPatch(kpi, { target_default: '' }, true).values).toEqual({ target_default: null })
  })

  test('must not clear a mandatory field', () => {
    const { issues } = readPatch(kpi, { name: ' ', unit_id: null, category_id: null, is_active: '' }, true)
    expect(issues.map(({ field, message }) => `${field} ${message}`)).toEqual([
      'category_id must not be blank',
      'unit_id must not be blank',
      'name must not be blank',
      'is_active must not be blank',
    ])
  })

  test('leaves a password alone, good or bad: it is taken on create only', () => {
    expect(readPatch(user, { password: 'x'.repeat(99), first_name: 'Ann' }, true)).toEqual({
      values: { first_name: 'Ann' },
      issues: [],
    })
  })
})

describe('a record', () => {
  const text = fc.string({ minLength: 1, maxLength: 20 })
  const decimal = fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n })
  const instant = fc.integer({ min: 0, max: 4_000_000_000 })
  const int16 = fc.integer({ min: -32_768, max: 32_767 })
  const records = (ids: fc.Arbitrary<number>): fc.Arbitrary<Kpi> =>
    fc.record({
      id: ids,
      category_id: ids,
      icon_id: int16,
      unit_id: ids,
      frequency_id: fc.constantFrom('D', 'W', 'M', 'Q', 'Y'),
      name: text,
      description: fc.option(text),
      target_default: fc.option(decimal),
      value_direction: fc.constantFrom('U', 'D', 'N'),
      aggregate_function: fc.constantFrom('AVG', 'SUM'),
      sort_order: int16,
      is_active: fc.boolean(),
      is_calculated: fc.boolean(),
      created_at: instant,
      updated_at: instant,
    })
  const thereAndBack = (record: Kpi): Kpi =>
    recordFromJson(kpi, parseExactJson(JSON.stringify(recordToJson(kpi, record))))

  test('comes through JSON text as it was, its fields in the order of the table', () => {
    fc.assert(
      fc.property(records(fc.integer({ min: 1, max: 999_999_999_999_999 })), (record) => {
        expect(thereAndBack(record)).toEqual(record)
        expect(Object.keys(recordToJson(kpi, record))).toEqual(kpi.shown.map(({ name }) => name))
      }),
    )
  })

  test('comes through JSON text as it was where its ids are as long as a double can hold', () => {
    fc.assert(
      fc.property(records(fc.integer({ min: 10 ** 15, max: Number.MAX_SAFE_INTEGER })), (record) => {
        expect(thereAndBack(record)).toEqual(record)
      }),
    )
  })

  test('is shown with exact numbers, dates and times as text, and never what is write only or secret', () => {
    const record = { id: 1, kpi_id: 2, entry_date: day('2026-11-21'), actual: 99_999_999_999_999_9999n, target: 1000n }
    const shown = recordToJson(entry, { ...record, created_at: 0, updated_at: 1_795_262_400, setActual: true })
    expect(JSON.stringify(shown)).toBe(
      '{"id":1,"user_id":null,"kpi_id":2,"entry_date":"2026-11-21","actual":99999999999999.9999,"target":0.1,' +
        '"notes":null,"created_at":"1970-01-01T00:00:00","updated_at":"2026-11-21T12:00:00"}',
    )
  })

  test('of an answer may lack and add fields, and hold numbers and dates as other services write them', () => {
    const answer = { id: 5, entry_date: '2026-11-21T00:00:00', actual: '12.50', target: 1e-7, more: { than: 'known' } }
    expect(recordFromJson(entry, answer)).toMatchObject({
      id: 5,
      user_id: null,
      entry_date: day('2026-11-21'),
      actual: 12_5000n,
      target: 0n,
      notes: null,
    })
    expect(() => recordFromJson(entry, [])).toThrow('the service answered something that is not')
  })

  test('of an answer whose ids and flags are texts holds numbers all the same', () => {
    expect(recordFromJson(entry, { id: '12', user_id: '2', kpi_id: 'seven' })).toMatchObject({
      id: 12,
      user_id: 2,
      kpi_id: null,
    })
    expect(recordFromJson(kpi, { is_active: 'true', is_calculated: 'false', sort_order: '3' })).toMatchObject({
      is_active: true,
      is_calculated: false,
      sort_order: 3,
    })
  })

  test('as it is sent names only what is given', () => {
    const draft = { kpi_id: 1, entry_date: day('2026-11-21'), actual: 5000n, target: null, notes: undefined }
    expect(draftToJson(entry, draft)).toEqual({ kpi_id: 1, entry_date: '2026-11-21', actual: 0.5, target: null })
  })
})
