import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { assignment } from '../../src/domain/resources/assignment.ts'
import { category, frequency, icon, unit } from '../../src/domain/resources/catalog.ts'
import { batchFlags, batchResult, entry } from '../../src/domain/resources/entry.ts'
import { health } from '../../src/domain/resources/service-status.ts'
import { group } from '../../src/domain/resources/groups.ts'
import { categoryKpi, kpi } from '../../src/domain/resources/kpi.ts'
import { reportRow } from '../../src/domain/resources/report-row.ts'
import { user } from '../../src/domain/resources/user.ts'
import type { Resource } from '../../src/domain/schema.ts'
import { listen } from '../../src/server/http/listener.ts'
import { assignFirst, ENTRY_KEY, KPI, otherAccount, read, startWithEntry, tell, USER } from '../support/classic.ts'
import { ask, type Service, startService, textOf } from '../support/service.ts'
import { head, sendThenRead } from '../support/socket.ts'
import { contentOfJson, readDocument, type XmlContent, xmlOf } from '../support/xml.ts'

const XML = { 'content-type': 'application/xml' }
const XML_ANSWER = 'application/xml; charset=utf-8'

/** A request of both formats, with the resources that its body and its answer hold. */
type Step = {
  readonly method?: string
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly takes?: Resource
  readonly of: Resource
}

type Fault = { readonly index?: number; readonly field: string; readonly message: string }
type Refusal = { readonly message: string; readonly errors?: readonly Fault[] }

const refusalAsXml = ({ message, errors }: Refusal): XmlContent => [
  ['message', message],
  ...(errors
    ? [
        [
          'errors',
          errors.map(
            (fault) => ['FieldError', Object.entries(fault).map(([name, is]) => [name, String(is)] as const)] as const,
          ),
        ] as const,
      ]
    : []),
]

const asXml = (of: Resource, status: number, body: unknown): readonly [string, XmlContent] => {
  if (status >= 400) return ['Error', refusalAsXml(body as Refusal)]
  if (!Array.isArray(body)) return [of.root, contentOfJson(of, body as object as Record<string, unknown>)]
  const items = body.map((one: Record<string, unknown>) => [of.root, contentOfJson(of, one)] as const)
  return [`ArrayOf${of.root}`, items.length === 0 ? '' : items]
}

/** Asks one service in JSON and another in XML, and expects the same of both. Answers the status. */
const askBoth = async (inJson: Service, inXml: Service, step: Step): Promise<number> => {
  const { of, takes = of, body, headers, ...request } = step
  const told = await tell(inJson, { ...request, body, ...(headers && { headers }) })
  const answer = await ask(inXml, { ...request, body: body && xmlOf(takes, body), headers: { ...XML, ...headers } })
  const { 'content-type': type, ...others } = answer.headers
  const { 'content-type': _json, ...expected } = told.headers
  expect({ ...step, status: answer.status, headers: others }).toEqual({
    ...step,
    status: told.status,
    headers: expected,
  })
  if (told.body === undefined) {
    expect([answer.body, type]).toEqual(['', undefined])
  } else {
    expect([await readDocument(answer.body), type]).toEqual([asXml(of, told.status, told.body), XML_ANSWER])
  }
  return told.status
}

const UNIT = { name: 'Pieces', entry_format: '#', display_format: '£ # <pcs> & more', is_percentage: false }
const LATER = { ...ENTRY_KEY, entry_date: '2026-03-02' }

/** Each controller: where it is, where one of it is, what makes one, and what changes it. */
const CONTROLLERS: readonly (readonly [of: Resource, path: string, id: number, body: object, change: object])[] = [
  [kpi, '/kpis', 2, { ...KPI, target_default: 0.25, description: 'a <b>' }, { name: 'Ü & Ö', target_default: null }],
  [
    user,
    '/users',
    3,
    { ...USER, email: 'bob@example.com', password: 'secret' },
    { last_name: 'Lee', user_status_id: 'L' },
  ],
  [group, '/groups', 2, { name: 'Region' }, { sort_order: 5 }],
  [categoryKpi, '/kpicategories/1/kpis', 2, { ...KPI, category_id: 9 }, { name: 'New' }],
  [category, '/kpicategories', 2, { name: 'Finance' }, { sort_order: -3 }],
  [unit, '/kpiunits', 5, UNIT, { is_percentage: true }],
  [assignment, '/users/1/kpis', 1, { id: 1, sort_order: 3, user_target: 7.5 }, { user_target: '' }],
  [entry, '/kpientries', 2, { ...LATER, actual: -1.5, notes: 'a\n<b>' }, { notes: null, addToActual: true, actual: 2 }],
]

