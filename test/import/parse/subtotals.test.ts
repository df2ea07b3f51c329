import { expect, test } from 'vitest'
import { namesOfSubtotal } from '../../../src/import/parse/ignored-rows.ts'
import { createSuspectCollector } from '../../../src/import/parse/suspect-rows.ts'

/** The texts and lines of the rows that look like totals. */
const totalsIn = (...names: readonly string[]) => {
  const collector = createSuspectCollector(3)
  for (const [at, name] of names.entries()) collector.note({ line: at + 2, cells: [name, '2026-01-01', '5'] }, false)
  return collector.found().map(({ texts, first, last }) => ({ texts, first, last }))
}

test.each([
  ['North Total', ['North']],
  ['Total North', ['North', 'North']],
  ['Total for Berlin Mitte', ['for Berlin Mitte', 'Berlin Mitte']],
  ['Summe von Nord', ['von Nord', 'Nord']],
  ['Total', []],
  ['North', []],
])('the total %s is that of %j', (text, names) => {
  expect(namesOfSubtotal(text)).toEqual(names)
})

test('rows called the totals of names above them look like totals', () => {
  expect(totalsIn('North', 'North', 'North Total', 'South', 'Total South', 'Grand total')).toEqual([
    { texts: ['North Total', 'Total South', 'Grand total'], first: 4, last: 7 },
  ])
})

test.each([
  ['101', 'Total 101'],
  ['June', 'Summe June'],
  ['2026', '2026 Total'],
])('the total of a name that looks like a number or a period looks like a total: %s', (name, total) => {
  expect(totalsIn(name, name, total)).toEqual([{ texts: [total], first: 4, last: 4 }])
})

test('names that only begin like totals look like none', () => {
  expect(totalsIn('North', 'Total Ltd', 'All Saints', 'Total Ltd')).toEqual([])
})
