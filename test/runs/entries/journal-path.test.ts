import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { journalPath, type JournalPlace } from '../../../src/runs/entries/journal.ts'
import type { ImportOptions } from '../../../src/reading/options/options.ts'
import { importOptions, OPTION_NAMES } from '../../support/import-options.ts'
import { optionsOf } from '../../support/import.ts'

const PLACE: JournalPlace = {
  folder: '/journals',
  service: 'https://kpi.example.com/api',
  account: () => ({ for: 'key 1', isSure: true }),
  caller: '1',
  path: '/data.csv',
  undone: () => [],
}

const pathOf = (options: ImportOptions): string => journalPath(PLACE, 'fingerprint', options)

/** Options with which a run can be continued, whatever they were before. */
const NOT_MEANING: ReadonlySet<keyof ImportOptions> = new Set([
  'createAssignments',
  'maxErrors',
  'addAgain',
  'ignoreRows',
  'dateWord',
])

/** The order of a map is that of the flags, and may tell two runs apart. */
const inOrder = (value: unknown): unknown => (value instanceof Map ? [...value] : value)

test('options that differ in what they mean have journals of their own, and others share one', () => {
  const changed = fc.tuple(importOptions(), importOptions(), fc.constantFrom(...OPTION_NAMES))
  fc.assert(
    fc.property(changed, ([one, other, name]) => {
      const isSame = NOT_MEANING.has(name) || isDeepStrictEqual(inOrder(one[name]), inOrder(other[name]))
      expect(pathOf({ ...one, [name]: other[name] }) === pathOf(one)).toBe(isSame)
    }),
    { numRuns: 1000 },
  )
})

test('the order of words for no value, and of kinds that are created, tells no journals apart', () => {
  const of = (...words: readonly string[]) => pathOf(optionsOf({ missing: new Set(words) }))
  expect(of('na', '-')).toBe(of('-', 'na'))
  const creating = (...kinds: readonly ('users' | 'kpis')[]) => pathOf(optionsOf({ create: { kinds: new Set(kinds) } }))
  expect(creating('users', 'kpis')).toBe(creating('kpis', 'users'))
})
