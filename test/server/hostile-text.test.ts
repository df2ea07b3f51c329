import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import { bearer } from '../support/newer.ts'
import { type Asked, askV1, startService, type Service, textOf } from '../support/service.ts'
import { dial, head, sendThenRead } from '../support/socket.ts'
import { ask, type Asker } from '../support/suite/ask.ts'
import type { Format, Question, Row } from '../support/suite/row.ts'
import { readXml, writeXml } from '../support/suite/xml.ts'
import { kpi } from '../support/suite/world.ts'

const FORMATS: readonly Format[] = ['json', 'xml']
const MEBIBYTE = 1024 * 1024

let service: Service
let server: Listener
let asker: Asker
beforeAll(async () => {
  service = await startService()
  server = await listen(service.handler, '127.0.0.1', 0)
  asker = { service, url: server.url }
  await ask(asker, { ask: 'POST /kpis', body: kpi('First') }, 'json')
})
afterAll(async () => {
  await server.close()
  await service[Symbol.asyncDispose]()
})

/** Asks, makes sure that nothing unforeseen happened and that the next request works, and answers the status. */
const statusOf = async (row: Question & Partial<Row>, format: Format): Promise<number> => {
  const { status } = await ask(asker, row, format)
  const next = await ask(asker, { ask: 'GET /kpis/1' }, format)
  expect([next.status, service.logged]).toEqual([200, []])
  return status
}

const nameIn = (text: string, format: Format): unknown => {
  const value: unknown = format === 'json' ? JSON.parse(text) : readXml(text).value
  return Object(value).name as unknown
}

const TEXTS = [
  `'; drop table kpis; --`,
  '" or 1=1 /*',
  `Robert'); DELETE FROM users WHERE ('1'='1`,
  '?1 $1 :name @name ?',
  '<script>alert("x")</script>',
  '<KPI i:nil="true"/>',
  '<![CDATA[x]]>',
  ']]>',
  '<!-- x --> <?php x ?> <!DOCTYPE x>',
  '&lt;b&gt; &amp;amp; &#65; &nbsp;',
  '../../../../etc/passwd',
  String.raw`C:\Windows\system32\..\x`,
  '%s%n%d %00 %2e%2e/',
  '${7*7} {{7*7}} #{7*7} `id` $(id)',
  '=cmd|"/c calc"!A1',
  'null',
  'undefined',
  'NaN',
  'true',
  '-0',
  '1e400',
  '{"name":"x"}',
  '[object Object]',
  '__proto__',
  'constructor',
  '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 📈',
  '\u202eשלום עולם\u202c مرحبا',
  'e\u0301 is not é, ﬁ is not fi, Å is not Å',
  'z\u200ba\u0300\u0301\u0302\u0303l\u0335g\u0336o',
  '𝕏\u{10fffd}\u00a0\u2028x\u2029y',
  'tab\tand\nlines',
]

describe.each(FORMATS)('text that came in %s', (format) => {
  test.each(TEXTS)('is data: %j', async (name) => {
    const made = await ask(asker, { ask: 'POST /kpis', root: 'KPI', body: kpi(name, { description: name }) }, format)
    expect(made.status).toBe(201)
    const path = String(made.headers.location).replace('/api', '')
    for (const one of FORMATS) {
      const { text } = await ask(asker, { ask: `GET ${path}` }, one)
      expect(nameIn(text, one)).toBe(name)
    }
    expect(await statusOf({ ask: `DELETE ${path}` }, format)).toBe(200)
  })
})

const inside = (json: string, xml: string): Row['raw'] => ({
  json: `{"name":${json}}`,
  xml: `<KPI><name>${xml}</name></KPI>`,
})
const bytes = (...list: readonly (string | Uint8Array)[]): Uint8Array =>
  Buffer.concat(list.map((one) => Buffer.from(one)))