describe.each(CONTROLLERS.map((one) => [one[1], one] as const))('%s', (_, [of, path, id, body, change]) => {
  const one = `${path}/${id}`
  const made = body as Record<string, unknown>
  const changed = change as Record<string, unknown>

  test('does in XML what it does in JSON', async () => {
    await using inJson = await startWithEntry()
    await using inXml = await startWithEntry()
    const steps: readonly (readonly [number, Step])[] = [
      [201, { method: 'POST', path, body: made, of }],
      [200, { path, of }],
      [200, { path: one, of }],
      [200, { method: 'PUT', path: one, body: changed, of }],
      [200, { method: 'PUT', path: one, body: {}, of }],
      [200, { path: one, of }],
      [200, { method: 'HEAD', path: one, of }],
      [400, { method: 'POST', path, body: { sort_order: 'x', entry_date: 'x' }, of }],
      [200, { method: 'DELETE', path: one, of }],
      [404, { path: one, of }],
      [404, { method: 'PUT', path: one, body: changed, of }],
      [404, { method: 'DELETE', path: one, of }],
      [405, { method: 'PATCH', path: one, of }],
    ]
    for (const [status, step] of steps) expect(await askBoth(inJson, inXml, step)).toBe(status)
  })

  test('takes back in XML what it shows in XML', async () => {
    await using service = await startWithEntry()
    await ask(service, { method: 'POST', path, body: xmlOf(of, made), headers: XML })
    const shown = await ask(service, { path: one, headers: XML })
    const { status, body: after } = await ask(service, { method: 'PUT', path: one, body: shown.body, headers: XML })
    expect([status, after]).toEqual([200, shown.body])
  })
})

describe('in XML as in JSON', () => {
  test.each<[string, Step]>([
    ['frequencies', { path: '/kpifrequencies', of: frequency }],
    ['a frequency', { path: '/kpifrequencies/W', of: frequency }],
    ['icons', { path: '/kpiicons', of: icon }],
    ['an icon', { path: '/kpiicons/1', of: icon }],
    ['health', { path: '/health', of: health, headers: { authorization: '' } }],
    ['a page of entries', { path: '/kpientries?dateFrom=2026-03-01&rows=1', of: entry }],
    ['no entries', { path: '/kpientries', of: entry }],
    ['the report', { path: '/reports/AllDataEntries?dateFrom=2026-01-01', of: reportRow }],
    ['an empty report', { path: '/reports/AllDataEntries', of: reportRow }],
    ['an upsert', { method: 'POST', path: '/kpientries', body: { ...ENTRY_KEY, actual: '' }, of: entry }],
    ['what can be done', { method: 'OPTIONS', path: '/kpis', of: kpi, headers: { authorization: '' } }],
  ])('%s', async (_, step) => {
    await using inJson = await startWithEntry()
    await using inXml = await startWithEntry()
    expect(await askBoth(inJson, inXml, step)).toBeLessThan(400)
  })

  const entries = [{ ...ENTRY_KEY, actual: 6 }, { ...LATER, notes: 'x', addToActual: true }, LATER]

  test.each<[string, number, Record<string, unknown>]>([
    ['that is good', 200, { entries: entries.slice(0, 2), hasTargets: false }],
    ['with bad entries', 400, { entries: [...entries, { ...LATER, actual: 'x' }, null, {}] }],
    ['with a bad flag', 400, { hasNotes: 'maybe', entries }],
    ['without a list', 400, { hasNotes: true }],
    ['with null for a list', 400, { entries: null }],
    ['with an empty list', 400, { entries: [] }],
    ['that is too long', 400, { entries: Array.from({ length: 5001 }, () => ENTRY_KEY) }],
  ])('a batch %s', async (_, status, body) => {
    await using inJson = await startWithEntry()
    await using inXml = await startWithEntry()
    const step = { method: 'POST', path: '/kpientries/list', body, takes: batchFlags, of: batchResult }
    expect(await askBoth(inJson, inXml, step)).toBe(status)
    expect(await askBoth(inJson, inXml, { path: '/kpientries?dateFrom=2026-03-01', of: entry })).toBe(200)
  })

  const refused: readonly (readonly [number, Step])[] = [
    [400, { method: 'POST', path: '/kpis', body: {}, of: kpi }],
    [400, { method: 'POST', path: '/users', body: { user_type: '<King>', email: 'x' }, of: user }],
    [400, { method: 'PUT', path: '/kpis/1', body: { name: null, unit_id: 99 }, of: kpi }],
    [400, { path: '/kpientries?rows=<b>', of: entry }],
    [401, { path: '/kpis', headers: { authorization: '' }, of: kpi }],
    [401, { path: '/kpis', headers: { authorization: 'Basic eDp5' }, of: kpi }],
    [404, { path: '/nowhere', of: kpi }],
    [404, { path: '/kpis/99', of: kpi }],
    [404, { path: '/a&b<c>', of: kpi }],
    [405, { method: 'POST', path: '/kpiicons', body: {}, of: icon }],
    [405, { method: 'DELETE', path: '/health', of: health }],
    [409, { method: 'POST', path: '/users/2/kpis', body: { id: 1, sort_order: 1 }, of: assignment }],
    [409, { method: 'POST', path: '/users', body: USER, of: user }],
    [409, { method: 'DELETE', path: '/users/2', of: user }],
    [414, { path: `/${'x'.repeat(9000)}`, of: kpi }],
  ]

  test.each(refused)('%i is told', async (status, step) => {
    await using inJson = await startWithEntry()
    await using inXml = await startWithEntry()
    expect(await askBoth(inJson, inXml, step)).toBe(status)
  })

  test('403 is told to an account without access', async () => {
    await using inJson = await startService()
    await using inXml = await startService()
    const [one, other] = [
      await otherAccount(inJson, 'solo', 'individual'),
      await otherAccount(inXml, 'solo', 'individual'),
    ]
    expect(await askBoth(one, other, { path: '/kpis', of: kpi })).toBe(403)
  })

  test('500 is told, and the next request works', async () => {
    await using inJson = await startService()
    await using inXml = await startService()
    for (const { dataDir } of [inJson, inXml]) {
      const database = new DatabaseSync(`${dataDir}/kpi.db`)
      database.exec('pragma foreign_keys = off; drop table entries')
      database.close()
    }
    expect(await askBoth(inJson, inXml, { path: '/kpientries', of: entry })).toBe(500)
    expect(await askBoth(inJson, inXml, { path: '/kpis', of: kpi })).toBe(200)
  })
})

