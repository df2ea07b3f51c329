import fc from 'fast-check'
import type { Variant } from '../../../src/domain/variants.ts'
import type { Body } from './bodies.ts'
import { KEY, mostly, TOKEN } from './odd.ts'
import { BASIC, basicOf, BEARER } from './request.ts'

export type Header = readonly [name: string, value: string]

const JSON_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON;Charset="UTF-8"',
  'text/json',
]
const XML_TYPES = ['application/xml', 'text/xml; charset=utf-8', 'application/soap+xml']
const TYPES = [
  ...JSON_TYPES,
  ...XML_TYPES,
  'application/vnd.kpi+json',
  'application/json; charset=latin1',
  'application/xml; charset=utf-16',
  'application/json; charset=',
  'application/json;;;=',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '*/*',
  '',
  ' ',
  'json',
  '/',
  'x'.repeat(5000),
]
const ACCEPTS = [
  ...JSON_TYPES,
  ...XML_TYPES,
  '*/*',
  '',
  'application/xml;q=0.5, application/json',
  'application/json;q=0.1,text/xml;q=0.9,*/*;q=0',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'application/*',
  'application/json;q=0',
  'application/json;q=x',
  'image/png',
  ',,;;==',
  'x,'.repeat(2000),
]
const oddValue = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'a\tb',
    'a\u0001b',
    'a\u0000b',
    'é',
    '\u00ff',
    'a, b',
    'x'.repeat(300),
    'x'.repeat(70_000),
    TOKEN,
    KEY,
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
)

const choice = (name: string, ...values: readonly string[]): fc.Arbitrary<Header> =>
  fc.constantFrom(...values).map((value) => [name, value])

/** A header that most requests do not have. */
export const oddHeader: fc.Arbitrary<Header> = fc.oneof(
  { weight: 3, arbitrary: choice('Accept', ...ACCEPTS) },
  {
    weight: 3,
    arbitrary: choice(
      'Idempotency-Key',
      'a',
      'a',
      'a',
      'b',
      '',
      ' ',
      'x'.repeat(255),
      'x'.repeat(256),
      'é',
      'a,b',
      KEY,
    ),
  },
  choice('Content-Type', ...TYPES),
  choice('Content-Encoding', 'identity', 'gzip', 'br', '', 'identity, identity', 'x'),
  choice('Origin', 'null', 'http://localhost', 'https://evil.example', 'http://127.0.0.1', '', 'x'),
  choice('Sec-Fetch-Site', 'same-origin', 'none', 'same-site', 'cross-site', 'CROSS-SITE', '', 'x'),
  choice(
    'Host',
    'neighbour.example.com',
    'fuzz.example.com',
    'fuzz',
    'a b',
    '',
    '[::1]:80',
    'x:99999999',
    'é.example.com',
    'localhost',
  ),
  choice('X-Forwarded-For', '203.0.113.9', '::1', 'x', '1.1.1.1, 2.2.2.2', ',', '999.1.1.1', 'x'.repeat(1000)),
  choice('Expect', '100-continue', 'x', ''),
  choice('Connection', 'close', 'keep-alive', 'upgrade', 'x'),
  choice('Upgrade', 'websocket', 'h2c'),
  choice('Range', 'bytes=0-1'),
  choice('If-None-Match', '*'),
  choice('X-HTTP-Method-Override', 'DELETE'),
  choice('Transfer-Encoding', 'identity', 'gzip', 'chunked, chunked'),
  choice('__proto__', 'x'),
  choice('constructor', 'x'),
  fc.tuple(
    fc.constantFrom(
      'X-Odd',
      'Cookie',
      'Accept',
      'Idempotency-Key',
      'Content-Type',
      'Authorization',
      'X-Request-Id',
      'Date',
    ),
    oddValue,
  ),
  fc.tuple(fc.constantFrom('', ' ', 'a b', 'a:b', 'é', '\u0000', 'x'.repeat(300)), oddValue),
)

const AUTHORIZATIONS = [
  '',
  BASIC,
  BEARER,
  'Basic',
  'Basic !',
  'Basic eDp5',
  'Basic AGE6YgA=',
  'Basic /////w==',
  'bAsIc  eDp5 ',
  `Basic ${TOKEN}`,
  basicOf(''),
  basicOf('\u0000'),
  basicOf('boss@fuzz.example.com\u0000'),
  basicOf('lou@example.com'),
  basicOf('ANN@example.com '),
  basicOf('\u0130\ufffe'.repeat(3000)),
  'Bearer',
  'Bearer x',
  `Bearer ${TOKEN}`,
  `bearer   ${KEY}  `,
  `Bearer ${KEY}x`,
  `Bearer ${KEY}, ${BASIC}`,
  'Digest x',
  `Token ${KEY}`,
  'Bearer \u00ff\u0001',
  'x'.repeat(10_000),
]

/** Credentials in the header for them: mostly those that are usual. */
export const authorization = (usual: string): fc.Arbitrary<readonly Header[]> =>
  mostly(
    fc.constant<readonly Header[]>([['Authorization', usual]]),
    choice('Authorization', ...AUTHORIZATIONS).map((one) => [one]),
    20,
  )

/** The Content-Type of a body, or of the answer: mostly the one that fits. */
export const contentType = (body: Body | undefined, variant: Variant): fc.Arbitrary<readonly Header[]> => {
  const types = body?.format === 'xml' ? XML_TYPES : JSON_TYPES
  // Without a body, and in the classic interface, it is the format of the answer.
  const usual = body || variant === 'v1' ? types : [...JSON_TYPES, ...XML_TYPES]
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 12, arbitrary: choice('Content-Type', ...usual).map((one) => [one]) },
    fc.constant([]),
    choice('Content-Type', ...TYPES).map((one) => [one]),
  )
}
