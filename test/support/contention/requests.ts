import { formatDay } from '../../../src/domain/day.ts'
import { FLOODS } from './floods.ts'
import { type Wire, wire } from './wire.ts'
import { CARRIER, type Contenders, DAILY, DOOMED, FIRST_DAY, POWER, RECIPROCAL, YEARLY } from './world.ts'

/** What a hostile client sends at once, each over a connection of its own. */
export type Attack = {
  readonly name: string
  readonly wires: (world: Contenders) => readonly Wire[]
  /** Tells that it is an attack only by all of its connections. */
  readonly isWhole?: boolean
  /** Tells that it does nothing any more once it was sent. */
  readonly isOnce?: boolean
}

/** Attacks on what happens before a database is asked, and on what it does. */
export type Attacks = { readonly reading: readonly Attack[]; readonly working: readonly Attack[] }

const MIB = 1024 * 1024
const BODY = 10 * MIB - 1024
/** A header may be so long. */
const LINE = 15_500
const BATCH = 5000

const attack = (name: string, wires: Attack['wires']): Attack => ({ name, wires })

/** Sends one header that is hard to read, without credentials. */
const header = (about: string, name: string, value: string): Attack =>
  attack(`${name} of ${about}`, () => [wire({ target: '/api/kpis', headers: { [name]: value } })])

const headers: readonly Attack[] = [
  header('7,800 times /s', 'Accept', `a${'/s'.repeat(7_800)}c`),
  header('7,800 times /s', 'Content-Type', `a${'/s'.repeat(7_800)}c`),
  header('commas', 'Accept', ','.repeat(LINE)),
  header('semicolons', 'Accept', `application/json${';'.repeat(LINE)}`),
  header('weights', 'Accept', 'a/b;q=0.1,'.repeat(LINE / 10)),
  header('plus signs', 'Accept', `a/${'+'.repeat(LINE)}json`),
  header('blanks', 'Accept', `a${' '.repeat(LINE)}b`),
  header('equal signs', 'Content-Type', `application/json;charset${'='.repeat(LINE)}`),
  header('quotes', 'Content-Type', `application/json;charset=${'"'.repeat(LINE)}`),
  header('backslashes', 'Content-Type', `application/json;charset="${'\\'.repeat(LINE)}`),
  header('blanks', 'Authorization', `Basic ${' '.repeat(LINE)}x`),
  header('15 KB of base64', 'Authorization', `Basic ${'QUFB'.repeat(LINE / 4)}`),
  header('15 KB of a key', 'Authorization', `Bearer kpi_key_${'a'.repeat(LINE)}_b`),
  header('commas', 'X-Forwarded-For', ','.repeat(LINE)),
  header('15 KB', 'Idempotency-Key', 'k'.repeat(LINE)),
  header('15 KB', 'Origin', `https://${'a.'.repeat(LINE / 2)}b`),
  header('15 KB of labels', 'Host', 'a.'.repeat(LINE / 2)),
  header('commas', 'Content-Encoding', ','.repeat(LINE)),
  attack('many headers', () => {
    const many = Object.fromEntries(Array.from({ length: 1300 }, (_, at) => [`X-${at}`, 'v']))
    return [wire({ target: '/api/kpis', headers: many })]
  }),
  attack('8 KiB of slashes', () => [wire({ target: `/api${'/'.repeat(8000)}kpis` })]),
  attack('8 KiB of escapes', () => [wire({ target: `/api/${'%25'.repeat(2600)}` })]),
  attack('8 KiB of parameters', () => [wire({ target: `/api/kpis?${'a&'.repeat(4000)}` })]),
  attack('100 wrong logins', () =>
    Array.from({ length: 100 }, (_, at) => {
      const login = Buffer.from(`nobody${at}@example.com:kpi_token_${at}`).toString('base64')
      return wire({ target: '/api/kpis', headers: { Authorization: `Basic ${login}` } })
    }),
  ),
]

type Format = 'json' | 'xml'

/** Sends one body that is hard to read, in as many requests at once as it says. */
const body = (name: string, format: Format, path: string, text: () => Buffer | string, times = 1): Attack =>
  attack(name, ({ hostile }) => {
    const headers = { Authorization: hostile.basic, 'Content-Type': `application/${format}` }
    const bytes = Buffer.from(text())
    return Array.from({ length: times }, () => wire({ method: 'POST', target: `/api/${path}`, headers, body: bytes }))
  })