describe('a body in XML', () => {
  const post = (service: Service, body: string, headers = {}): ReturnType<typeof ask> =>
    ask(service, { method: 'POST', path: '/kpicategories', body, headers: { ...XML, ...headers } })

  test.each([
    '<b>bold</b> &amp; &lt;',
    "'; drop table kpis; --",
    ']]>',
    '<!DOCTYPE a>',
    '__proto__',
    '../../etc/passwd',
    '\u202eabc 👩‍👩‍👧',
    '1',
    'true',
  ])('may hold the name %j: it is data', async (name) => {
    await using service = await startService()
    const made = await post(service, xmlOf(category, { name }))
    expect([made.status, (await readDocument(made.body))[1]]).toEqual([201, expect.arrayContaining([['name', name]])])
    expect(await read(service, '/kpicategories/2')).toMatchObject({ name })
  })

  test('keeps every digit of a decimal, and shows four places', async () => {
    await using service = await startService()
    const body = xmlOf(kpi, { ...KPI, target_default: '99999999999999.99989' })
    const made = await ask(service, { method: 'POST', path: '/kpis', body, headers: XML })
    expect(made.body).toContain('<target_default>99999999999999.9999</target_default>')
    const { body: shown } = await ask(service, { path: '/kpis/1' })
    expect(shown).toContain('"target_default":99999999999999.9999,')
  })

  const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth)

  test.each([
    ['nothing', ''],
    ['JSON', '{"name":"A"}'],
    ['another root', '<KPI><name>A</name></KPI>'],
    ['a DOCTYPE', '<!DOCTYPE KPICategory><KPICategory><name>A</name></KPICategory>'],
    [
      'entities that grow',
      '<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]><KPICategory><name>&d;</name></KPICategory>',
    ],
    ['a file', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><KPICategory><name>&b;</name></KPICategory>'],
    ['an entity of HTML', '<KPICategory><name>&eacute;</name></KPICategory>'],
    ['33 levels', `<KPICategory><name>A</name>${nested(32)}</KPICategory>`],
    ['200,001 elements', `<KPICategory>${'<a/>'.repeat(200_000)}</KPICategory>`],
    ['half a document', '<KPICategory><name>A</name>'],
    ['two roots', '<KPICategory><name>A</name></KPICategory><KPICategory/>'],
    ['text outside', '<KPICategory><name>A</name></KPICategory>x'],
    ['NUL', '<KPICategory><name>A\0</name></KPICategory>'],
    ['another encoding', '<?xml version="1.0" encoding="utf-16"?><KPICategory><name>A</name></KPICategory>'],
    ['10 MiB of depth', '<a>'.repeat(3_495_253)],
  ])('of %s is refused as XML, and the next one works', async (_, body) => {
    await using service = await startService()
    const refused = await post(service, body)
    expect([refused.status, refused.headers['content-type']]).toEqual([400, XML_ANSWER])
    const [root, content] = await readDocument(textOf(refused.body))
    expect([root, content]).toEqual([
      'Error',
      [['message', expect.stringMatching(/^the body (is|has|names) /) as string]],
    ])
    expect(await post(service, xmlOf(category, { name: 'A' }))).toMatchObject({ status: 201 })
    expect(await read(service, '/kpicategories')).toHaveLength(2)
  })

  test('that is not UTF-8 is refused', async () => {
    await using service = await startService()
    const body = Buffer.concat([
      Buffer.from('<KPICategory><name>'),
      Uint8Array.of(0xc3),
      Buffer.from('</name></KPICategory>'),
    ])
    const { handler, login, token } = service
    const authorization = `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`
    const refused = await handler({
      method: 'POST',
      target: '/api/kpicategories',
      headers: { ...XML, authorization },
      address: '127.0.0.1',
      body: () => Promise.resolve(body),
    })
    expect([refused.status, await readDocument(textOf(refused.body))]).toEqual([
      400,
      ['Error', [['message', 'the body is not UTF-8']]],
    ])
  })

  test('of more than 10 MiB is refused as XML', async () => {
    await using service = await startService()
    const server = await listen(service.handler, '127.0.0.1', 0)
    const start = head(
      service,
      'POST /api/kpis',
      'Content-Type: text/xml',
      'Connection: close',
      'Content-Length: 10485761',
    )
    const answer = await sendThenRead(server.url, start, Buffer.alloc(10_485_761, ' '))
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
    expect(answer).toContain('<message>the body is over 10 MiB</message>')
    await server.close()
  })
})

