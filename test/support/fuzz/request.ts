import type { Variant } from '../../../src/domain/variants.ts'
import { basic } from '../classic.ts'
import { bearer } from '../newer.ts'
import type { Body, Charset } from './bodies.ts'
import { KEY, TOKEN } from './odd.ts'

/** What goes over the wire in place of one request that ends where its Content-Length says. */
export const FRAMINGS = [
  'length',
  'chunked',
  'no length',
  'too short',
  'too long',
  'two lengths',
  'length and chunks',
] as const
export type Framing = (typeof FRAMINGS)[number]

/** A request as it is to be sent. Texts of its head are bytes, a character each. */
export type FuzzRequest = {
  readonly variant: Variant
  /** The operation of the description that its path and method stand for, where they are regular. */
  readonly operation: string | undefined
  readonly method: string
  readonly target: string
  readonly version: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Body | undefined
  readonly framing: Framing
}

/** The credentials of a service, which take the place of what stands for them. */
export type Credentials = { readonly login: string; readonly token: string; readonly key: string }

/** Stand in a header for what is made from credentials. */
export const [BASIC, BEARER] = ['{basic}', '{bearer}']

/** Stands for Basic with a login name, escaped as in a URL, and the right token. */
export const basicOf = (login: string): string => `{basic ${encodeURIComponent(login)}}`

/** Puts the credentials of a service in place of what stands for them. */
const withCredentials = (text: string, { login, token, key }: Credentials): string =>
  text.includes('{')
    ? text
        .replaceAll(BASIC, basic(login, token))
        .replaceAll(/\{basic ([^{}]*)\}/g, (_, name: string) => basic(decodeURIComponent(name), token))
        .replaceAll(BEARER, bearer(key))
        .replaceAll('{login}', login)
        .replaceAll(TOKEN, token)
        .replaceAll(KEY, key)
    : text

const bytesOf = (text: string, charset: Charset): Buffer => Buffer.from(text, charset)

type Framed = { readonly headers: readonly string[]; readonly bytes: readonly Buffer[] }

const chunksOf = (bytes: Buffer): Buffer[] => [
  ...(bytes.length > 0 ? [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')] : []),
  Buffer.from('0\r\n\r\n'),
]

const CHUNKED = 'Transfer-Encoding: chunked'
const lengthOf = (length: number): string => `Content-Length: ${length}`

const framed: Record<Framing, (bytes: Buffer) => Framed> = {
  length: (bytes) => ({ headers: [lengthOf(bytes.length)], bytes: [bytes] }),
  chunked: (bytes) => ({ headers: [CHUNKED], bytes: chunksOf(bytes) }),
  'no length': (bytes) => ({ headers: [], bytes: [bytes] }),
  'too short': (bytes) => ({ headers: [lengthOf(Math.max(0, bytes.length - 1))], bytes: [bytes] }),
  'too long': (bytes) => ({ headers: [lengthOf(bytes.length + 1)], bytes: [bytes] }),
  'two lengths': (bytes) => ({ headers: [lengthOf(bytes.length), lengthOf(1)], bytes: [bytes] }),
  'length and chunks': (bytes) => ({ headers: [lengthOf(bytes.length), CHUNKED], bytes: chunksOf(bytes) }),
}

/** Whether a request is one and no more, so that it has one answer. */
export const isWhole = ({ headers, body, framing }: FuzzRequest): boolean =>
  !headers.some(([name]) => /^transfer-encoding$/i.test(name)) &&
  (body === undefined || framing === 'length' || framing === 'chunked')

/** The bytes of a request to a service. */
export const wireOf = (request: FuzzRequest, credentials: Credentials): Buffer => {
  const { method, target, version, headers, body, framing } = request
  const { headers: framing_, bytes } = body
    ? framed[framing](bytesOf(withCredentials(body.text, credentials), body.charset))
    : { headers: [], bytes: [] }
  const lines = [
    `${method} ${target} HTTP/${version}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...framing_,
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(withCredentials(lines.join('\r\n'), credentials), 'latin1'), ...bytes])
}

const SHOWN = 1500

const quoted = (text: string): string => {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)
    .replaceAll(/[\u007f-\uffff]/g, (one) => String.raw`\u` + one.charCodeAt(0).toString(16).padStart(4, '0'))
  return escaped.length > SHOWN ? `$'${escaped.slice(0, SHOWN)}…' (${text.length} characters)` : `$'${escaped}'`
}

/** A request as one would write it by hand, with whatever is not usual said after it. */
export const curlOf = ({ method, target, version, headers, body, framing }: FuzzRequest): string =>
  [
    `curl -X ${quoted(method)} ${quoted(target)}`,
    ...(version === '1.1' ? [] : [`--http${version}`]),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`--data-binary ${quoted(body.text)}`] : []),
    ...(body && body.charset !== 'utf8' ? [`# in ${body.charset}`] : []),
    ...(body && framing !== 'length' ? [`# ${framing}`] : []),
  ].join(' ')