/** Repeats a text up to the size that a body may have, between two others. */
const filled = (before: string, part: string, after: string): string =>
  before + part.repeat(Math.floor((BODY - before.length - after.length) / Buffer.byteLength(part))) + after

const numbered = (before: string, part: (at: number) => string, after: string, count: number): string =>
  before + Array.from({ length: count }, (_, at) => part(at)).join(',') + after

const LONG_NUMBER = (): string => filled('{"name":', '7', '}')

const json: readonly Attack[] = [
  body('JSON: one long number', 'json', 'kpis', LONG_NUMBER),
  body('JSON: a long fraction', 'json', 'kpis', () => filled('{"target_default":0.', '7', '}')),
  body('JSON: a long exponent', 'json', 'kpis', () => filled('{"target_default":1e', '7', '}')),
  body('JSON: a long number as text', 'json', 'kpis', () => filled('{"target_default":"', '7', '"}')),
  body('JSON: long numbers', 'json', 'kpis', () => filled('{"a":[1', `,${'7'.repeat(10_000)}`, ']}')),
  body('JSON: numbers that no double holds', 'json', 'kpis', () => filled('{"a":[1', ',12345678901234567890.1', ']}')),
  body('JSON: 1,000,000 keys', 'json', 'kpis', () => numbered('{', (at) => `"${at}":1`, '}', 780_000)),
  body('JSON: one key again and again', 'json', 'kpis', () => filled('{"a":1', ',"a":1', '}')),
  body('JSON: a known key in all cases', 'json', 'kpis', () => filled('{"name":1', ',"NaMe":1', '}')),
  body('JSON: elements', 'json', 'kpis', () => filled('[1', ',1', ']')),
  body('JSON: objects', 'json', 'kpis', () => filled('[{}', ',{}', ']')),
  body('JSON: deep lists', 'json', 'kpis', () => filled('', '[', '')),
  body('JSON: deep objects', 'json', 'kpis', () => filled('', '{"a":', '')),
  body('JSON: one long text', 'json', 'kpis', () => filled('{"name":"', 'x', '"}')),
  body('JSON: one long text of blanks', 'json', 'kpis', () => filled('{"name":"x', ' ', 'x"}')),
  body('JSON: escapes', 'json', 'kpis', () => filled('{"name":"', String.raw`\u0041`, '"}')),
  body('JSON: line ends', 'json', 'kpis', () => filled('{"name":"', String.raw`\r\n`, '"}')),
  body('JSON: one long key', 'json', 'kpis', () => filled('{"', 'x', '":1}')),
  body('JSON: blanks', 'json', 'kpis', () => filled('', ' ', '{}')),
  body('JSON: bytes that are no UTF-8', 'json', 'kpis', () => Buffer.alloc(BODY, 0xff)),
  body('JSON: a long date', 'json', 'kpientries', () =>
    filled(`{"user_id":2,"kpi_id":1,"entry_date":"2026-01-01T00:00:00.`, '0', '"}'),
  ),
  body('JSON: a long address', 'json', 'kpientries', () => filled('{"email":"a@', 'b.', '"}')),
  body('JSON: 10 bodies at once', 'json', 'kpis', LONG_NUMBER, 10),
  body('JSON: 60 bodies of 1 MB at once', 'json', 'kpis', () => `{"a":[${'{},'.repeat(199_000)}1]}`, 60),
  attack('JSON: 100 bodies at once, without credentials', () => {
    const bytes = Buffer.from(filled('{"a":["x"', ',"12345678"', ']}'))
    const headers = { 'Content-Type': 'application/json' }
    return Array.from({ length: 100 }, () => wire({ method: 'POST', target: '/api/kpis', headers, body: bytes }))
  }),
  body('JSON: 100 bodies at once', 'json', 'kpis', () => filled('{"a":["x"', ',"12345678"', ']}'), 100),
]

const XMLNS = 'xmlns="http://schemas.datacontract.org/2004/07/SimpleKPI.Application.Areas.Api.Models"'