describe('the format', () => {
  const BODY = xmlOf(category, { name: 'A' })

  test.each<[string, Record<string, string>, number, string]>([
    ['Content-Type', { 'content-type': 'text/xml; charset=utf-8', accept: 'application/json' }, 201, 'application/xml'],
    ['Accept, without a Content-Type', { 'content-type': '', accept: 'application/xml' }, 201, 'application/xml'],
    ['Content-Type, of a body in another', { 'content-type': 'application/json' }, 400, 'application/json'],
    [
      'Content-Type, whose charset is not taken',
      { 'content-type': 'application/xml; charset=latin1' },
      415,
      'application/xml',
    ],
    [
      'Accept, where the body cannot be read',
      { 'content-type': 'text/plain', accept: 'text/xml' },
      415,
      'application/xml',
    ],
    ['neither: JSON', { 'content-type': 'text/plain' }, 415, 'application/json'],
  ])('of an answer to POST follows %s', async (_, headers, status, type) => {
    await using service = await startService()
    const answer = await ask(service, { method: 'POST', path: '/kpicategories', body: BODY, headers })
    expect([answer.status, answer.headers['content-type']]).toEqual([status, `${type}; charset=utf-8`])
    expect(answer.body).toMatch(type === 'application/xml' ? /^</ : /^\{/)
  })

  test.each<[string, Record<string, string>, number, string]>([
    ['Content-Type', { 'content-type': 'application/xml', accept: 'application/json' }, 200, 'application/xml'],
    ['Accept, without a Content-Type', { 'content-type': '', accept: '*/*, text/xml' }, 200, 'application/xml'],
    [
      'Accept, for a Content-Type that is neither',
      { 'content-type': 'text/plain', accept: 'text/xml' },
      200,
      'application/xml',
    ],
    ['neither: JSON', { 'content-type': '', accept: 'text/html' }, 200, 'application/json'],
    [
      'Content-Type, whose charset is not written',
      { 'content-type': 'text/xml; charset=utf-16' },
      415,
      'application/xml',
    ],
  ])('of an answer to GET follows %s', async (_, headers, status, type) => {
    await using service = await startService()
    const answer = await ask(service, { path: '/kpicategories', headers })
    expect([answer.status, answer.headers['content-type']]).toEqual([status, `${type}; charset=utf-8`])
  })

  test('of a Content-Type that is neither does not keep a DELETE from being done', async () => {
    await using service = await startService()
    await assignFirst(service)
    const answer = await ask(service, { method: 'DELETE', path: '/kpis/1', headers: { 'content-type': 'text/plain' } })
    expect([answer.status, answer.body]).toEqual([200, ''])
  })
})
