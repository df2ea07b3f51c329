import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBatch } from '../../src/codec/batch.ts'
import { draftToJson, type Json, readDraft, readPatch, recordToJson } from '../../src/codec/json.ts'
import { NAMESPACE, XSI } from '../../src/codec/xml-parse.ts'
import { readXml } from '../../src/codec/xml-read.ts'
import { recordToXml } from '../../src/codec/xml-write.ts'
import { type Draft, type Field, type NamedField, type Resource } from '../../src/domain/schema.ts'
import { batchFlags, entry } from '../../src/domain/resources/entry.ts'
import { kpi } from '../../src/domain/resources/kpi.ts'
import { userGroupItem } from '../../src/domain/resources/groups.ts'
import { classicRoutes as routes } from '../../src/server/api/routes/index.ts'
import { recordsOf, type Style, xmlOf } from '../support/xml.ts'

const I = `xmlns:i="${XSI}"`

describe('a body', () => {
  test.each<[string, string, Json]>([
    [
      'is its fields, in any order',
      '<KPI><sort_order>1</sort_order><name>A</name></KPI>',
      { sort_order: '1', name: 'A' },
    ],
    ['may be in the namespace', `<KPI xmlns="${NAMESPACE}"><name>A</name></KPI>`, { name: 'A' }],
    ['may be in the namespace by a prefix', `<k:KPI xmlns:k="${NAMESPACE}"><k:name>A</k:name></k:KPI>`, { name: 'A' }],
    ['may be in the namespace in part', `<KPI xmlns:k="${NAMESPACE}"><k:name>A</k:name></KPI>`, { name: 'A' }],
    ['may hold nothing', '<KPI/>', {}],
    [
      'may have blanks, comments and instructions',
      '\n<!-- a --><?b c?>\n<KPI>\n <!-- d --><name>A</name>\n</KPI>\n<!---->',
      { name: 'A' },
    ],
    [
      'may have a declaration',
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><KPI><name>A</name></KPI>',
      { name: 'A' },
    ],
    ['may have a declaration in small letters', "<?xml version='1.0' encoding='utf-8'?><KPI/>", {}],
    ['may have a byte order mark', '\ufeff<KPI/>', {}],
    [
      'has entities and references',
      '<KPI><name>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#x1F600;</name></KPI>',
      { name: '<>&"\'AB😀' },
    ],
    ['has CDATA', '<KPI><name>a<![CDATA[<b>&amp;</b>]]>c</name></KPI>', { name: 'a<b>&amp;</b>c' }],
    ['has text around a comment', '<KPI><name>a<!-- x -->b</name></KPI>', { name: 'ab' }],
    ['has line ends as LF', '<KPI><name>a\r\nb\rc</name></KPI>', { name: 'a\nb\nc' }],
    [
      'has empty elements as blank text',
      '<KPI><name/><description></description></KPI>',
      { name: '', description: '' },
    ],
    [
      'has null',
      `<KPI ${I}><name i:nil="true"/><description i:nil="1"></description></KPI>`,
      { name: null, description: null },
    ],
    ['has null by any prefix', `<KPI xmlns:any="${XSI}"><name any:nil=" true "/></KPI>`, { name: null }],
    ['has null by a prefix bound where it is used', `<KPI><name p:nil="true" xmlns:p="${XSI}"/></KPI>`, { name: null }],
    [
      'has what is not nil',
      `<KPI ${I}><name i:nil="false">A</name><unit_id nil="true">1</unit_id></KPI>`,
      { name: 'A', unit_id: '1' },
    ],
    [
      'has nil of another namespace as text',
      '<KPI xmlns:i="urn:other"><name i:nil="true">A</name></KPI>',
      { name: 'A' },
    ],
    ['has other attributes', '<KPI a="1"><name lang="en" xml:space="preserve"> A </name></KPI>', { name: ' A ' }],
    [
      'has unknown elements, with anything in them',
      '<KPI><Colour>x</Colour><colour>red<name>x</name></colour><name>A</name></KPI>',
      { name: 'A' },
    ],
    [
      'has elements of another namespace',
      '<KPI xmlns:o="urn:other"><name>A</name><o:name>B</o:name></KPI>',
      { name: 'A' },
    ],
    [
      'has names that mean something elsewhere',
      '<KPI><__proto__>x</__proto__><constructor/><toString/><name>A</name></KPI>',
      { name: 'A' },
    ],
    ['has an element given twice: the last counts', '<KPI><name>A</name><name>B</name></KPI>', { name: 'B' }],
    [
      'has booleans',
      '<KPI><is_active> 1 </is_active><is_calculated>0</is_calculated></KPI>',
      { is_active: 'true', is_calculated: 'false' },
    ],
    ['has booleans that are none', '<KPI><is_active>__proto__</is_active></KPI>', { is_active: '__proto__' }],
    [
      'has text that looks like a boolean',
      '<KPI><name>1</name><unit_id>1</unit_id></KPI>',
      { name: '1', unit_id: '1' },
    ],
    [
      'has a root and elements in other letters',
      '<kpi><NAME>A</NAME><Unit_Id>5</Unit_Id></kpi>',
      { NAME: 'A', Unit_Id: '5' },
    ],
    ['has an element in a value as no value', '<KPI><name>a<b>c</b></name></KPI>', { name: {} }],
  ])('%s', async (_, text, expected) => {
    const read = await readXml(text, kpi)
    expect(read).toStrictEqual(expected)
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })

  test('of a link is the id alone', async () => {
    expect(await readXml('<UserGroupItem><id>5</id></UserGroupItem>', userGroupItem)).toEqual({ id: '5' })
  })

  test.each([
    ['<User/>', 'the body is <User>, it must be <KPI> with its fields in it'],
    [`<${'x'.repeat(500)}/>`, ', it must be <KPI>'],
    ['<ArrayOfKPI><KPI/></ArrayOfKPI>', 'the body is <ArrayOfKPI>, it must be <KPI>'],
    ['<KPI xmlns="urn:other"/>', 'the body is <KPI> of another namespace, it must be <KPI>'],
    [`<KPI ${I} i:nil="true"/>`, 'the body is null, it must be <KPI>'],
    ['<__proto__/>', 'the body is <__proto__>, it must be <KPI>'],
    ['<KPI>Sales</KPI>', 'the body has text directly in <KPI>, where only elements may stand'],
    ['<KPI><name>A</name>,</KPI>', 'the body has text directly in <KPI>'],
  ])('that is %s is refused', async (text, why) => {
    await expect(readXml(text, kpi)).rejects.toThrow(
      expect.objectContaining({ code: 'malformed', message: expect.stringContaining(why) as string }) as Error,
    )
  })
})

