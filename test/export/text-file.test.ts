import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellText } from '../../src/codec/cell-text.ts'
import { parseExactJson } from '../../src/codec/json-number.ts'
import { recordFromJson } from '../../src/codec/json.ts'
import { LARGEST } from '../../src/domain/decimal.ts'
import { reportRow } from '../../src/domain/resources/report-row.ts'
import type { AnyRecord, Field, FieldValue } from '../../src/domain/schema.ts'
import { csvFile, jsonFile, ndjsonFile } from '../../src/export/report/text-file.ts'
import { csvRows } from '../support/csv.ts'

const columns = reportRow.shown
const TEXTS = ['', '"', ',', '\n', '\r\n', ' a ', '=1', "'", '|', '\u2028', '\u0000', '\u{1F600}', '1.5']

const valueOf = ({ kind, nullable, oneOf }: Field): fc.Arbitrary<FieldValue> => {
  if (kind === 'decimal') return fc.option(fc.bigInt({ min: -LARGEST, max: LARGEST }))
  if (kind === 'date') return fc.integer({ min: -25_567, max: 84_005 })
  if (oneOf) return fc.constantFrom(...oneOf)
  if (kind !== 'text') return fc.nat()
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...TEXTS))
  return nullable ? fc.option(text) : text
}

const record: fc.Arbitrary<AnyRecord> = fc.record(
  Object.fromEntries(columns.map(({ name, field }) => [name, valueOf(field)])),
)

/** What comes in parts of any size, some of them empty. */
const partsOfRows = fc.array(fc.array(record, { maxLength: 3 }), { maxLength: 4 })

const textOf = async (write: typeof csvFile, parts: readonly AnyRecord[][]): Promise<string> => {
  const reading = (async function* () {
    yield* parts
  })()
  return (await Array.fromAsync(write({ columns, parts: reading }))).join('')
}

const recordsIn = (json: unknown): AnyRecord[] => (json as unknown[]).map((one) => recordFromJson(reportRow, one))

test('any report reads back from CSV as it was', async () => {
  await fc.assert(
    fc.asyncProperty(partsOfRows, async (parts) => {
      const [header, ...rows] = csvRows(await textOf(csvFile, parts))
      expect(header).toEqual(columns.map(({ name }) => name))
      expect(rows).toEqual(
        parts.flat().map((row) => columns.map(({ name, field }) => cellText(field, row[name] ?? null))),
      )
    }),
  )
})

test('any report reads back from JSON as it was, and from a JSON object on each line', async () => {
  await fc.assert(
    fc.asyncProperty(partsOfRows, async (parts) => {
      expect(recordsIn(parseExactJson(await textOf(jsonFile, parts)))).toEqual(parts.flat())
      const lines = (await textOf(ndjsonFile, parts)).split('\n')
      expect(lines.pop()).toBe('')
      expect(recordsIn(lines.map(parseExactJson))).toEqual(parts.flat())
    }),
  )
})
