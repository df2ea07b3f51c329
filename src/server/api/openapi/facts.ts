import type { Json } from '../../../codec/json.ts'
import { KpiError } from '../../../domain/errors.ts'
import { HEAD_LIMIT } from '../../../domain/limits.ts'
import type { Schema } from './field-schemas.ts'

/** Names the operations that may answer with a status. All but the first need credentials, and send the rate limit. */
export type RefusalScope =
  'anywhere' | 'where credentials are needed' | 'at an id' | 'where it writes' | 'with a body' | 'where much may be'

/** Names the headers of a refusal besides the request's id. */
export type HeaderFacts = 'replay' | 'wait' | 'credentials' | 'caller'

/** Describes why a request may be refused. */
export type Refusal = {
  readonly where: RefusalScope
  readonly says: string
  readonly sets?: readonly HeaderFacts[]
  /** Holds an example. */
  readonly example: KpiError
  /** Names further headers or media types, which not all refusals have. */
  readonly also?: Schema
}

/** Describes a header of answers: its name among the components, and its schema. */
export type HeaderDefinition = { readonly name: string; readonly says: string; readonly type: 'integer' | 'string' }

/** Describes the headers with which both variants name the account, and say when its weeks and years begin. */
export const ACCOUNT_HEADERS: Readonly<Record<string, HeaderDefinition>> = {
  'X-Account': { name: 'Account', says: 'Name of the account, percent-encoded', type: 'string' },
  'X-Week-Start': { name: 'WeekStart', says: 'Day on which weeks begin: monday or sunday', type: 'string' },
  'X-Fiscal-Year-Start': {
    name: 'FiscalYearStart',
    says: 'Month, 1 to 12, in which the fiscal year and its first quarter begin',
    type: 'integer',
  },
  'X-Runs-Kept': { name: 'RunsKept', says: 'For how many days it is kept what runs replace', type: 'integer' },
}

/** Describes the parts of a variant's document that follow neither from its routes nor from the field table. */
export type Facts = {
  readonly title: string
  readonly about: string
  /** Holds its prefix, below the address of the service. */
  readonly prefix: string
  readonly security: { readonly name: string; readonly scheme: Schema }
  /** Names the scheme of the credentials, as in their challenge. */
  readonly challenge: string
  /** Lists the media types of bodies and answers. */
  readonly formats: readonly string[]
  /** Lists the media types of refusals with their schemas; the first schema is that of a whole refusal. */
  readonly errorFormats: readonly string[]
  readonly errorSchemas: Readonly<Record<string, Schema>>
  /** Returns an error as a refusal shows it. */
  readonly errorExample: (error: KpiError, status: number) => Json
  /** Lists refusals by status. */
  readonly refusals: Readonly<Record<number, Refusal>>
  /** Lists the headers of answers to good credentials, by name. */
  readonly callerHeaders: Readonly<Record<string, HeaderDefinition>>
  /** Tells whether schemas say how they are written in XML. */
  readonly isXml: boolean
  /** Tells whether text may stand for a number or a boolean, and some mandatory fields may be left out. */
  readonly isLenient: boolean
}

/** Returns the headers that describe the rate limit, and the account that it belongs to. */
export const limitHeaders = (whose: string): Facts['callerHeaders'] => ({
  'X-RateLimit-Limit': {
    name: 'RateLimitLimit',
    says: `Requests that the ${whose} may send within the window`,
    type: 'integer',
  },
  'X-RateLimit-Requests': {
    name: 'RateLimitRequests',
    says: 'Requests that it has sent within the window',
    type: 'integer',
  },
  'X-RateLimit-Duration': { name: 'RateLimitDuration', says: 'Length of the window in seconds', type: 'integer' },
  RateLimit: { name: 'RateLimit', says: 'What is left of the limit (IETF draft)', type: 'string' },
  'RateLimit-Policy': { name: 'RateLimitPolicy', says: 'The limit (IETF draft)', type: 'string' },
})

/** Holds the example of a refusal of an unsupported Content-Type. */
export const MEDIA_TYPE_REFUSED = new KpiError('media_type', 'the Content-Type is text/plain')

/** Lists the refusals that both variants have, by status. */
export const sharedRefusals = {
  404: {
    example: new KpiError('not_found', 'there is no KPI 99'),
    where: 'at an id',
    says: 'There is nothing with this id in the account.',
    sets: ['caller'],
  },
  408: {
    example: new KpiError('too_slow', 'the request did not come in time'),
    where: 'anywhere',
    says: 'The request did not come in time.',
    sets: ['caller'],
  },
  409: {
    example: new KpiError('conflict', 'name: there is a category Sales already', {
      issues: [{ field: 'name', message: 'there is a category Sales already' }],
    }),
    where: 'where it writes',
    says: 'In use, there already, or its key is taken; with `Retry-After`: the same request is running.',
    sets: ['wait', 'caller'],
  },
  413: {
    example: new KpiError('too_large', 'the body is over 10 MiB'),
    where: 'where much may be',
    says: 'The body is over 10 MiB, or the answer over 32 MiB: ask for less at a time.',
    sets: ['caller'],
  },
  414: {
    example: new KpiError('too_long', 'the address is over 8192 bytes'),
    where: 'anywhere',
    says: 'The address is over 8 KiB.',
    sets: ['caller'],
  },
  431: {
    example: new KpiError('head_too_large', `the head of the request is over ${HEAD_LIMIT / 1024} KiB`),
    where: 'anywhere',
    says: `The head of the request is over ${HEAD_LIMIT / 1024} KiB.`,
  },
  500: {
    example: new KpiError('internal', 'something unforeseen happened; it was logged as request n2RfA6UeTjVM'),
    where: 'where credentials are needed',
    says: 'Something unforeseen happened; the request id leads to it in the log.',
    sets: ['caller'],
  },
  503: {
    example: new KpiError('unavailable', 'the service is stopping; try again'),
    where: 'anywhere',
    says: 'Starting, stopping, or the store is not available.',
    sets: ['wait', 'caller'],
  },
} as const satisfies Readonly<Record<number, Refusal>>