const SENT = { user_id: 1, kpi_id: 2, entry_date: '2026-11-21', actual: 5 }

describe('a batch', () => {
  const read = (inside: string): Promise<Json> => readXml(`<KPIEntryList ${I}>${inside}</KPIEntryList>`, batchFlags)

  test.each<[string, string, Json]>([
    [
      'has entries and flags',
      '<entries><KPIEntry><kpi_id>2</kpi_id></KPIEntry></entries><hasNotes>0</hasNotes>',
      { entries: [{ kpi_id: '2' }], hasNotes: 'false' },
    ],
    [
      'may have its flags first',
      '<hasActuals>true</hasActuals><entries><KPIEntry/></entries>',
      { hasActuals: 'true', entries: [{}] },
    ],
    [
      'has flags on its entries',
      '<entries><KPIEntry><addToActual>1</addToActual></KPIEntry></entries>',
      { entries: [{ addToActual: 'true' }] },
    ],
    ['has unknown elements between its entries', '<entries><Other>x</Other><KPIEntry/></entries>', { entries: [{}] }],
    ['has an entry that is null', '<entries><KPIEntry i:nil="true"/><KPIEntry/></entries>', { entries: [null, {}] }],
    ['may have no entries', '<entries/>', { entries: [] }],
    ['may have null for entries', '<entries i:nil="true"/>', { entries: null }],
    ['may be empty', '', {}],
    ['has no entries outside of its list', '<KPIEntry/>', {}],
  ])('%s', async (_, inside, expected) => {
    expect(await read(inside)).toStrictEqual(expected)
  })

  test.each(['<entries>5</entries>', '<entries><KPIEntry>5</KPIEntry></entries>', 'entries'])(
    'with text for elements, %s, is malformed',
    async (inside) => {
      await expect(read(inside)).rejects.toThrow(expect.objectContaining({ code: 'malformed' }) as Error)
    },
  )

  test('may be written in any letters', async () => {
    const text =
      '<kpientrylist><ENTRIES><kpiEntry><User_ID>1</User_ID><Kpi_Id>2</Kpi_Id><entry_date>2026-11-21T00:00:00Z</entry_date>' +
      '<Actual>5</Actual></kpiEntry></ENTRIES><hasnotes>false</hasnotes></kpientrylist>'
    const sent = await readBatch(await readXml(text, batchFlags), true)
    expect(sent).toEqual(await readBatch({ entries: [SENT], hasNotes: false }, true))
  })

  test('is read as its JSON is, faults included', async () => {
    const body = { entries: [SENT, { ...SENT, actual: 'x' }, {}], hasTargets: false }
    expect(await readBatch(await readXml(xmlOf(batchFlags, body), batchFlags), true)).toEqual(
      await readBatch(body, true),
    )
  })
})

