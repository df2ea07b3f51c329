import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NAMESPACE, XSI } from '../../src/codec/xml-parse.ts'
import { errorToXml, listToXml, recordToXml } from '../../src/codec/xml-write.ts'
import { parseDay, parseInstant } from '../../src/domain/day.ts'
import { parseDecimal } from '../../src/domain/decimal.ts'
import { category } from '../../src/domain/resources/catalog.ts'
import { batchFlags, batchResult, entry } from '../../src/domain/resources/entry.ts'
import { health } from '../../src/domain/resources/service-status.ts'
import { resources } from '../../src/domain/resources/index.ts'
import { user } from '../../src/domain/resources/user.ts'
import type { AnyRecord, Field, FieldValue, Resource } from '../../src/domain/schema.ts'
import { classicRoutes as routes } from '../../src/server/api/routes/index.ts'
import { day } from '../support/calendar.ts'
import { readDocument, recordsOf, type XmlContent } from '../support/xml.ts'

/** A refusal as a whole document. */
const writtenError = (...error: Parameters<typeof errorToXml>): string => [...errorToXml(...error)].join('')
/** Records as one document. */
const listOf = (of: Resource, records: readonly AnyRecord[]): string => {
  const { begin, records: written, end } = listToXml(of, records)
  return begin + [...written].join('') + end
}

const HEAD = `xmlns="${NAMESPACE}" xmlns:i="${XSI}"`

describe('a record', () => {
  test('is an element of its fields in the order of the table, decimals with four places, null as nil', () => {
    const record = { target: 99_999_999_999_999_9999n, actual: -5000n, kpi_id: 2, id: 1, setActual: true }
    const times = { created_at: 0, updated_at: 1_795_262_400 }
    expect(recordToXml(entry, { ...record, ...times, entry_date: day('2026-11-21'), notes: ' a\nb' })).toBe(
      `<KPIEntry ${HEAD}><id>1</id><user_id i:nil="true"/><kpi_id>2</kpi_id><entry_date>2026-11-21</entry_date>` +
        '<actual>-0.5000</actual><target>99999999999999.9999</target><notes> a\nb</notes>' +
        '<created_at>1970-01-01T00:00:00</created_at><updated_at>2026-11-21T12:00:00</updated_at></KPIEntry>',
    )
  })

  test('never shows what is secret or write only', () => {
    expect(recordToXml(user, { password: null, can_manage_users: true })).toContain(
      '<password i:nil="true"/><can_manage_users>true</can_manage_users>',
    )
    expect(recordToXml(entry, { setActual: true, email: 'a@b', source_id: 7 })).not.toMatch(/setActual|email|source_id/)
  })

  test('may come in a list, also an empty one', async () => {
    const records = [
      { id: 1, name: 'A' },
      { id: 2, name: 'B' },
    ]
    const [root, content] = await readDocument(listOf(category, records))
    expect([root, (content as [string, XmlContent][]).map(([name]) => name)]).toEqual([
      'ArrayOfKPICategory',
      ['KPICategory', 'KPICategory'],
    ])
    expect(listOf(category, [])).toBe(`<ArrayOfKPICategory ${HEAD}></ArrayOfKPICategory>`)
  })
})

const valueOf = ({ kind }: Field, text: XmlContent): FieldValue | undefined => {
  if (typeof text !== 'string') return text === null ? null : undefined
  switch (kind) {
    case 'decimal':
      return parseDecimal(text)?.value
    case 'date':
      return parseDay(text)
    case 'datetime':
      return parseInstant(text)
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'integer':
    case 'int16':
      return Number(text)
    default:
      return text
  }
}

const readBack = (of: Resource, content: XmlContent): object =>
  Object.fromEntries(
    (content as [string, XmlContent][]).map(([name, text]) => [name, valueOf(of.fields[name] as Field, text)]),
  )

const served = [...resources.filter(({ name }) => name !== 'breakdown_item'), batchResult, health]

describe.each(served.map((of) => [of.root, of] as const))('any %s', (root, of) => {
  test('comes through XML as it was, alone and in a list', async () => {
    const one = recordsOf(of.shown)
    await fc.assert(
      fc.asyncProperty(one, fc.array(one, { maxLength: 3 }), async (record, records) => {
        const [name, content] = await readDocument(recordToXml(of, record))
        expect([name, readBack(of, content)]).toEqual([root, record])
        expect((content as [string, XmlContent][]).map(([field]) => field)).toEqual(of.shown.map((field) => field.name))
        const [listName, list] = await readDocument(listOf(of, records))
        const items = records.length === 0 ? [] : (list as [string, XmlContent][])
        expect([listName, items.map(([, item]) => readBack(of, item))]).toEqual([`ArrayOf${root}`, records])
      }),
      { numRuns: 50 },
    )
  })
})

test('every resource of the interface has a root of its own', () => {
  const roots = served.map(({ root }) => root)
  expect(roots.filter((root) => root === '')).toEqual([])
  expect(new Set(roots).size).toBe(roots.length)
  expect(roots).toEqual(expect.arrayContaining(['KPI', 'UserKPI', 'UserGroupItem', 'User', 'Group', 'GroupItem']))
  expect(roots).toEqual(expect.arrayContaining(['KPICategory', 'KPIFrequency', 'KPIUnit', 'KPIIcon', 'KPIEntry']))
  expect(roots).toEqual(expect.arrayContaining(['DataEntry', 'KPIEntryListResult']))
  expect(routes.filter(({ takes }) => takes?.root === '')).toEqual([])
  expect([batchFlags.root, batchFlags.lists?.['entries']?.root]).toEqual(['KPIEntryList', 'KPIEntry'])
})

describe('an error', () => {
  test('has its message, and its fields where there are some', () => {
    expect(writtenError('there is no <b> & "c"', [])).toBe(
      `<Error ${HEAD}><message>there is no &lt;b&gt; &amp; "c"</message></Error>`,
    )
    const issues = [
      { field: 'name', message: 'is required' },
      { index: 3, field: 'actual', message: 'must be a number' },
    ]
    expect(writtenError('2 fields are not valid', issues)).toBe(
      `<Error ${HEAD}><message>2 fields are not valid</message><errors>` +
        '<FieldError><field>name</field><message>is required</message></FieldError>' +
        '<FieldError><index>3</index><field>actual</field><message>must be a number</message></FieldError>' +
        '</errors></Error>',
    )
  })

  test('is XML whatever its message tells back', async () => {
    expect(writtenError('\0\u0001\u001f\ud800\udc00\ud800 \ufffe\uffff\u007f\u0085\ra\n\tb', [])).toContain(
      '<message>\ufffd\ufffd\ufffd\u{10000}\ufffd \ufffd\ufffd\ufffd\ufffd&#xD;a\n\tb</message>',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        async (message) => {
          const [root, content] = await readDocument(writtenError(message, [{ field: message, message }]))
          expect([root, (content as unknown[]).length]).toEqual(['Error', 2])
        },
      ),
    )
  })
})

test('a record never holds what the table does not', () => {
  const record: AnyRecord = { id: 1, name: 'A', colour: 'red' }
  expect(recordToXml(category, record)).not.toContain('red')
})
