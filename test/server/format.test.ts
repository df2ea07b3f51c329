import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kpi } from '../../src/domain/resources/kpi.ts'
import { bodyFormats } from '../../src/server/api/body-format.ts'

const { json, xml } = bodyFormats
const parse = (text: string): Promise<unknown> => json.read(Buffer.from(text), kpi)
const nested = (depth: number, inside = ''): string => '['.repeat(depth) + inside + ']'.repeat(depth)

describe('a body', () => {
  test('is whatever JSON says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(await parse(text))).toBe(text)
      }),
    )
  })

  test.each([
    ['a byte order mark before it', '\ufeff{"a":1}', { a: 1 }],
    ['blanks around it', ' \r\n\t{"a":1}\n', { a: 1 }],
    ['a key given twice: the last counts', '{"a":1,"a":2}', { a: 2 }],
  ])('may have %s', async (_, text, expected) => {
    expect(await parse(text)).toEqual(expected)
  })

  test('may have any key', async () => {
    const body = await parse('{"__proto__":{"name":"x"},"constructor":1}')
    expect(Object.keys(Object(body) as object)).toEqual(['__proto__', 'constructor'])
    expect(({} as Record<string, unknown>)['name']).toBeUndefined()
  })

  test.each([
    ['32 lists', nested(32)],
    ['a number of many digits within 32 lists', nested(32, '12345678901234567890')],
    ['32 objects', `${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`],
  ])('may hold %s', async (_, text) => {
    expect(JSON.stringify(await parse(text))).toBe(text)
  })

  test.each([
    ['33 lists', nested(33)],
    ['33 objects', `${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`],
    ['100,000 lists', nested(100_000)],
    ['100,000 lists around a number of many digits', nested(100_000, '12345678901234567890')],
  ])('with %s is too deep', async (_, text) => {
    await expect(parse(text)).rejects.toThrow(
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
  ])('that is %s cannot be read', async (_, text) => {
    await expect(parse(text)).rejects.toThrow(
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
  ])('with %s is not UTF-8, in either format', async (_, bytes) => {
    for (const format of [json, xml]) {
      await expect(format.read(Uint8Array.from(bytes), kpi)).rejects.toThrow(
        expect.objectContaining({ code: 'malformed', message: 'the body is not UTF-8' }),
      )
    }
  })
})

describe('an answer', () => {
  test('shows the fields of the table in its order, decimals exactly, times without a zone', async () => {
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
    expect(await json.write({ of: kpi, records: [record] })).toBe(
      '[{"id":9,"category_id":1,"icon_id":2,"unit_id":3,"frequency_id":"D","name":"S","description":null,' +
        '"target_default":12345678901234.5678,"value_direction":"U","aggregate_function":"SUM","sort_order":1,' +
        '"is_active":true,"is_calculated":false,"created_at":"1970-01-01T00:00:00","updated_at":"1970-01-01T00:00:01"}]',
    )
  })
})
