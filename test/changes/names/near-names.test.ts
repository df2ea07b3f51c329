import { expect, test } from 'vitest'
import { neverPause } from '../../../src/domain/pause.ts'
import { nearNames, warningsOnNearNames } from '../../../src/changes/names/near-names.ts'

const KNOWN = [
  'Harbour',
  'Hill',
  'Sales',
  'Ann Lee',
  'Store 12',
  'Team B',
  'Iraq',
  'bob.ray@example.com',
  'São Tomé',
  'NPS',
  'St. Gallen',
  'Release 1.5',
]

test.each([
  ['Harbor', 'Harbour', 'a letter fewer'],
  ['Hil', 'Hill', 'a letter fewer in a short word'],
  ['Salse', 'Sales', 'two letters that changed places'],
  ['Anne Lee', 'Ann Lee', 'a letter more in one of two words'],
  ['Harbeur', 'Harbour', 'another letter'],
  ['bob.rayy@example.com', 'bob.ray@example.com', 'an address'],
  ['São Tome', 'São Tomé', 'an accent less'],
  ['Sao Tome', 'São Tomé', 'two accents less'],
  ['NPSSS', 'NPS', 'a key that was held too long'],
  ['Haarbbour', 'Harbour', 'two letters that are there twice'],
  ['Store12', 'Store 12', 'a blank less'],
  ['St Gallen', 'St. Gallen', 'a dot less'],
  ['Release 15', undefined, 'another number'],
  ['Store 13', undefined, 'another number'],
  ['Team C', undefined, 'another letter that is a word'],
  ['Iran', undefined, 'another letter in a short word'],
  ['Lake', undefined, 'another name'],
  ['Harbour Hill', undefined, 'a word more'],
])('%s is near %s: %s', async (name, known, why) => {
  const found = await nearNames('KPI', [name], KNOWN, neverPause)
  expect(found.map((one) => one.known)).toEqual(known === undefined || why === undefined ? [] : [known])
})

test('new names that differ from each other in accents alone are told, and others are not', async () => {
  const names = ['Genève', 'Geneve', 'Zürich Süd', 'Zurich Sud', 'Zurich Nord', 'Genf', 'Gent']
  const near = await nearNames('user', names, ['Zürich Nord'], neverPause)
  expect(near.map(({ name, known, isNew }) => [name, known, isNew === true])).toEqual([
    ['Geneve', 'Genève', true],
    ['Zurich Sud', 'Zürich Süd', true],
    ['Zurich Nord', 'Zürich Nord', false],
  ])
  expect(warningsOnNearNames(near)[0]).toContain('the new user "Geneve" is nearly "Genève", which is new, too')
})

test('at most ten are shown', () => {
  const near = Array.from({ length: 12 }, (_, at) => ({ kind: 'KPI', name: `Salse ${at}`, known: `Sales ${at}` }))
  const warnings = warningsOnNearNames(near)
  expect(warnings).toHaveLength(11)
  expect(warnings.at(-1)).toBe('2 more new names are nearly known ones')
})

test('thousands of names are compared without comparing each with each', async () => {
  const known = Array.from({ length: 20_000 }, (_, at) => `Country of number ${at}`)
  expect(await nearNames('KPI', ['Countri of number 19999'], known, neverPause)).toEqual([
    { kind: 'KPI', name: 'Countri of number 19999', known: 'Country of number 19999' },
  ])
})

test('so are thousands that have a part in common', async () => {
  const known = Array.from({ length: 20_000 }, (_, at) => `ab ${String.fromCodePoint(0x4e00 + at)}`)
  const names = known.map((name) => `${name.slice(0, 3)}${String.fromCodePoint((name.codePointAt(3) ?? 0) + 20_000)}`)
  expect(await nearNames('KPI', names.slice(0, 10_000), known, neverPause)).toEqual([])
})
