import { expect, test } from 'vitest'
import { neverPause } from '../../../src/domain/pause.ts'
import { createTotalReader, type NewKind } from '../../../src/reading/missing/total-names.ts'

const STORES = ['Lake', 'Hill', 'Nord', '北']

/** Returns the names among some that look like totals, beside stores. */
const totals = async (
  kind: NewKind,
  names: readonly string[],
  others: readonly string[] = STORES,
): Promise<string[]> => {
  const read = await createTotalReader({ kind, names: [...others, ...names], columns: ['Store'] }, neverPause)
  return names.filter((name) => read(name))
}

test.each([
  ['total', 'Lake Total', 'Lake - total', 'Total Lake', 'Total (Lake)', 'TOTAL: Hill', 'Total Nord', 'Lake Ergebnis'],
  ['summary', 'Average', 'Max', 'Durchschnitt', 'Moyenne', 'Lake Average', 'Mittelwert Lake', 'Lake Count', '平均'],
  ['period', 'Monthly Total', 'Gesamt 2024', 'Total Q1', 'Total Jan', 'Average 2024', 'Summe 2023/24'],
  [
    'language',
    'Σ',
    'Σύνολο',
    'ΣΥΝΟΛΟ',
    'Ogółem',
    'Celkem',
    '合計',
    '北合計',
    '合计',
    '합계',
    'Итого Lake',
    'tổng cộng',
  ],
  ['noun', 'All stores', 'All regions', 'All Countries', 'Alle Filialen', 'Toutes les régions', 'Tutti i negozi'],
  ['subtotal', 'Subtotal North', 'Zwischensumme Süd', 'North Subtotal', 'Grand Total 1', 'Sous-total Est'],
])('new items are recognized as totals: %s', async (_, ...names) => {
  const found = await Promise.all(names.map((name) => totals('breakdown item', [name])))
  expect(names.filter((_name, at) => found[at]?.length === 0)).toEqual([])
})

test.each([
  'Total Wine',
  'All Saints',
  'Max Mustermann',
  'Totally Green',
  'Media',
  'Media 2024',
  'Count Q1',
  'Dim Sum',
  'Berliner Ensemble',
  'Sum 41',
])('a real name is none of a total: %s', async (name) => {
  expect(await totals('breakdown item', [name])).toEqual([])
  expect(await totals('user', [name])).toEqual([])
})

test('a first name is no word of totals, and other words are in names of people, too', async () => {
  expect(await totals('user', ['Max', 'Min', 'Max Lake', 'Lake Total', 'Average'])).toEqual(['Lake Total', 'Average'])
})

test('KPIs may be averages and totals of their own', async () => {
  const kpis = [
    'Total Visitors',
    'Average Price',
    'Max Price',
    'Price Average',
    'Price - total',
    'Total',
    'Average',
    'Monthly Total',
  ]
  expect(await totals('KPI', kpis, ['Price', 'Sales'])).toEqual(['Total', 'Average', 'Monthly Total'])
  expect(await totals('KPI', ['Min', 'Max', 'Mean'], [])).toEqual([])
})

test('a name tells what it is the total of', async () => {
  const names = ['Lake', 'Total for Lake']
  const read = await createTotalReader({ kind: 'breakdown item', names, columns: [] }, neverPause)
  expect(read('Total for Lake')).toEqual({ of: 'Lake' })
})
