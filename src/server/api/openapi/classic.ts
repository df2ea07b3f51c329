import type { Json } from '../../../codec/json.ts'
import { invalid, KpiError } from '../../../domain/errors.ts'
import { bodyFormats } from '../body-format.ts'
import type { Route } from '../call.ts'
import type { ServiceLocation } from '../protocol.ts'
import { describeVariant } from './document.ts'
import { ACCOUNT_HEADERS, type Facts, limitHeaders, MEDIA_TYPE_REFUSED, sharedRefusals } from './facts.ts'
import type { Schema } from './field-schemas.ts'
import { inXml, ref } from './schemas.ts'

const ABOUT = `Keeps KPIs, who reports which of them, and their values, and reports those by period.

Content-Type chooses the format of a body and of its answer, JSON or XML; without it Accept does. In XML elements
have the names of the JSON fields, null is \`i:nil="true"\`, and a decimal has four places. Read-only and unknown fields
of a body are ignored, and so are unknown query parameters; paths and names of parameters match without regard to case.
Blanks around a value do not count, blank text is as good as null, and midnight may stand behind a day.
HEAD answers as GET without a body, OPTIONS with the methods of a path.`

const ERROR: Schema = {
  type: 'object',
  description: 'Why a request was refused, and every fault of its fields.',
  properties: {
    message: { type: 'string', description: 'What is wrong, for people' },
    errors: { type: 'array', items: ref('schemas', 'FieldError'), ...inXml('errors', { wrapped: true }) },
  },
  required: ['message'],
  ...inXml('Error'),
}

const FIELD_ERROR: Schema = {
  type: 'object',
  description: 'One fault in what was sent.',
  properties: {
    index: { type: 'integer', minimum: 0, description: 'Which entry of a batch, from 0' },
    field: { type: 'string', description: 'Name of the field' },
    message: { type: 'string', description: 'What is wrong with it' },
  },
  required: ['field', 'message'],
  ...inXml('FieldError'),
}

const refusals: Facts['refusals'] = {
  ...sharedRefusals,
  400: {
    example: invalid([{ field: 'kpi_id', message: 'there is no KPI 99' }]),
    where: 'anywhere',
    says: 'The request, its Host, body or query cannot be read, or fields fail their rules: `errors` names them all.',
    sets: ['replay', 'caller'],
  },
  401: {
    example: new KpiError('unauthorized', 'login name and token are needed'),
    where: 'where credentials are needed',
    says: 'Credentials are missing or wrong.',
    sets: ['credentials'],
  },
  403: {
    example: new KpiError('forbidden', 'the API of account acme is off'),
    where: 'where credentials are needed',
    says: 'The API of the account is off, the KPI is calculated, or a page of another site asks for a change. With `Retry-After`: the rate limit is exceeded.',
    sets: ['wait', 'caller'],
  },
  415: {
    example: MEDIA_TYPE_REFUSED,
    where: 'anywhere',
    says: 'The Content-Type of a body is neither JSON nor XML, missing beside an Origin, or names another charset than UTF-8.',
    sets: ['caller'],
  },
}

const BOTH = ['application/json', 'application/xml']

const classicFacts: Facts = {
  title: 'KPI service, classic interface',
  about: ABOUT,
  prefix: '/api',
  security: {
    name: 'basic',
    scheme: { type: 'http', scheme: 'basic', description: 'Login name of a user and token of the account' },
  },
  challenge: 'Basic',
  formats: BOTH,
  errorFormats: BOTH,
  errorSchemas: { Error: ERROR, FieldError: FIELD_ERROR },
  errorExample: (error) => JSON.parse([...bodyFormats.json.writeError(error, '')].join('')) as Json,
  refusals,
  callerHeaders: { ...ACCOUNT_HEADERS, ...limitHeaders('account') },
  isXml: true,
  isLenient: true,
}

/** Returns the OpenAPI 3.1 document of the classic interface. */
export const describeClassic = (routes: readonly Route[], place: ServiceLocation): Schema =>
  describeVariant(classicFacts, routes, place)
