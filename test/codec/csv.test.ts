import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvHeader, csvWriter } from '../../src/codec/csv.ts'
import { entry } from '../../src/domain/resources/entry.ts'
import { day } from '../support/calendar.ts'

const COLUMNS = entry.brief

describe('CSV', () => {
  test('has a header line of the names in the interface', () => {
    expect(csvHeader(COLUMNS)).toBe('id,user_id,kpi_id,entry_date,actual,target,notes\n')
  })

  test.each([
    ['plain', 'plain'],
    ['a, b', '"a, b"'],
    ['say "yes"', '"say ""yes"""'],
    ['two\nlines', '"two\nlines"'],
    ['old\rMac', '"old\rMac"'],
    [' spaces ', ' spaces '],
    ['semi;colon', 'semi;colon'],
    ['=1+1', '=1+1'],
    ['\u00a3 \u{1f600}', '\u00a3 \u{1f600}'],
  ])('has the notes %j as the cell %j', (notes, cell) => {
    const record = { id: 1, user_id: 2, kpi_id: 3, entry_date: day('2026-11-21'), actual: 1000n, target: null, notes }
    expect(csvWriter(COLUMNS)([record])).toBe(`1,2,3,2026-11-21,0.1,,${cell}\n`)
  })

  test('has a line for each record, none for none, and every digit of a decimal', () => {
    const record = { id: 1, user_id: null, kpi_id: 3, entry_date: 0, actual: -99_999_999_999_999_9999n, notes: null }
    const line = '1,,3,1970-01-01,-99999999999999.9999,,\n'
    expect(csvWriter(COLUMNS)([])).toBe('')
    expect(csvWriter(COLUMNS)([record, record])).toBe(line + line)
  })

  test('is read by another program as it was written', () => {
    const special = fc.string({ unit: fc.constantFrom(',', '"', '\r', '\n', ' ', ';', "'", 'a') })
    const cell = fc.oneof(special, fc.string({ unit: 'grapheme' }))
    const columns = ['a', 'b'].map((name) => ({ name, field: entry.fields.notes }))
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
        const records = rows.map(([a, b]) => ({ a, b }))
        expect(parse(csvWriter(columns)(records), { record_delimiter: '\n' })).toEqual(rows)
      }),
    )
  })
})
