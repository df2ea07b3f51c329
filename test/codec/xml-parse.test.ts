import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseXml } from '../../src/codec/xml-parse.ts'
import { readXml } from '../../src/codec/xml-read.ts'
import { KpiError } from '../../src/domain/errors.ts'
import { ATTRIBUTE_LIMIT, BODY_LIMIT, ELEMENT_LIMIT, XML_PIECE_LIMIT } from '../../src/domain/limits.ts'
import { batchFlags } from '../../src/domain/resources/entry.ts'
import type { Pause } from '../../src/domain/pause.ts'
import { kpi } from '../../src/domain/resources/kpi.ts'
import { bodyFormats } from '../../src/server/api/body-format.ts'
import { xmlOf } from '../support/xml.ts'
import { runs } from '../support/soak/tests.ts'

/** Why a document is refused. */
const whyNot = async (text: string, pause?: Pause): Promise<string> => {
  try {
    await parseXml(text, pause)
  } catch (error) {
    if (error instanceof KpiError && error.code === 'malformed') return error.message
    throw error
  }
  return 'it was taken'
}

/** Attributes, each of a name of its own. */
const attributes = (count: number, name: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${name(at)}="c"`).join(' ')

const TOO_LONG = 'the body has a text, comment, name or value of more than 262144 characters'
/** What may be long in a document, in what stands before and behind it. */
const PIECES = [
  ['name', '<a', '/>'],
  ['value', '<a b="', '"/>'],
  ['text', '<a>', '</a>'],
  ['CDATA', '<a><![CDATA[', ']]></a>'],
  ['comment', '<a><!--', '--></a>'],
  ['instruction', '<a><?b ', '?></a>'],
  ['name of an attribute', '<a b', '=""/>'],
] as const
type Case = [what: string, text: string]
const LARGE = PIECES.slice(1).map(([what, start, end]): Case => [`a large ${what}`, start.padEnd(200_000, 'x') + end])
const TOO_LARGE = PIECES.map(([what, start, end]): [...Case, string] => [
  `too large a ${what}`,
  start.padEnd(XML_PIECE_LIMIT + 10_000, 'x') + end,
  TOO_LONG,
])

const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth)

describe('a document', () => {
  test.each([
    ['1,000 attributes in each of its elements', `<a>${`<b ${attributes(1000, (at) => `c${at}`)}/>`.repeat(5)}</a>`],
    ...LARGE,
    ['32 levels', nested(32)],
    ['200,000 elements', `<a>${'<b/>'.repeat(ELEMENT_LIMIT - 1)}</a>`],
    ['the namespace of XML itself', '<a xml:lang="en"/>'],
    ['a later version', '<?xml version="1.1"?><a/>'],
    ['an encoding that is a part of UTF-8', '<?xml version="1.0" encoding="US-ASCII"?><a/>'],
    ['what looks like a DOCTYPE as data', '<!-- <!DOCTYPE a> --><?b <!DOCTYPE a>?><a><![CDATA[<!DOCTYPE a>]]></a>'],
  ])('may have %s', async (_, text) => {
    expect(await parseXml(text)).toMatchObject({ name: 'a', isKnown: true, isNil: false })
  })

  test.each([
    ['33 levels', nested(33), 'the body is nested more than 32 deep'],
    ['a million levels', nested(1_000_000), 'the body is nested more than 32 deep'],
    ['a million levels that never end', '<a>'.repeat(1_000_000), 'the body is nested more than 32 deep'],
    ['200,001 elements', `<a>${'<b/>'.repeat(ELEMENT_LIMIT)}</a>`, 'the body has more than 200000 elements'],
    [
      '1,001 attributes of an element',
      `<a ${attributes(ATTRIBUTE_LIMIT + 1, (at) => `b${at}`)}/>`,
      'the body has an element with more than 1000 attributes',
    ],
    [
      '190,000 namespaces of an element',
      `<a ${attributes(190_000, (at) => `xmlns:b${at}`)}/>`,
      'the body has an element with more than 1000 attributes',
    ],
    ...TOO_LARGE,
    ['a DOCTYPE', '<!DOCTYPE a><a/>', 'the body has a DOCTYPE, which is not allowed'],
    [
      'a DOCTYPE from elsewhere',
      '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
      'the body has a DOCTYPE, which is not allowed',
    ],
    ['entities of its own', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'the body has a DOCTYPE, which is not allowed'],
    ['half a DOCTYPE', '<!DOCTYPE a [', 'the body has a DOCTYPE'],
    ['a DOCTYPE behind much else', '<?xml version="1.0"?>\r\n<!-- <a/> --> <?b <a/> ?>\n<!DOCTYPE a><a/>', 'a DOCTYPE'],
    ['a DOCTYPE behind a blank of XML 1.1', '<?xml version="1.1"?>\u2028\u0085<!DOCTYPE a><a/>', 'a DOCTYPE'],
    ['a DOCTYPE in its root', '<a><!DOCTYPE a></a>', 'inappropriately located doctype'],
    ['a DOCTYPE behind its root', '<a/><!DOCTYPE a>', 'inappropriately located doctype'],
    ['a DOCTYPE in small letters', '<!doctype a><a/>', ''],
    ['an entity other than the five', '<a>&nbsp;</a>', 'undefined entity'],
    ['an entity named as something else', '<a>&constructor;</a>', 'undefined entity'],
    ['an entity in an attribute', '<a b="&c;"/>', 'undefined entity'],
    ['a lone ampersand', '<a>b & c</a>', ''],
    ['a reference to NUL', '<a>&#0;</a>', 'malformed character entity'],
    ['a reference to half a character', '<a>&#xD800;</a>', 'malformed character entity'],
    ['a reference beyond all characters', '<a>&#x110000;</a>', 'malformed character entity'],
    ['a reference of many digits', `<a>&#${'9'.repeat(400)};</a>`, 'malformed character entity'],
    ['NUL', '<a>\0</a>', 'disallowed character'],
    ['a control character', '<a>\u0001</a>', 'disallowed character'],
    ['U+FFFE', '<a>\ufffe</a>', 'disallowed character'],
    ['nothing in it', '', 'document must contain a root element'],
    ['blanks only', ' \n', 'document must contain a root element'],
    ['a comment only', '<!-- a -->', 'document must contain a root element'],
    ['two roots', '<a/><a/>', 'documents may contain only one root'],
    ['text before it', 'x<a/>', 'text data outside of root node'],
    ['text behind it', '<a/>x', 'text data outside of root node'],
    ['CDATA behind it', '<a/><![CDATA[x]]>', ''],
    ['half an element', '<a>', 'unclosed tag: a'],
    ['half a tag', '<a><b', ''],
    ['half a comment', '<a/><!-- ', 'unexpected end'],
    ['half CDATA', '<a><![CDATA[x</a>', ''],
    ['ends that cross', '<a><b></a></b>', 'unexpected close tag'],
    ['an end in other letters', '<a></A>', ''],
    ['an attribute twice', '<a b="1" b="2"/>', 'duplicate attribute'],
    ['an attribute without quotes', '<a b=1/>', 'unquoted attribute value'],
    ['a tag in an attribute', '<a b="<"/>', ''],
    ['the end of CDATA in text', '<a>]]></a>', ''],
    ['a prefix that nothing is bound to', '<a><i:b/></a>', 'unbound namespace prefix: "i"'],
    ['an attribute whose prefix nothing is bound to', '<a i:nil="true"/>', 'unbound namespace prefix: "i"'],
    ['a declaration that is late', ' <?xml version="1.0"?><a/>', 'XML declaration must'],
    ['a declaration without a version', '<?xml encoding="utf-8"?><a/>', ''],
    [
      'another encoding',
      '<?xml version="1.0" encoding="ISO-8859-1"?><a/>',
      'the body names the encoding ISO-8859-1, which is not supported',
    ],
    ['UTF-16', '<?xml version="1.0" encoding="utf-16"?><a/>', 'encoding utf-16, which is not supported; send UTF-8'],
    ['JSON in it', '{"name":"A"}', 'text data outside of root node'],
  ])('with %s is refused', async (_, text, why) => {
    const told = await whyNot(text)
    expect(told).toMatch(/^the body /)
    expect(told).toContain(why)
    expect(told.length).toBeLessThan(300)
  })

  const filled = (size: number, start: string, unit: string, end = ''): string =>
    start + unit.repeat(Math.floor((size - start.length - end.length) / unit.length)) + end

  /** Enough for many slices: were the work more than in proportion to the size, it would not come to an end. */
  const MEBIBYTE = 1024 * 1024

  test.each([
    ['names', '</', 'a', '>'],
    ['a name that never ends', '<', 'a'],
    ['attributes', '<a ', 'b="" '],
    ['an attribute that never ends', '<a b="', 'c'],
    ['an entity that never ends', '<a>&', 'b'],
    ['ampersands', '<a>', '&'],
    ['a number that never ends', '<a>&#', '0'],
    ['a comment that never ends', '<a><!--', '- '],
    ['CDATA that never ends', '<a><![CDATA[', ']'],
    ['an instruction that never ends', '<a><?b ', '?'],
    ['comments that never end before it', '', '<!--'],
    ['instructions before it', '', '<?b?>'],
    ['brackets', '<a>', ']'],
    ['a DOCTYPE that never ends', '<!DOCTYPE ', 'a'],
    ['a DOCTYPE of quotes', '<!DOCTYPE a [', '"'],
    ['a DOCTYPE of entities', '<?b?><!DOCTYPE a [', '<!ENTITY b "c">'],
    ['elements', '<a>', '<b/>', '</a>'],
    ['ends', '<a>', '</a>'],
    ['angle brackets', '', '<'],
    ['blanks', '', ' '],
    ['line ends', '', '\r'],
  ])('of 1 MiB of %s is refused', async (_, start, unit, end = '') => {
    expect(await whyNot(filled(MEBIBYTE, start, unit, end))).toMatch(/^the body /)
  })

  /** How often others had their turn while something was done. */
  const turnsDuring = async (work: Promise<unknown>): Promise<number> => {
    const done = work.then(() => true)
    let turns = 0
    while (!(await Promise.race([done, setImmediate(false)]))) turns += 1
    return turns
  }

  test.each([
    ['short pieces of CDATA', '<a>', '<![CDATA[]]]]>', '</a>', 'taken'],
    ['instructions before it', '', '<?b?>', '<a/>', 'taken'],
  ])('of 1 MiB of %s leaves others their turns', async (_, start, unit, end, outcome) => {
    const judged = whyNot(filled(MEBIBYTE, start, unit, end), setImmediate)
    expect(await turnsDuring(judged)).toBeGreaterThan(100)
    expect(await judged).toContain(outcome)
  })

  test('with a DOCTYPE is refused at once, however much follows', async () => {
    expect(await turnsDuring(whyNot(filled(BODY_LIMIT, '<?b?><!DOCTYPE a [', '<!ENTITY b "c">')))).toBeLessThan(2)
  })

  test.each(['😀', 'a😀', '\r\n', 'a\r\n', '\r', '&amp;', '<![CDATA[]]]]>', '<b/>', '<!-- - -->', '<?b ??>'])(
    'of several slices is read as it is written, cut anywhere in %j',
    async (unit) => {
      const { text, children } = await parseXml(`<a>${unit}</a>`)
      for (let shift = 0; shift < unit.length; shift += 1) {
        const times = Math.ceil(150_000 / unit.length)
        const root = await parseXml(`<a>${'x'.repeat(shift)}${unit.repeat(times)}</a>`)
        expect(root.text === 'x'.repeat(shift) + text.repeat(times)).toBe(true)
        expect(root.children).toHaveLength(children.length * times)
      }
    },
  )
})

