import { describe, expect, test } from 'vitest'
import { recordToJson } from '../../src/codec/json.ts'
import { jsonLineWriter } from '../../src/codec/json-lines.ts'
import { newerEntry } from '../../src/domain/resources/entry.ts'
import { kpi } from '../../src/domain/resources/kpi.ts'
import type { AnyRecord } from '../../src/domain/schema.ts'

const quote = (value: unknown): string => JSON.stringify(value)
const plain: AnyRecord = { id: 1, user_id: 2, kpi_id: 3, entry_date: 0, actual: 1000n, target: null, notes: 'a "b"\n' }

describe('lines of JSON', () => {
  test.each<[string, AnyRecord]>([
    ['values of each kind', { ...plain, created_at: 0, updated_at: 1_795_262_400 }],
    ['every digit of a decimal', { ...plain, actual: -99_999_999_999_999_9999n, target: 0n }],
    ['missing values as null', {}],
  ])('hold %s, as the interface writes them', (_, record) => {
    const lineOf = jsonLineWriter(newerEntry.shown, quote)
    // The second line repeats all values, the third none.
    for (const one of [record, record, { ...record, kpi_id: 9, notes: null }]) {
      expect(lineOf(one)).toBe(JSON.stringify(recordToJson(newerEntry, one)))
    }
  })

  test('hold yes and no, and columns in their order even if their names are numbers', () => {
    const [active, name] = [kpi.fields.is_active, kpi.fields.name]
    const columns = [
      { name: '2026', field: active },
      { name: '2025', field: name },
    ]
    expect(jsonLineWriter(columns, quote)({ 2026: true, 2025: 'x' })).toBe('{"2026":true,"2025":"x"}')
    expect(jsonLineWriter([], quote)({})).toBe('{}')
  })
})
