import { expect, test } from 'vitest'
import { cellText } from '../../src/codec/cell-text.ts'
import type { FieldValue, FieldKind } from '../../src/domain/schema.ts'
import { day } from '../support/calendar.ts'

test.each<[FieldKind, FieldValue, string]>([
  ['decimal', 50_0000n, '50'],
  ['decimal', -99_999_999_999_999_9999n, '-99999999999999.9999'],
  ['decimal', 0n, '0'],
  ['integer', 7, '7'],
  ['int16', -1, '-1'],
  ['boolean', false, 'false'],
  ['text', 'as it\nis', 'as it\nis'],
  ['choice', 'U', 'U'],
  ['date', day('2026-11-21'), '2026-11-21'],
  ['date', day('1900-01-01'), '1900-01-01'],
  ['datetime', 1_795_262_400, '2026-11-21T12:00:00'],
])('people read a %s of %o as %j', (kind, value, text) => {
  expect(cellText({ kind, about: '' }, value)).toBe(text)
})

test.each<FieldKind>(['decimal', 'integer', 'boolean', 'text', 'date', 'datetime'])(
  'people read no %s as nothing',
  (kind) => {
    expect(cellText({ kind, about: '' }, null)).toBe('')
  },
)