const ENTRY = { user_id: 1, kpi_id: 2, entry_date: '2026-11-21', actual: 5, notes: 'a & b <c> 😀' }
const GOOD: readonly string[] = [
  xmlOf(kpi, { name: 'Sales', target_default: null, is_active: true }, { prefix: 'k', gap: '\n' }),
  xmlOf(batchFlags, { entries: [ENTRY, ENTRY], hasNotes: false }, { cdata: true, gap: '<!-- x -->' }),
  `<?xml version="1.0" encoding="utf-8"?>${xmlOf(kpi, { name: 'Sales' })}`,
]
const SHARDS = [
  '<',
  '>',
  '/',
  '&',
  ';',
  '"',
  '=',
  ':',
  '<!',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '<?',
  '?>',
  '\0',
  '\r',
  'xmlns',
  '<!DOCTYPE ',
  '[',
  ']',
  '&#',
  '&#x',
  '__proto__',
  'nil',
  '<KPI>',
  '</KPI>',
  '<entries>',
  '<KPIEntry>',
].map((text) => Buffer.from(text))

/** Some bytes of a document put out, and others put in. */
const mutated = (document: string): fc.Arbitrary<Uint8Array> => {
  const bytes = Buffer.from(document)
  const change = fc.tuple(
    fc.nat(bytes.length),
    fc.nat(20),
    fc.oneof(fc.constantFrom(...SHARDS), fc.uint8Array({ maxLength: 5 })),
  )
  return fc
    .array(change, { minLength: 1, maxLength: 5 })
    .map((changes) =>
      changes.reduce<Uint8Array>(
        (all, [at, length, put]) => Buffer.concat([all.subarray(0, at), put, all.subarray(at + length)]),
        bytes,
      ),
    )
}

describe('whatever bytes come', () => {
  const outcome = async (bytes: Uint8Array, of: typeof kpi | typeof batchFlags): Promise<string> => {
    try {
      return typeof (await bodyFormats.xml.read(bytes, of))
    } catch (error) {
      return error instanceof KpiError ? error.code : String(error)
    }
  }

  test.each([
    ['random ones', fc.uint8Array({ maxLength: 200 })],
    ['shards', fc.array(fc.constantFrom(...SHARDS), { maxLength: 40 }).map((shards) => Buffer.concat(shards))],
    ['changed documents', fc.oneof(...GOOD.map(mutated))],
  ])('they are read or malformed: %s', async (_, bytes) => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom(kpi, batchFlags), async (sent, of) => {
        expect(['object', 'malformed']).toContain(await outcome(sent, of))
      }),
      { numRuns: runs(200, 10_000) },
    )
  })

  test('nothing stays from one document to the next', async () => {
    expect(await whyNot('<a xmlns:i="urn:x"><b>')).toContain('unclosed tag')
    expect(await readXml('<KPI><name>A</name></KPI>', kpi)).toEqual({ name: 'A' })
    expect(await whyNot('<i:a/>')).toContain('unbound namespace prefix')
  })
})
