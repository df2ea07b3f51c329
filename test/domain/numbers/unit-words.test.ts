import { describe, expect, test } from 'vitest'
import { currenciesIn, isUnit, mayBeSame, namesUnits, unitBelowHeader } from '../../../src/domain/numbers/unit-words.ts'

describe('the currency in a name', () => {
  test.each<[name: string, text: string | undefined]>([
    ['Revenue (EUR)', 'EUR'],
    ['Umsatz in €', '€'],
    ['Sales ($)', '$'],
    ['Sales (Mio. €)', 'Mio. €'],
    ['Umsatz in Tsd. EUR', 'Tsd. EUR'],
    ['Sales, EUR million', 'EUR million'],
    ['Sales EUR (thousands)', 'EUR thousands'],
    ['Sales in thousands of EUR', 'thousands of EUR'],
    ['Umsatz (T€)', 'T€'],
    ['Umsatz TEUR', 'TEUR'],
    ['Sales (kEUR)', 'kEUR'],
    ['Revenue [$m]', '$m'],
    ["Revenue (£'000)", "£'000"],
    ['売上(百万円)', '百万円'],
    ['売上(円)', '円'],
    ['Visits', undefined],
    ['Visits (thousands)', undefined],
    ['Area ft', undefined],
  ])('%s is written %s', (name, text) => {
    expect(currenciesIn(name)[0]?.text).toBe(text)
  })
})

test.each<[text: string, isOne: boolean]>([
  ['EUR', true],
  ['€', true],
  ['kg', true],
  ['Mio. €', true],
  ['EUR/kg', true],
  ['kEUR', true],
  ['%', true],
  ['M', false],
  ['North', false],
  ['kg 5', false],
])('%s is a unit by itself: %s', (text, isOne) => {
  expect(isUnit(text, false)).toBe(isOne)
})

test('in a column named for units, any word is one', () => {
  expect(['Currency', 'Unit of measure', 'Währung', 'Business unit', 'Unit price'].map(namesUnits)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
  expect(['M', 'boxes', 'XAF', '5'].map((text) => isUnit(text, true))).toEqual([true, true, true, false])
})

test('a sign that several currencies have may be any of them', () => {
  expect(
    [
      ['$', 'USD'],
      ['CAD', '$'],
      ['€', 'EUR'],
      ['kr.', 'SEK'],
      ['$', 'EUR'],
      ['EUR', 'USD'],
    ].map(([one = '', other = '']) => mayBeSame(one, other)),
  ).toEqual([true, true, true, true, false, false])
})

test.each([
  ['[EUR]', 'EUR'],
  ['k€', 'k€'],
  ['(Stück)', 'Stück'],
  ['persons', 'persons'],
  ['(net)', undefined],
  ['closed', undefined],
])('the unit of %s below a header is %s', (text, unit) => {
  expect(unitBelowHeader(text)).toBe(unit)
})