const xml: readonly Attack[] = [
  body(
    'XML: 190,000 namespaces on one tag',
    'xml',
    'kpis',
    () => `<KPI ${Array.from({ length: 190_000 }, (_, at) => `xmlns:a${at}="b"`).join(' ')}/>`,
  ),
  body(
    'XML: attributes',
    'xml',
    'kpis',
    () => `<KPI ${Array.from({ length: 600_000 }, (_, at) => `a${at}="b"`).join(' ')}/>`,
  ),
  body('XML: one long attribute', 'xml', 'kpis', () => filled('<KPI a="', 'x', '"/>')),
  body('XML: line ends in an attribute', 'xml', 'kpis', () => filled('<KPI a="', '\n', '"/>')),
  body('XML: one long text', 'xml', 'kpis', () => filled('<KPI><name>', 'x', '</name></KPI>')),
  body('XML: references', 'xml', 'kpis', () => filled('<KPI><name>', '&amp;', '</name></KPI>')),
  body('XML: one long reference', 'xml', 'kpis', () => filled('<KPI><name>&', 'a', ';</name></KPI>')),
  body('XML: one long comment', 'xml', 'kpis', () => filled('<KPI><!--', 'x', '--></KPI>')),
  body('XML: comments', 'xml', 'kpis', () => filled('<KPI>', '<!---->', '</KPI>')),
  body('XML: sections', 'xml', 'kpis', () => filled('<KPI><name>', '<![CDATA[]]>', '</name></KPI>')),
  body('XML: one long section', 'xml', 'kpis', () => filled('<KPI><name><![CDATA[', ']', ']]></name></KPI>')),
  body('XML: instructions', 'xml', 'kpis', () => filled('<KPI>', '<?a b?>', '</KPI>')),
  body('XML: elements', 'xml', 'kpis', () => filled('<KPI>', '<a/>', '</KPI>')),
  body('XML: deep elements', 'xml', 'kpis', () => filled('', '<a>', '')),
  body('XML: one long name', 'xml', 'kpis', () => filled('<', 'a', '/>')),
  body('XML: a doctype', 'xml', 'kpis', () => filled('<!DOCTYPE a [', '<!ENTITY a "b">', ']><KPI/>')),
  body('XML: blanks', 'xml', 'kpis', () => filled('', '\n', '<KPI/>')),
  body('XML: a long number', 'xml', 'kpis', () => filled('<KPI><target_default>', '7', '</target_default></KPI>')),
  body('XML: 10 bodies at once', 'xml', 'kpis', () => filled(`<KPI ${XMLNS}>`, '<a>b</a>', '</KPI>'), 10),
]

/** A batch of entries of the user with all the group items, in another year each time. */
const batchOf = (entry: (at: number) => object): string =>
  JSON.stringify({ entries: Array.from({ length: BATCH }, (_, at) => entry(at)) })

const day = (at: number): string => formatDay(FIRST_DAY - 1 - at)

const batches: readonly Attack[] = [
  body('batch: a user of many group items', 'json', 'kpientries/list', () =>
    batchOf((at) => ({ user_id: CARRIER, kpi_id: DAILY, entry_date: day(at), actual: at })),
  ),
  body('batch: all wrong', 'json', 'kpientries/list', () =>
    batchOf(() => ({ user_id: 'x', kpi_id: 'x', entry_date: 'x', actual: 'x', target: 'x', notes: 7, setActual: 'x' })),
  ),
  body('batch: many unknown fields', 'json', 'kpientries/list', () =>
    batchOf((at) => ({
      ...Object.fromEntries(Array.from({ length: 35 }, (_, field) => [`x${field}`, 1])),
      user_id: at,
    })),
  ),
  body('batch: people nobody knows', 'json', 'kpientries/list', () =>
    batchOf((at) => ({ email: `nobody${at}@example.com`, kpi_id: at + 1000, entry_date: day(at), actual: at })),
  ),
  body('batch: long notes', 'json', 'kpientries/list', () =>
    batchOf((at) => ({ user_id: CARRIER, kpi_id: DAILY, entry_date: day(at), notes: 'x'.repeat(500), actual: at })),
  ),
  body(
    'batch: 10 at once',
    'json',
    'kpientries/list',
    () => batchOf((at) => ({ user_id: CARRIER, kpi_id: DAILY, entry_date: day(at), addToActual: true, actual: at })),
    10,
  ),
]

const RANGE = 'dateFrom=1900-01-01&dateTo=2199-12-31'

/** Asks for something that takes long to read, as often at once as it says. */
const read = (name: string, target: string, times = 1, more: Readonly<Record<string, string>> = {}): Attack =>
  attack(name, ({ hostile }) => {
    const isNewer = target.startsWith('/v1')
    const headers = { Authorization: isNewer ? hostile.bearer : hostile.basic, ...more }
    return Array.from({ length: times }, () => wire({ target, headers }))
  })

/** The same for the account that has many people and KPIs. */
const readCrowd = (name: string, target: string, times = 1, more: Readonly<Record<string, string>> = {}): Attack => ({
  name,
  wires: (world) => read(name, target, times, more).wires({ ...world, hostile: world.crowded }),
})

