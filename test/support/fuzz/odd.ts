import fc from 'fast-check'
import type { Node } from './document.ts'

/** Something usual, or with a chance of one in so many something else; failures are shrunk to what is usual. */
export const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T> =>
  fc.oneof({ withCrossShrink: true }, { weight: oneIn - 1, arbitrary: usual }, { weight: 1, arbitrary: odd })

/** Stand for the credentials of the service that a request is sent to. */
export const [TOKEN, KEY] = ['{token}', '{key}']

const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\n',
  'true',
  'TRUE',
  'null',
  '0',
  '-0',
  '12',
  ' 12 ',
  '+12',
  '1e2',
  '1.50000',
  '0x10',
  '１２',
  'D',
  'd',
  'DD',
  'SUM',
  'sum',
  'A',
  '2026-11-20',
  '2026-11-20T00:00:00',
  '2026-11-20T00:00:00.000Z',
  '2026-11-20 00:00:00+00:00',
  '2026-11-20T12:00:00',
  '2026-02-30',
  '1899-12-31',
  '2200-01-01',
  '+02026-11-20',
  '20261120',
  'ann@example.com',
  'ANN@EXAMPLE.COM',
  'a@b',
  'ı@example.com',
  '\u0000',
  'a\u0000b',
  '\u0007',
  '\u007f',
  '\u0085',
  '\u009f',
  '\ud800',
  '\udc00a',
  'a\ud83d',
  '\ufffe',
  '\uffff',
  '\ufeffx',
  '\u{1ffff}',
  '\u{10ffff}',
  'e\u0301',
  'İßﬁ',
  '\u202eabc',
  '\u200b',
  'a\r\nb\rc\nd',
  '<b>&amp;</b>',
  ']]>',
  '&#0;&#xD800;&lol;',
  '__proto__',
  "'; drop table kpis; --",
  '%00',
  '%s%n',
  TOKEN,
  KEY,
]

const ODD_DIGITS: readonly string[] = [
  '0',
  '-0',
  '-1',
  '1',
  '7',
  '1.5',
  '1.0',
  '100e-2',
  '0.00005',
  '-0.00005',
  '0.00004999999999999999999',
  '99999999999999.9999',
  '99999999999999.99995',
  '-99999999999999.99995',
  '100000000000000',
  '12345678901234567890',
  '9007199254740993',
  '32767',
  '32768',
  '-32769',
  '2147483648',
  '4294967297',
  '9223372036854775808',
  '1e400',
  '-1e400',
  '1e-400',
  '1e999999999',
  '1E+2',
  '0.1e1',
  '01',
  '+1',
  '.5',
  '1.',
  'NaN',
  'Infinity',
  '1_000',
  'undefined',
]

const nested = (depth: number, one: (inner: Node) => Node): Node => (depth === 0 ? null : one(nested(depth - 1, one)))

/** Lengths around the limits of texts, and some that are far over all. */
const LENGTHS = [20, 21, 25, 26, 50, 51, 100, 101, 150, 151, 255, 256, 500, 501, 5000, 100_000]

/** Text that is not what a field is for, and may be fatal to whoever is careless. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.tuple(fc.constantFrom('x', 'é', '😀', ' '), fc.constantFrom(...LENGTHS)).map(([one, times]) => one.repeat(times)),
)

/** A value that is not what a field is for. */
export const oddNode: fc.Arbitrary<Node> = fc.oneof(
  fc.constantFrom(null, true, false),
  { weight: 4, arbitrary: fc.constantFrom(...ODD_DIGITS).map((digits) => ({ digits })) },
  { weight: 4, arbitrary: oddText },
  fc.integer({ min: 10, max: 400 }).map((count) => ({ digits: '9'.repeat(count) })),
  fc.constantFrom<Node>([], [null], [[]], { fields: [] }, { fields: [['name', 'x']] }),
  fc
    .tuple(fc.constantFrom(2, 30, 31, 32, 33, 1000), fc.boolean())
    .map(([depth, isList]) => nested(depth, (inner) => (isList ? [inner] : { fields: [['a', inner]] }))),
)