const broken = (...list: number[]): Row['raw'] => ({
  json: bytes('{"name":"', Uint8Array.from(list), '"}'),
  xml: bytes('<KPI><name>', Uint8Array.from(list), '</name></KPI>'),
})
const deep = (levels: number): Row['raw'] => ({
  json: `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
  xml: `<KPI>${'<a>'.repeat(levels - 1)}${'</a>'.repeat(levels - 1)}</KPI>`,
})
const keys = (count: number, name: (at: number) => string): string =>
  `{${Array.from({ length: count }, (_, at) => `"${name(at)}":1`).join(',')}}`

/** Bodies, and what they are answered in a format. */
const BODIES: readonly (readonly [what: string, status: number, raw: Row['raw']])[] = [
  ['a byte order mark', 200, { json: '\ufeff{"name":"x"}', xml: '\ufeff<KPI><name>x</name></KPI>' }],
  ['a NUL', 400, inside('"a\\u0000b"', 'a\u0000b')],
  ['a control character', 400, inside('"a\\u0007b"', 'a&#7;b')],
  ['a lone surrogate', 400, inside('"\\ud800"', '&#xD800;')],
  ['what is no character', 400, inside('"\\uffff"', '&#xFFFF;')],
  ['a byte that is not UTF-8', 400, broken(0xff)],
  ['half a character', 400, broken(0xe2, 0x82)],
  ['an overlong character', 400, broken(0xc0, 0xaf)],
  ['a surrogate in UTF-8', 400, broken(0xed, 0xa0, 0x80)],
  ['32 levels', 200, deep(32)],
  ['33 levels', 400, deep(33)],
  ['100,000 levels', 400, deep(100_000)],
  ['levels that never end', 400, { json: '['.repeat(MEBIBYTE), xml: '<a>'.repeat(MEBIBYTE) }],
  ['text without an end', 400, { json: '"'.padEnd(MEBIBYTE, 'x'), xml: '<KPI><name>'.padEnd(MEBIBYTE, 'x') }],
  [
    'a number of a million digits',
    400,
    {
      json: `{"target_default":${'9'.repeat(1e6)}}`,
      xml: `<KPI><target_default>${'9'.repeat(1e6)}</target_default></KPI>`,
    },
  ],
  [
    'a million fraction digits',
    400,
    {
      json: `{"target_default":0.${'3'.repeat(1e6)}}`,
      xml: `<KPI><target_default>0.${'3'.repeat(1e6)}</target_default></KPI>`,
    },
  ],
  [
    'a number out of range',
    400,
    { json: '{"sort_order":1e400,"target_default":-1e400}', xml: '<KPI><sort_order>1e400</sort_order></KPI>' },
  ],
  [
    'a huge exponent',
    400,
    { json: '{"target_default":1e999999999}', xml: '<KPI><target_default>1e999999999</target_default></KPI>' },
  ],
  [
    '500,000 elements or keys',
    400,
    { json: keys(500_000, (at) => `k${at}`), xml: `<KPI>${'<a/>'.repeat(500_000)}</KPI>` },
  ],
  ['100,000 keys that are numbers', 200, { json: keys(100_000, (at) => String(at * 7919)), xml: '<KPI/>' }],
  [
    'the same key again and again',
    200,
    { json: keys(100_000, () => 'sort_order'), xml: `<KPI>${'<sort_order>1</sort_order>'.repeat(100_000)}</KPI>` },
  ],
  [
    'keys of every object',
    200,
    {
      json: '{"__proto__":{"name":"p"},"constructor":{"prototype":{"name":"q"}},"hasOwnProperty":1,"toJSON":"x","then":"y"}',
      xml: '<KPI><__proto__><name>p</name></__proto__><constructor><prototype/></constructor><hasOwnProperty>1</hasOwnProperty><then>y</then></KPI>',
    },
  ],
  ['an object for a value', 400, inside('{"toString":"x"}', '<toString>x</toString>')],
]

describe.each(FORMATS)('a body in %s', (format) => {
  test.each(BODIES)('with %s is %i', async (_, status, raw = { json: '', xml: '' }) => {
    expect(await statusOf({ ask: 'PUT /kpis/1', raw }, format)).toBe(status)
    expect(({} as Record<string, unknown>)['name']).toBeUndefined()
  })

  test.each(['gzip', 'br', 'x-unknown'])('that is packed with %s is 415', async (encoding) => {
    const text = format === 'json' ? '{"name":"x"}' : writeXml('KPI', { name: 'x' })
    const raw = { json: gzipSync(text), xml: gzipSync(text) }
    expect(await statusOf({ ask: 'PUT /kpis/1', raw, headers: { 'content-encoding': encoding } }, format)).toBe(415)
  })
})

const ids = (count: number): string => Array.from({ length: count }, (_, at) => at).join(',')

const QUERIES: readonly (readonly [what: string, query: string, status: number])[] = [
  ['with 1,500 ids', `kpiIds=${ids(1500)}`, 200],
  ['that is too long', `kpiIds=${ids(2000)}`, 414],
  ['with a parameter 1,000 times', Array.from({ length: 1000 }, (_, at) => `u=${at}`).join('&'), 200],
  ['with percent signs that are none', 'x=%&y=%zz&kpiIds=1', 200],
  ['with bytes that are not UTF-8', 'x=%ff%fe', 200],
  ['with an id that is not UTF-8', 'kpiIds=%ff', 400],
  ['with escaped names and commas', '%6BpiIds=1%2C2', 200],
  ['with plus signs for blanks', 'kpiIds=+1+,+2+', 200],
  ['with an escaped plus sign', 'kpiIds=%2B1', 400],
  ['with NUL', 'kpiIds=1%00', 400],
  ['with SQL', 'userIds=1)%20or%201=1--', 400],
  ['with names of every object', '__proto__=1&constructor=2&toString=3', 200],
  ['with digits of another script', 'kpiIds=%D9%A1', 400],
  ['with a huge id, which is that of nothing', `kpiIds=${'9'.repeat(400)}`, 200],
  ['with signs only', '&&&===&=&', 200],
]

describe('a query', () => {
  test.each(QUERIES)('%s', async (_, query, status) => {
    for (const format of FORMATS) {
      expect(await statusOf({ ask: `GET /reports/AllDataEntries?${query}` }, format)).toBe(status)
    }
  })
})

/** Bodies that can be read, and hold a field that is not valid. */
const OF_FIELDS = new Set([
  'a NUL',
  'a control character',
  'a lone surrogate',
  'what is no character',
  'a number out of range',
  'a huge exponent',
  'an object for a value',
])

describe('the newer variant', () => {
  /** Asks, and makes sure that nothing unforeseen happened and that the next request works. */
  const tellNewer = async (asked: Omit<Asked, 'body'> & { readonly body?: string | Uint8Array | undefined }) => {
    const { handler, key, logged } = service
    const { method = 'GET', path, body = '' } = asked
    const request = { method, target: `/v1${path}`, address: '127.0.0.1', body: async () => Buffer.from(body) }
    const headers = { authorization: bearer(key), 'content-type': 'application/json', ...asked.headers }
    const told = await handler({ ...request, headers })
    expect([(await askV1(service, { path: '/kpis/1' })).status, logged]).toEqual([200, []])
    expect(told.headers['content-type']).toBe(
      told.status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json',
    )
    return { ...told, body: textOf(told.body) }
  }

  test.each(TEXTS)('takes text as data: %j', async (name) => {
    const body = JSON.stringify(kpi(name, { description: name }))
    const made = await tellNewer({ method: 'POST', path: '/kpis', body })
    const path = String(made.headers['location']).replace('/v1', '')
    expect([made.status, nameIn((await tellNewer({ path })).body, 'json')]).toEqual([201, name])
  })

  test.each(BODIES)('answers a body with %s', async (what, status, raw) => {
    const told = await tellNewer({ method: 'PUT', path: '/kpis/1', body: raw?.json })
    expect(told.status).toBe(OF_FIELDS.has(what) ? 422 : status)
    expect(told.body.length).toBeLessThan(10_000)
  })

  test.each(QUERIES)('answers a query %s', async (_, query, status) => {
    expect((await tellNewer({ path: `/reports/AllDataEntries?${query}` })).status).toBe(status)
  })

  test.each([
    'kpi_key_',
    'x'.repeat(60_000),
    "' or 1=1 --",
    '__proto__',
    '\u00ff\u00fe',
    'kpi_key_0000000000000000000000_000000',
    `kpi_key_${'0'.repeat(10_000)}_000000`,
  ])('takes no key that is none', async (key) => {
    expect((await tellNewer({ path: '/kpis', headers: { authorization: bearer(key) } })).status).toBe(401)
  })
})

const JSON_TYPE = 'Content-Type: application/json'
const LAST = 'Connection: close'
const statusIn = (answer: string): string => answer.split(' ')[1] ?? ''

const worksStill = async (): Promise<void> => {
  expect(statusIn(await sendThenRead(server.url, head(service, 'GET /api/kpis/1', LAST)))).toBe('200')
  expect(service.logged).toEqual([])
}

describe('over a socket, a body', () => {
  const size = 11 * MEBIBYTE
  test.each<[string, ...(string | Uint8Array)[]]>([
    ['that says it has 11 MiB, and has', `Content-Length: ${size}`, '\r\n', Buffer.alloc(size, ' ')],
    [
      'of 11 MiB in one chunk',
      'Transfer-Encoding: chunked',
      `\r\n${size.toString(16)}\r\n`,
      Buffer.alloc(size, ' '),
      '\r\n0\r\n\r\n',
    ],
  ])('%s is 413', async (_, length, ...parts) => {
    for (const type of [JSON_TYPE, 'Content-Type: application/xml']) {
      const start = head(service, 'POST /api/kpis', type, LAST, String(length)).slice(0, -2)
      expect(statusIn(await sendThenRead(server.url, start, ...parts))).toBe('413')
    }
    await worksStill()
  })

  test('that never ends is 413 before it does', async () => {
    const socket = await dial(server.url)
    let answer = ''
    socket.on('data', (data: Buffer) => (answer += data.toString('latin1')))
    socket.write(head(service, 'POST /api/kpis', JSON_TYPE, 'Transfer-Encoding: chunked'))
    const chunk = bytes(`${MEBIBYTE.toString(16)}\r\n`, Buffer.alloc(MEBIBYTE, ' '), '\r\n')
    while (!answer.includes('\r\n\r\n')) {
      await new Promise<void>((resolve) => {
        socket.write(chunk, () => setImmediate(resolve))
      })
    }
    expect(statusIn(answer)).toBe('413')
    socket.destroy()
    await worksStill()
  })

  test('that is longer than it says is read as far as it says, and what follows is no request', async () => {
    const start = head(service, 'POST /api/kpis', JSON_TYPE, 'Content-Length: 5')
    const answer = await sendThenRead(server.url, start, '{"a":1} and so on and on\r\n\r\n')
    expect(new Set([...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status))).toEqual(new Set(['400']))
    await worksStill()
  })

  test('that says two lengths, or a length and chunks, is refused', async () => {
    for (const headers of [
      ['Content-Length: 2', 'Content-Length: 3'],
      ['Content-Length: 2', 'Transfer-Encoding: chunked'],
      ['Content-Length: -1'],
      ['Content-Length: 1e3'],
      ['Transfer-Encoding: gzip, chunked, x'],
    ]) {
      const answer = await sendThenRead(
        server.url,
        head(service, 'POST /api/kpis', JSON_TYPE, LAST, ...headers),
        '{}\r\n\r\n',
      )
      expect(statusIn(answer)).toBe('400')
    }
    await worksStill()
  })
})
