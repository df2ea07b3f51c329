import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameForm, newName, withoutAccents, looseName } from '../../src/domain/name-form.ts'
import { foldName } from '../../src/reading/columns/header.ts'

describe('the form in which names are compared', () => {
  test.each([
    ['Cafe\u0301', 'Caf\u00e9'],
    ['\uff21\uff22', 'ab'],
    ['A\u200b\u00ad\ufeffB', 'ab'],
    [' a \u00a0\u3000\n b\u2028', 'a b'],
    ['Order \u23ce no', 'Order\nno'],
    ['STRASSE', 'stra\u00dfe'],
    ['\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c2'],
  ])('of %j is that of %j', (one, other) => {
    expect(nameForm(one)).toBe(nameForm(other))
  })

  test.each([
    ['A', '\u0410'],
    ['Cafe', 'Caf\u00e9'],
    ['a-b', 'a_b'],
    ['K\u0131sa', 'Kisa'],
    ['-', '_'],
  ])('of %j is not that of %j', (one, other) => {
    expect(nameForm(one)).not.toBe(nameForm(other))
  })

  test('is its own, and that of a text in each Unicode form and in capitals', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const form = nameForm(text)
        expect(nameForm(form)).toBe(form)
        for (const one of ['NFC', 'NFD', 'NFKC', 'NFKD']) expect(nameForm(text.normalize(one))).toBe(form)
        expect(nameForm(text.replaceAll('\u0131', '').toUpperCase())).toBe(nameForm(text.replaceAll('\u0131', '')))
      }),
      { numRuns: 2000 },
    )
  })
})

test('a text that is too long for a name is compared as it is', () => {
  const marks = '\u0301\u0327'.repeat(250_000)
  for (const form of [nameForm, looseName, foldName, withoutAccents]) expect(form(`A${marks}`)).toBe(`A${marks}`)
})

test.each([
  ['Sales\r\n  net ', 'Sales net'],
  ['\u200b\ufeff A \u00ad', 'A'],
  ['Lake  Side', 'Lake  Side'],
  ['\u2764\ufe0f', '\u2764\ufe0f'],
])('the name of something new from %j is %j', (text, name) => {
  expect(newName(text)).toBe(name)
})
