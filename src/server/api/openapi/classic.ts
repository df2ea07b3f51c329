import type { Json } from '../../../codec/json.ts'
import { invalid, KpiError } from '../../../domain/errors.ts'
import { HEAD_LIMIT } from '../../../domain/limits.ts'
import { bodyFormats } from '../body-format.ts'
import type { Route } from '../call.ts'
import type { ServiceLocation } from '../protocol.ts'
import { describeVariant } from './document.ts'
import { ACCOUNT_HEADER, type Facts, limitHeaders, refusalExamples } from './facts.ts'
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
  400: {
    example: invalid([{ field: 'kpi_id', message: 'there is no KPI 99' }]),
    where: 'anywhere',
    says: 'The request, its Host, body or query cannot be read, or fields fail their rules: `errors` names them all.',
    sets: ['replay', 'caller'],
  },
  401: {
    example: new KpiError('unauthorized', 'login name and token are needed'),
    where: 'behind the door',
    says: 'Credentials are missing or wrong.',
    sets: ['credentials'],
  },
  403: {
    example: refusalExamples[403],
    where: 'behind the door',
    says: 'The API of the account is off, the KPI is calculated, or a page of another site asks for a change. With `Retry-After`: the rate limit is exceeded.',
    sets: ['wait', 'caller'],
  },
  404: {
    example: refusalExamples[404],
    where: 'at an id',
    says: 'There is nothing with this id in the account.',
    sets: ['caller'],
  },
  408: {
    example: refusalExamples[408],
    where: 'anywhere',
    says: 'The request did not come in time.',
    sets: ['caller'],
  },
  409: {
    example: refusalExamples[409],
    where: 'where it writes',
    says: 'In use, there already, or its key is taken; with `Retry-After`: the same request is running.',
    sets: ['wait', 'caller'],
  },
  413: {
    example: refusalExamples[413],
    where: 'where much may be',
    says: 'The body is over 10 MiB, or the answer over 32 MiB: ask for less at a time.',
    sets: ['caller'],
  },
  414: { example: refusalExamples[414], where: 'anywhere', says: 'The address is over 8 KiB.', sets: ['caller'] },
  415: {
    example: refusalExamples[415],
    where: 'anywhere',
    says: 'The Content-Type of a body is neither JSON nor XML, missing beside an Origin, or names another charset than UTF-8.',
    sets: ['caller'],
  },
  431: {
    example: refusalExamples[431],
    where: 'anywhere',
    says: `The head of the request is over ${HEAD_LIMIT / 1024} KiB.`,
  },
  500: {
    example: refusalExamples[500],
    where: 'behind the door',
    says: 'Something unforeseen happened; the request id leads to it in the log.',
    sets: ['caller'],
  },
  503: {
    example: refusalExamples[503],
    where: 'anywhere',
    says: 'Starting, stopping, or the store is not available.',
    sets: ['wait', 'caller'],
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
  callerHeaders: { ...ACCOUNT_HEADER, ...limitHeaders('account') },
  isXml: true,
  isLenient: true,
}

/** Returns the OpenAPI 3.1 document of the classic interface. */
export const describeClassic = (routes: readonly Route[], place: ServiceLocation): Schema =>
  describeVariant(classicFacts, routes, place)
