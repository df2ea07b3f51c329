import { describe, expect, test } from 'vitest'
import { parseQuery, queryDay, queryIds, queryInteger } from '../../src/server/api/query.ts'

const malformed = (parameter: string): unknown =>
  expect.objectContaining({ code: 'malformed', message: expect.stringContaining(parameter) as string })

const ROWS = { kind: 'integer', name: 'rows', about: '', least: 1, most: 500, example: 5 } as const
const FROM = { kind: 'day', name: 'dateFrom', about: '', example: '2026-03-01' } as const
const KPIS = { kind: 'ids', name: 'kpiIds', about: '', example: [1] } as const

describe('a query', () => {
  test.each([
    ['', []],
    ['page=2', [['page', ['2']]]],
    ['PAGE=2&Page=3', [['page', ['2', '3']]]],
    ['%70age=%32', [['page', ['2']]]],
    ['page', [['page', ['']]]],
    [
      'a=1+2&b=%2B',
      [
        ['a', ['1 2']],
        ['b', ['+']],
      ],
    ],
    [
      '__proto__=1&constructor=2',
      [
        ['__proto__', ['1']],
        ['constructor', ['2']],
      ],
    ],
    [
      'a=%zz&b=%ff',
      [
        ['a', ['%zz']],
        ['b', ['\ufffd']],
      ],
    ],
  ])('of the text %j is read without regard to the case of names', (text, expected) => {
    expect([...parseQuery(text)]).toEqual(expected)
  })
})

describe('a whole number in a query', () => {
  test.each([
    ['', undefined],
    ['rows=', undefined],
    ['rows=1', 1],
    ['rows=500', 500],
    ['rows=007', 7],
    ['rows=%2012%20', 12],
    ['rows=3&rows=4', 4],
  ])('%j is read', (text, expected) => {
    expect(queryInteger(parseQuery(text), ROWS)).toBe(expected)
  })

  test.each(['0', '501', '-1', '%2B1', '1.5', '1e2', '0x10', 'ten', '1,2', 'NaN', 'null', '9'.repeat(400), '%D9%A1'])(
    '%j is refused, and the refusal names the parameter',
    (text) => {
      expect(() => queryInteger(parseQuery(`rows=${text}`), ROWS)).toThrow(malformed('rows'))
    },
  )
})

describe('a day in a query', () => {
  test.each([
    ['', undefined],
    ['dateFrom=', undefined],
    ['dateFrom=1970-01-02', 1],
    ['DATEFROM=1970-01-02', 1],
    ['datefrom=1970%2D01%2D02', 1],
    ['dateFrom=1970-01-02T00:00:00', 1],
    ['dateFrom=1899-01-01', -25_932],
    ['dateFrom=2199-12-31', 84_005],
  ])('%j is read', (text, expected) => {
    expect(queryDay(parseQuery(text), FROM)).toBe(expected)
  })

  test.each([
    '1898-12-31',
    '2200-01-01',
    '2026-02-29',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '01.02.2026',
    '20260101',
    '2026-01-01T10:00:00',
    '2026-01-01Z',
    'today',
    '0000-00-00',
  ])('%j is refused', (text) => {
    expect(() => queryDay(parseQuery(`dateFrom=${text}`), FROM)).toThrow(malformed('dateFrom'))
  })
})

describe('ids in a query', () => {
  test.each([
    ['', undefined],
    ['kpiIds=', undefined],
    ['kpiIds=,%20,', undefined],
    ['kpiIds=1', [1]],
    ['kpiIds=3,1,3', [3, 1]],
    ['kpiIds=%201%20,,2,', [1, 2]],
    ['kpiIds=1%2C2', [1, 2]],
    ['kpiIds=1&KPIIDS=2', [1, 2]],
    ['kpiIds=999999999999999', [999_999_999_999_999]],
  ])('%j are a union', (text, expected) => {
    expect(queryIds(parseQuery(text), KPIS)).toEqual(expected && new Set(expected))
  })

  test.each(['x', '1,x', '-1', '1.5', '1;2', '1 2', '1e3', '1)%20or%201=1--'])('%j are refused', (text) => {
    expect(() => queryIds(parseQuery(`kpiIds=${text}`), KPIS)).toThrow(malformed('kpiIds'))
  })
})