/** What XML cannot hold, nor even refer to. */
const UNWRITABLE = /[[\p{Cc}\ufffe\uffff]--[\n\t\r\u007f-\u009f]]/gv
const anyText = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replace(UNWRITABLE, '\u0080'))

const junk = ({ kind }: Field): fc.Arbitrary<Json> =>
  fc
    .oneof(anyText, fc.constantFrom('', ' ', '5', '-1.50', '1e3', 'true', 'True', '2026-02-30', 'D', null))
    .filter((value) => kind !== 'boolean' || (value ?? '').trim().length > 1)

const styles: fc.Arbitrary<Style> = fc.record({
  prefix: fc.constantFrom('', 'k', 'a.b-c'),
  named: fc.boolean(),
  nilPrefix: fc.constantFrom('i', 'xsi', '_'),
  cdata: fc.boolean(),
  gap: fc.constantFrom('', '\n  ', '<!-- <name>x</name> -->', '<?x y?>\t'),
})

/** Some of the fields, in any order. */
const some = (values: fc.Arbitrary<Readonly<Record<string, Json>>>): fc.Arbitrary<Readonly<Record<string, Json>>> =>
  values.chain((all) =>
    fc.shuffledSubarray(Object.keys(all)).map((names) => Object.fromEntries(names.map((name) => [name, all[name]]))),
  )

const junkOf = (fields: readonly NamedField[]): fc.Arbitrary<Readonly<Record<string, Json>>> =>
  fc.record(Object.fromEntries(fields.map(({ name, field }) => [name, junk(field)])))

const taken = [...new Set(routes.map(({ takes }) => takes).filter((of) => of !== undefined))]

describe.each(taken.map((of) => [of.root, of] as const))('whatever is sent of %s', (_, of: Resource) => {
  const sameInBoth = async (body: Readonly<Record<string, Json>>, style: Style): Promise<void> => {
    const read = await readXml(xmlOf(of, body, style), of)
    expect(readDraft(of, read, true)).toEqual(readDraft(of, body, true))
    expect(readPatch(of, read, true)).toEqual(readPatch(of, body, true))
  }

  test('is read from XML as from JSON, good values', async () => {
    const drafts = recordsOf(of.writable).map((draft) => draftToJson(of, draft as Draft<Resource>))
    await fc.assert(fc.asyncProperty(some(drafts), styles, sameInBoth), { numRuns: 60 })
  })

  test('is read from XML as from JSON, bad values', async () => {
    await fc.assert(fc.asyncProperty(some(junkOf([...of.writable, ...of.shown])), styles, sameInBoth), { numRuns: 60 })
  })

  test('may be what was read before', async () => {
    await fc.assert(
      fc.asyncProperty(recordsOf(of.shown), async (record) => {
        const read = await readXml(recordToXml(of, record), of)
        expect(readPatch(of, read, true)).toEqual(readPatch(of, recordToJson(of, record), true))
      }),
      { numRuns: 60 },
    )
  })
})

test('an entry may be named by user or address', async () => {
  const text = '<KPIEntry><email>a@example.com</email><user_id/></KPIEntry>'
  expect(await readXml(text, entry)).toEqual({ email: 'a@example.com', user_id: '' })
})
