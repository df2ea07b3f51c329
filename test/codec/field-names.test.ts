import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { membersOf } from '../../src/codec/field-names.ts'
import { batchFlags, entry, newerEntry } from '../../src/domain/resources/entry.ts'
import { resources } from '../../src/domain/resources/index.ts'

const ALL = [...resources, newerEntry, batchFlags]

describe('names', () => {
  test.each(ALL.map((of) => [of.name, of] as const))('of %s are known in any spelling, and differ in more', (_, of) => {
    const names = [...Object.keys(of.fields), ...Object.keys(of.lists ?? {})]
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
    const spelling = fc.mixedCase(fc.constantFrom(...names))
    fc.assert(
      fc.property(spelling, (spelled) => {
        const name = names.find((one) => one.toLowerCase() === spelled.toLowerCase()) ?? ''
        expect(membersOf(of, { [spelled]: 5 }).source[name]).toBe(5)
      }),
    )
  })

  test('are taken as they are where one is spelled as the field is', () => {
    for (const source of [
      { actual: 1, Actual: 2, ACTUAL: 3 },
      { ACTUAL: 3, Actual: 2, actual: 1 },
      { Actual: 2, actual: null },
    ]) {
      const { source: members, issues } = membersOf(entry, source)
      expect([members['actual'], issues]).toEqual([source.actual, []])
    }
  })

  test('that mean the same field and say something else are a fault of it, told once', () => {
    const { issues } = membersOf(entry, { Actual: 1, ACTUAL: 2, aCTUAL: 3, Kpi_Id: 4, KPI_ID: 4 })
    expect(issues).toEqual([
      { field: 'actual', message: 'is given as Actual and as ACTUAL, which differ; send it once, as actual' },
    ])
  })

  test('that mean the same field and say the same are taken, whatever they hold', () => {
    const { source, issues } = membersOf(entry, { Actual: ['a', { b: 1 }], ACTUAL: ['a', { b: 1 }] })
    expect([source['actual'], issues]).toEqual([['a', { b: 1 }], []])
  })

  test('that are unknown are left', () => {
    const source = { actual: 1, 'actual ': 2, kpiid: 3, constructor: 4, ['a'.repeat(100_000)]: 5 }
    expect(membersOf(entry, source).source['kpi_id']).toBeUndefined()
  })
})
