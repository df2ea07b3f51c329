import type { Json } from '../../../codec/json.ts'
import { invalid, KpiError } from '../../../domain/errors.ts'
import { SCOPES } from '../../../domain/scopes.ts'
import type { Route } from '../call.ts'
import { PROBLEM_TYPE, problemJson, problemType } from '../problem.ts'
import type { ServiceLocation } from '../protocol.ts'
import { describeVariant } from './document.ts'
import {
  ACCOUNT_HEADERS,
  type Facts,
  type HeaderDefinition,
  limitHeaders,
  MEDIA_TYPE_REFUSED,
  sharedRefusals,
} from './facts.ts'
import type { Schema } from './field-schemas.ts'
import { contentIn } from './responses.ts'
import { ref } from './schemas.ts'

/** Lists all scopes in a text, as generators read scopes only from OAuth schemes. */
const ABOUT_KEYS = `A key of the service. Each operation names the scope that it needs, as its role; a key may have: ${SCOPES.join(', ')}.`

const ABOUT = `Keeps KPIs and their values, broken down by people and by whatever else, and reports them by period.

Bodies and answers are JSON. A key does what its scopes allow; each operation names the one that it needs. Read-only and
unknown fields of a body are ignored, and so are unknown query parameters; blanks around text do not count, and midnight
may stand behind a day. Paths and names of parameters match without
regard to case. HEAD answers as GET without a body, OPTIONS with the methods of a path; a method that a path does not
have is 405, with those that it has in Allow. Everything that is refused is refused with problem details (RFC 9457).`

const PROBLEM: Schema = {
  type: 'object',
  description: 'Why a request was refused, and every fault of its fields (RFC 9457).',
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'What kind of problem it is',
      examples: [problemType('invalid')],
    },
    title: { type: 'string', description: 'The same for people; it goes with the type' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The status of the answer' },
    detail: { type: 'string', description: 'What is wrong with this request, for people' },
    instance: { type: 'string', format: 'uri-reference', description: 'The path that was asked for' },
    errors: { type: 'array', items: ref('schemas', 'FieldProblem'), minItems: 1 },
  },
  required: ['type', 'title', 'status', 'detail', 'instance'],
}

const FIELD_PROBLEM: Schema = {
  type: 'object',
  description: 'One fault in what was sent.',
  properties: {
    pointer: { type: 'string', format: 'json-pointer', description: 'Where in the body it is (RFC 6901)' },
    field: { type: 'string', description: 'Name of the field' },
    detail: { type: 'string', description: 'What is wrong with it' },
  },
  required: ['pointer', 'field', 'detail'],
}

const UNREAD_SCHEMA: Schema = {
  type: 'object',
  description: 'Why a request was refused whose head could not be read, so that its variant is not known.',
  properties: { message: { type: 'string', description: 'What is wrong, for people' } },
  required: ['message'],
}

const UNREAD = contentIn(['application/json'], ref('schemas', 'Unread'), { message: 'the header Host is missing' })

const refusals: Facts['refusals'] = {
  ...sharedRefusals,
  400: {
    example: new KpiError('malformed', 'dateFrom is after dateTo'),
    where: 'anywhere',
    says: 'The request, its Host, body or query cannot be read.',
    sets: ['caller'],
    also: UNREAD,
  },
  401: {
    example: new KpiError('unauthorized', 'the key has expired'),
    where: 'where credentials are needed',
    says: 'The key is missing or wrong, has expired or was revoked, or its owner is locked.',
    sets: ['credentials'],
  },
  403: {
    example: new KpiError('forbidden', 'the key needs the scope entries:write'),
    where: 'where credentials are needed',
    says: 'The key lacks the scope, the API of the account is off, what is there cannot be changed here, or a page of another site asks for a change.',
    sets: ['caller'],
  },
  406: {
    example: new KpiError('not_acceptable', 'Accept takes no JSON'),
    where: 'anywhere',
    says: 'Accept does not take JSON.',
    sets: ['caller'],
  },
  408: { ...sharedRefusals[408], also: UNREAD },
  414: { ...sharedRefusals[414], also: UNREAD },
  415: {
    example: MEDIA_TYPE_REFUSED,
    where: 'anywhere',
    says: 'The Content-Type is XML, that of a body is not JSON or missing beside an Origin, or it names another charset than UTF-8.',
    sets: ['caller'],
  },
  422: {
    example: invalid([{ field: 'kpi_id', message: 'there is no KPI 99' }]),
    where: 'with a body',
    says: 'Fields fail their rules: `errors` names them all. Or the Idempotency-Key was sent before with another body.',
    sets: ['replay', 'caller'],
  },
  429: {
    example: new KpiError('rate_limited', 'the limit of 600 requests in 60 seconds is reached'),
    where: 'where credentials are needed',
    says: 'The limit of the key is reached, or too many wrong keys were sent.',
    sets: ['wait', 'caller'],
  },
  431: { ...sharedRefusals[431], also: UNREAD },
}

const text = (name: string, says: string): HeaderDefinition => ({ name, says, type: 'string' })

const keyHeaders: Facts['callerHeaders'] = {
  'X-Key-Id': { name: 'KeyId', says: 'Id of the key', type: 'integer' },
  'X-Key-Name': text('KeyName', 'Name of the key, percent-encoded'),
  'X-Key-User': text('KeyUser', 'E-mail address of its owner, percent-encoded'),
  'X-Key-Scopes': text('KeyScopes', 'Its scopes, separated by commas'),
  'X-Key-Expires': text('KeyExpires', 'When it ends, in UTC; not there where it does not'),
}

const v1Facts: Facts = {
  title: 'KPI service, newer variant',
  about: ABOUT,
  prefix: '/v1',
  security: {
    name: 'key',
    scheme: { type: 'http', scheme: 'bearer', description: ABOUT_KEYS },
  },
  challenge: 'Bearer',
  formats: ['application/json'],
  errorFormats: [PROBLEM_TYPE],
  errorSchemas: { Problem: PROBLEM, FieldProblem: FIELD_PROBLEM, Unread: UNREAD_SCHEMA },
  errorExample: (error, status) => JSON.parse([...problemJson(error, status, '/v1/kpientries')].join('')) as Json,
  refusals,
  callerHeaders: { ...ACCOUNT_HEADERS, ...keyHeaders, ...limitHeaders('key') },
  isXml: false,
  isLenient: false,
}

/** Returns the OpenAPI 3.1 document of the newer variant. */
export const describeV1 = (routes: readonly Route[], place: ServiceLocation): Schema =>
  describeVariant(v1Facts, routes, place)
