import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonOfDecimal, parseExactJson } from '../../src/codec/json-number.ts'

describe('exact JSON', () => {
  test.each([
    '0',
    '-0.1',
    '99999999999999.9999',
    '-12345678901234.5678',
    '12345678901234567890123456789',
    '0.1000000000000000055511151231257827',
    '1234567890123456e-2',
    '[1,12345678901234.5678,{"a":[-99999999999999.9999]}]',
  ])('%s comes out digit for digit', (text) => {
    expect(JSON.stringify(parseExactJson(text))).toBe(text)
  })

  test.each(['5', '0.1', '123456789012345', '1e5', '1234567890.2345'])('%s is a plain number', (text) => {
    expect(parseExactJson(text)).toBe(Number(text))
  })

  test.each([
    ['"12345678901234567890"', '12345678901234567890'],
    ['{"notes":"call 0049 12345678901234567890","n":5}', { notes: 'call 0049 12345678901234567890', n: 5 }],
    ['{"12345678901234567890":1}', { '12345678901234567890': 1 }],
    ['{"a":12345678901234567890,"a":"last"}', { a: 'last' }],
  ])('%s holds long digits in text, which stays text', (text, expected) => {
    expect(parseExactJson(text)).toEqual(expected)
  })

  test('has __proto__ as a key like any other, also beside long numbers', () => {
    const parsed = parseExactJson('{"__proto__":{"evil":true},"n":12345678901234567890}')
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
    expect(Object.keys(parsed as object)).toEqual(['__proto__', 'n'])
    expect('evil' in (parsed as object)).toBe(false)
  })

  test.each([
    '',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '[1 2]',
    '01',
    '+1',
    '.5',
    '5.',
    'NaN',
    'undefined',
    '1234567890123456789x',
  ])('%j is not JSON', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
  })

  test('keeps a long number wherever it stands', () => {
    for (let before = 0; before < 40; before += 1) {
      for (const number of ['1234567890123456', '0.1234567890123456789', '-12345678901234.5678']) {
        const text = `["${'a'.repeat(before)}",${number}]`
        expect(JSON.stringify(parseExactJson(text))).toBe(text)
      }
    }
  })

  test('is what JSON is, whatever the text holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, long) => {
        const text = JSON.stringify(long ? { value, long: '1234567890123456789' } : { value })
        const again: unknown = JSON.parse(JSON.stringify(parseExactJson(text)))
        expect(again).toEqual(JSON.parse(text))
      }),
    )
  })
})

describe('a decimal', () => {
  test.each([
    [50_0000n, '50'],
    [1000n, '0.1'],
    [-1n, '-0.0001'],
    [0n, '0'],
    [99_999_999_999_999_9999n, '99999999999999.9999'],
    [-10_000_000_000_000_0000n, '-10000000000000'],
    [99_999_999_999_9999n, '99999999999.9999'],
  ])('of %s ten-thousandths is the shortest JSON number %s', (value, text) => {
    expect(JSON.stringify(jsonOfDecimal(value))).toBe(text)
  })
})
