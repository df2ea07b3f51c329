import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kpi } from '../../src/domain/resources/kpi.ts'
import { contentToJson, mustBeJson, parseBody } from '../../src/server/format.ts'

const parse = (text: string): unknown => parseBody(Buffer.from(text))
const nested = (depth: number, inside = ''): string => '['.repeat(depth) + inside + ']'.repeat(depth)

describe('a Content-Type', () => {
  test.each([
    [undefined],
    [''],
    [' '],
    ['application/json'],
    ['Application/JSON'],
    ['application/json; charset=utf-8'],
    ['application/json;charset="UTF-8"'],
    ['application/json; charset=utf8; x=y'],
    ['text/json'],
    ['application/merge-patch+json'],
  ])('%j is taken for JSON', (header) => {
    expect(() => mustBeJson(header)).not.toThrow()
  })

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/jsonp'],
    ['json'],
    ['text/csv; x=application/json'],
    ['application/json; charset=iso-8859-1'],
    ['application/json; charset=utf-16'],
  ])('%j is refused', (header) => {
    expect(() => mustBeJson(header)).toThrow(expect.objectContaining({ code: 'media_type' }))
  })
})

describe('a body', () => {
  test('is whatever JSON says', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const json = JSON.stringify(value)
        expect(JSON.stringify(parse(json))).toBe(json)
      }),
    )
  })

  test.each([
    ['a byte order mark before it', '\ufeff{"a":1}', { a: 1 }],
    ['blanks around it', ' \r\n\t{"a":1}\n', { a: 1 }],
    ['a key given twice: the last counts', '{"a":1,"a":2}', { a: 2 }],
  ])('may have %s', (_, text, expected) => {
    expect(parse(text)).toEqual(expected)
  })

  test('may have any key', () => {
    const body = parse('{"__proto__":{"name":"x"},"constructor":1}')
    expect(Object.keys(Object(body) as object)).toEqual(['__proto__', 'constructor'])
    expect(({} as Record<string, unknown>)['name']).toBeUndefined()
  })

  test.each([
    ['32 lists', nested(32)],
    ['a number of many digits within 32 lists', nested(32, '12345678901234567890')],
    ['32 objects', `${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`],
  ])('may hold %s', (_, text) => {
    expect(JSON.stringify(parse(text))).toBe(text)
  })

  test.each([
    ['33 lists', nested(33)],
    ['33 objects', `${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`],
    ['100,000 lists', nested(100_000)],
    ['100,000 lists around a number of many digits', nested(100_000, '12345678901234567890')],
  ])('with %s is too deep', (_, text) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: 'malformed', message: 'the body is nested more than 32 deep' }),
    )
  })

  test.each([
    ['nothing', ''],
    ['half an object', '{"a":'],
    ['two values', '{} {}'],
    ['a comment', '{} // x'],
    ['single quotes', "{'a':1}"],
    ['a comma too many', '{"a":1,}'],
    ['a form', 'name=Sales'],
    ['XML', '<KPI/>'],
    ['a number that is none', '{"a":NaN}'],
    ['a zero before digits', '{"a":01}'],
    ['a raw control character', '{"a":"\u0001"}'],
  ])('that is %s cannot be read', (_, text) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'malformed',
        message: expect.stringContaining('the body is not JSON') as string,
      }),
    )
  })

  test.each([
    ['a lone byte', [0x22, 0xff, 0x22]],
    ['a cut character', [0x22, 0xc3, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ])('with %s is not UTF-8', (_, bytes) => {
    expect(() => parseBody(Uint8Array.from(bytes))).toThrow(
      expect.objectContaining({ code: 'malformed', message: expect.stringContaining('UTF-8') as string }),
    )
  })
})

describe('an answer', () => {
  test('shows the fields of the table in its order, decimals exactly, times without a zone', () => {
    const record = {
      updated_at: 1,
      created_at: 0,
      is_calculated: false,
      is_active: true,
      sort_order: 1,
      aggregate_function: 'SUM',
      value_direction: 'U',
      target_default: 12_345_678_901_234_5678n,
      description: null,
      name: 'S',
      frequency_id: 'D',
      unit_id: 3,
      icon_id: 2,
      category_id: 1,
      id: 9,
      secret: 'never shown',
    }
    expect(contentToJson({ of: kpi, records: [record] })).toBe(
      '[{"id":9,"category_id":1,"icon_id":2,"unit_id":3,"frequency_id":"D","name":"S","description":null,' +
        '"target_default":12345678901234.5678,"value_direction":"U","aggregate_function":"SUM","sort_order":1,' +
        '"is_active":true,"is_calculated":false,"created_at":"1970-01-01T00:00:00","updated_at":"1970-01-01T00:00:01"}]',
    )
  })
})
