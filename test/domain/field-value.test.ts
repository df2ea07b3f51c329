import { describe, expect, test } from 'vitest'
import { Fault } from '../../src/domain/errors.ts'
import { checkText, checkValue, valueOfText } from '../../src/domain/field-value.ts'
import type { Field, FieldValue, FieldKind } from '../../src/domain/schema.ts'
import { day } from '../support/calendar.ts'

const field = (kind: FieldKind, more: Partial<Field> = {}): Field => ({ kind, about: '', ...more })
const fault = (message: string): Fault =>
  new Fault(message, message.startsWith('must ') ? 'must' : message.startsWith('is ') ? 'is' : undefined)

const WHOLE = fault('must be a whole number')
const INT16 = fault('must be a whole number from -32768 to 32767')
const NUMBER = fault('must be a number')
const TOO_LARGE = fault('must have at most 14 digits before the decimal point')
const BOOLEAN = fault('must be true or false')
const DATE = fault('must be a date, YYYY-MM-DD')
const NO_MIDNIGHT = fault('has a time of day other than midnight in UTC; send the date alone, YYYY-MM-DD')
const NO_SUCH_DATE = fault('is a date that does not exist')
const YEARS = fault('must be in the years 1900 to 2199')
const TIME = fault('must be a time, YYYY-MM-DDTHH:MM:SS')
const CHARACTERS = fault('has characters that text cannot hold, such as control characters')

test.each([
  [field('int16', { least: 1, most: 12 }), '1', 1],
  [field('int16', { least: 1, most: 12 }), '12', 12],
  [field('int16', { least: 1, most: 12 }), '0', fault('must be a whole number from 1 to 12')],
  [field('int16', { least: 1, most: 12 }), '13', fault('must be a whole number from 1 to 12')],
  [field('integer', { least: 0, most: 99 }), '-1', fault('must be a whole number from 0 to 99')],
] as const)('a number is held to the range of its field: %#', (of, text, expected) => {
  expect(valueOfText(of, text)).toStrictEqual(expected)
})

describe('text', () => {
  test.each([
    ['plain', 'plain'],
    ['  around \t\n', 'around'],
    ['\u00a0no-break space\u3000', 'no-break space'],
    ['', null],
    [' \t\r\n\u00a0', null],
    ['two\r\nlines', 'two\nlines'],
    ['old\rMac', 'old\nMac'],
    ['\r\n a \r\n\r b \r', 'a \n\n b'],
    ['tab\tinside', 'tab\tinside'],
    ['e\u0301 is not composed', 'e\u0301 is not composed'],
    [
      '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u05d0 \u{10ffff}',
      '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u05d0 \u{10ffff}',
    ],
    ['<b>&amp;"\'\\', '<b>&amp;"\'\\'],
  ])('%j is kept as %j', (text, kept) => {
    expect(checkText(field('text', { max: 500 }), text)).toStrictEqual(kept)
  })

  test.each(
    [0, 1, 8, 0x0b, 0x0c, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9f].concat([0xd800, 0xdbff, 0xdc00, 0xdfff, 0xfffe, 0xffff]),
  )('with the character %i inside is refused', (code) => {
    expect(checkText(field('text'), `a${String.fromCharCode(code)}b`)).toStrictEqual(CHARACTERS)
  })

  test.each([
    ['x'.repeat(5), 'x'.repeat(5)],
    ['x'.repeat(6), fault('has 6 characters, at most 5 are allowed')],
    ['\u{1f600}'.repeat(5), '\u{1f600}'.repeat(5)],
    ['\u{1f600}'.repeat(6), fault('has 6 characters, at most 5 are allowed')],
    [`  ${'x'.repeat(5)}  `, 'x'.repeat(5)],
    ['a\r\nb\r\nc', 'a\nb\nc'],
  ])('%j is measured in characters, after trimming', (text, expected) => {
    expect(checkText(field('text', { max: 5 }), text)).toStrictEqual(expected)
  })

  test.each([
    ['a1', 'a1'],
    [' a1 ', 'a1'],
    ['1a', fault('must be a letter and a digit')],
    ['', null],
  ])('%j is held to its form', (text, expected) => {
    const form = { matches: /^[a-z]\d$/, says: 'a letter and a digit' }
    expect(checkText(field('text', { form }), text)).toStrictEqual(expected)
  })

  test.each([
    ['U', 'U'],
    [' D ', 'D'],
    ['u', fault('must be one of U, D')],
    ['UD', fault('must be one of U, D')],
    ['', null],
  ])('%j is held to its choice, with regard to case', (text, expected) => {
    expect(valueOfText(field('choice', { oneOf: ['U', 'D'] }), text)).toStrictEqual(expected)
  })
})