const report = `/api/reports/AllDataEntries?${RANGE}`
const ids = Array.from({ length: 1500 }, (_, at) => at + 1).join(',')

/** Posts something that can be done once. */
const post = (name: string, bodyOf: (size: Contenders['size']) => object, target: string): Attack => ({
  name,
  wires: ({ hostile, size }) => {
    const headers = { Authorization: hostile.basic, 'Content-Type': 'application/json' }
    return [wire({ method: 'POST', target, headers, body: Buffer.from(JSON.stringify(bodyOf(size))) })]
  },
  isOnce: true,
})

const EACH_OF = '/api/kpientries/runs'

const reads: readonly Attack[] = [
  read('report: the whole range', report),
  read('report: the whole range, newer', `/v1/reports/AllDataEntries?${RANGE}`),
  read('report: the whole range in XML', report, 1, { 'Content-Type': 'application/xml' }),
  { ...read('report: the whole range, 100 at once', report, 100), isWhole: true },
  read('report: 8 KiB of ids', `${report}&kpiIds=${DAILY}&userIds=${ids}`),
  read('report: all group items', `${report}&groupItemIds=${ids}`),
  read('report: long notes', `${report}&kpiIds=${YEARLY}`),
  read('report: long notes, 10 at once', `${report}&kpiIds=${YEARLY}`, 10),
  read('report: growing fractions', `${report}&kpiIds=${RECIPROCAL},${POWER}`),
  read('list: page 2,000 of all entries', `/api/kpientries?${RANGE}&page=2000`),
  read('list: page 400 of one KPI', `/api/kpientries?${RANGE}&kpiid=${DAILY}&page=400`),
  read('list: 50 first pages at once', `/api/kpientries?${RANGE}`, 50),
  read('list: page 2,000 of all entries, newer', `/v1/kpientries?${RANGE}&page=2000`),
  read('list: all users, 20 at once', '/api/users', 20),
  read('list: all breakdown items, 20 at once', '/v1/breakdownitems', 20),
  read('list: the user with all group items', `/api/users/${CARRIER}/groupitems`),
  read('description: 100 at once', '/api/openapi.json', 100),
  read('sums: of all entries', `/api/kpientries/sums?${RANGE}`),
  read('sums: of 8 KiB of ids, newer', `/v1/kpientries/sums?${RANGE}&userIds=${ids}`),
  // The first group item comes after the people.
  post(
    'group item: onto all entries',
    ({ users }) => ({
      group_item_id: users + 2,
      user_ids: Array.from({ length: users }, (_, at) => at + 2).join(','),
      date_from: '1900-01-01',
      dry_run: false,
    }),
    `${EACH_OF}/onto/groupitem`,
  ),
  post('group item: off all entries', () => ({ dry_run: false }), `${EACH_OF}/onto/undo`),
  post(
    'delete: many entries',
    ({ entries }) => ({ count: entries / 2 }),
    `${EACH_OF}/gone/delete?${RANGE}&kpiIds=${DOOMED}`,
  ),
  post('delete: many entries, taken back', () => ({ dry_run: false }), `${EACH_OF}/gone/undo`),
  {
    name: 'delete: a KPI with many entries',
    wires: ({ hostile }) => [
      wire({ method: 'DELETE', target: `/api/kpis/${DOOMED}`, headers: { Authorization: hostile.basic } }),
    ],
    isOnce: true,
  },
]

const crowds: readonly Attack[] = [
  readCrowd('crowd: all users, 10 at once', '/api/users', 10),
  readCrowd('crowd: all KPIs, 10 at once', '/api/kpis', 10),
  readCrowd('crowd: all KPIs in XML', '/api/kpis', 1, { Accept: 'application/xml' }),
  readCrowd('crowd: all KPIs of a category, newer', '/v1/kpicategories/1/kpis'),
  readCrowd('crowd: all breakdown items, newer, 5 at once', '/v1/breakdownitems', 5),
  readCrowd('crowd: report of a day', '/api/reports/AllDataEntries?dateFrom=2026-01-01&dateTo=2026-01-01', 3),
  readCrowd('crowd: report, newer', `/v1/reports/AllDataEntries?${RANGE}`),
]

/** All attacks, in an order in which none takes away what a later one needs. */
export const ATTACKS: Attacks = {
  reading: [...headers, ...FLOODS, ...json, ...xml],
  working: [...batches, ...reads, ...crowds],
}
