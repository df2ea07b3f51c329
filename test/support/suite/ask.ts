import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Variant } from '../../../src/domain/variants.ts'
import { basic } from '../classic.ts'
import type { Service } from '../service.ts'
import { keyOf } from './keys.ts'
import type { Format, Question, Row } from './row.ts'
import { writeXml } from './xml.ts'

/** Whom to ask: an account, and where its service listens. */
export type Asker = { readonly service: Service; readonly url: string }

/** What was told over the wire. */
export type Told = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

const agent = new Agent({ keepAlive: true })

const send = async (url: string, method: string, headers: object, body: string | Uint8Array): Promise<Told> => {
  const length = body.length > 0 ? { 'content-length': Buffer.byteLength(body) } : {}
  const sent = request(url, { method, agent, headers: { ...headers, ...length } })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  const { statusCode = 0, headers: told } = response
  return { status: statusCode, headers: told, text: Buffer.concat(chunks).toString() }
}

/** How the two formats are called. */
export const TYPES: Readonly<Record<Format, string>> = { json: 'application/json', xml: 'application/xml' }

/** The body of a question in a format. */
export const bodyOf = ({ body, root = '', raw }: Question & Pick<Row, 'raw'>, format: Format): string | Uint8Array => {
  if (raw) return raw[format]
  if (body === undefined) return ''
  return format === 'json' ? JSON.stringify(body) : writeXml(root, body)
}

/** Where the variants are. */
const PREFIXES: Readonly<Record<Variant, string>> = { classic: '/api', v1: '/v1' }

/** Asks over HTTP, as any client does. A header that is blank is not sent. */
export const ask = async (
  { service, url }: Asker,
  row: Question & Partial<Row>,
  format: Format,
  variant: Variant = 'classic',
): Promise<Told> => {
  const [method = '', path = ''] = row.ask.split(' ')
  const headers = {
    authorization:
      variant === 'v1' ? `Bearer ${await keyOf(service, row.login)}` : basic(row.login ?? service.login, service.token),
    'content-type': TYPES[format],
    ...row.headers,
  }
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
  return send(`${url}${PREFIXES[variant]}${path}`, method, given, bodyOf(row, format))
}