describe('a cell, flag or element', () => {
  test.each<[FieldKind, string, FieldValue | Fault]>([
    ['integer', '7', 7],
    ['integer', ' -7 ', -7],
    ['integer', '999999999999999', 999_999_999_999_999],
    ['integer', '9007199254740993', WHOLE],
    ['integer', '1.5', WHOLE],
    ['integer', '1e3', WHOLE],
    ['integer', 'seven', WHOLE],
    ['int16', '32767', 32_767],
    ['int16', '-32768', -32_768],
    ['int16', '32768', INT16],
    ['int16', '-32769', INT16],
    ['int16', 'x', INT16],
    ['decimal', ' 12.5 ', 12_5000n],
    ['decimal', '-0.00005', -1n],
    ['decimal', '99999999999999.9999', 99_999_999_999_999_9999n],
    ['decimal', '99999999999999.99995', TOO_LARGE],
    ['decimal', '1e14', TOO_LARGE],
    ['decimal', '1,5', NUMBER],
    ['decimal', '12 %', NUMBER],
    ['decimal', 'NaN', NUMBER],
    ['boolean', 'true', true],
    ['boolean', ' false ', false],
    ['boolean', 'yes', BOOLEAN],
    ['boolean', '1', BOOLEAN],
    ['boolean', 'TRUE', BOOLEAN],
    ['date', '2026-11-21', day('2026-11-21')],
    ['date', ' 2026-11-21T00:00:00 ', day('2026-11-21')],
    ['date', '1900-01-01', day('1900-01-01')],
    ['date', '2199-12-31', day('2199-12-31')],
    ['date', '1899-12-31', YEARS],
    ['date', '2200-01-01', YEARS],
    ['date', '2026-02-29', NO_SUCH_DATE],
    ['date', '2026-02-29T00:00:00', NO_SUCH_DATE],
    ['date', '21.11.2026', DATE],
    ['date', 'yesterday', DATE],
    ['date', 'abcd-01-01', DATE],
    ['date', '2026-11-21T00:00:00Z', day('2026-11-21')],
    ['date', ' 2026-11-21 00:00:00.000+00:00 ', day('2026-11-21')],
    ['date', '2026-02-29 00:00:00Z', NO_SUCH_DATE],
    // The date exists; it is the time of day that a date cannot have.
    ['date', '2026-11-21T12:00:00', NO_MIDNIGHT],
    ['date', '2026-11-21T00:00:00.001Z', NO_MIDNIGHT],
    ['date', '2026-11-21T00:00:00+01:00', NO_MIDNIGHT],
    ['date', '2026-02-29T12:00:00', NO_SUCH_DATE],
    ['date', '2026-11-211', DATE],
    ['date', `2026-11-21T00:00:00.${'0'.repeat(900)}`, DATE],
    ['date', '2'.repeat(1001), DATE],
    ['decimal', '0.'.padEnd(1000, '1'), 1111n],
    ['decimal', '0.'.padEnd(1001, '1'), fault('must be a number')],
    ['datetime', '2026-11-21T12:00:00', 1_795_262_400],
    ['datetime', '2026-11-21', TIME],
  ])('of kind %s reads %j', (kind, text, expected) => {
    expect(valueOfText(field(kind), text)).toStrictEqual(expected)
  })

  test.each<FieldKind>(['integer', 'int16', 'decimal', 'boolean', 'text', 'choice', 'date', 'datetime'])(
    'of kind %s that is blank is null',
    (kind) => {
      expect([valueOfText(field(kind), ''), valueOfText(field(kind), ' \t ')]).toEqual([null, null])
    },
  )
})

describe('a value in its own form', () => {
  test.each<[FieldKind, FieldValue, FieldValue | Fault]>([
    ['integer', 7, 7],
    ['integer', 7.5, WHOLE],
    ['integer', NaN, WHOLE],
    ['integer', Infinity, WHOLE],
    ['integer', 2 ** 53, WHOLE],
    ['integer', '7', WHOLE],
    ['integer', 7n, WHOLE],
    ['int16', 32_768, INT16],
    ['decimal', -99_999_999_999_999_9999n, -99_999_999_999_999_9999n],
    ['decimal', 100_000_000_000_000_0000n, TOO_LARGE],
    ['decimal', 7, NUMBER],
    ['boolean', false, false],
    ['boolean', 'false', BOOLEAN],
    ['text', ' a\r\nb ', 'a\nb'],
    ['text', ' ', null],
    ['text', 5, fault('must be text')],
    ['date', day('1900-01-01'), day('1900-01-01')],
    ['date', day('1899-12-31'), YEARS],
    ['date', 0.5, YEARS],
    ['date', '2026-01-01', DATE],
    ['decimal', null, null],
  ])('of kind %s: %o', (kind, value, expected) => {
    expect(checkValue(field(kind), value)).toStrictEqual(expected)
  })
})
