import type { Json } from '../../../codec/json.ts'
import { KpiError } from '../../../domain/errors.ts'
import { HEAD_LIMIT } from '../../../domain/limits.ts'
import type { Schema } from './field-schemas.ts'

/** Which operations a status may refuse. All but the first need credentials, and what they tell of a limit. */
export type Where =
  'anywhere' | 'behind the door' | 'at an id' | 'where it writes' | 'with a body' | 'where much may be'

/** What the headers of a refusal tell besides the request's id. */
export type Told = 'replay' | 'wait' | 'credentials' | 'caller'

/** What a request may be refused with. */
export type Refusal = {
  readonly where: Where
  readonly says: string
  readonly tells?: readonly Told[]
  /** One such refusal. */
  readonly example: KpiError
  /** What it may hold in other media types than all refusals. */
  readonly also?: Schema
}

/** A header that answers may have: the name under which it is referred to, and what it says. */
export type Header = { readonly name: string; readonly says: string; readonly type: 'integer' | 'string' }

/** What both variants tell of good credentials. */
export const ACCOUNT_HEADER: Readonly<Record<string, Header>> = {
  'X-Account': { name: 'Account', says: 'Name of the account, percent-encoded', type: 'string' },
}

/** What the description of a variant has that neither its routes nor the field table say. */
export type Facts = {
  readonly title: string
  readonly about: string
  /** Its own prefix, below the address of the service. */
  readonly prefix: string
  readonly security: { readonly name: string; readonly scheme: Schema }
  /** The scheme of the credentials, as their challenge has it. */
  readonly challenge: string
  /** The media types of bodies and answers. */
  readonly formats: readonly string[]
  /** What a refusal holds: its media types, and its schemas, of which the first is that of the whole. */
  readonly errorFormats: readonly string[]
  readonly errorSchemas: Readonly<Record<string, Schema>>
  /** Writes an error as a refusal holds it. */
  readonly errorExample: (error: KpiError, status: number) => Json
  /** By status (decisions, section 8). */
  readonly refusals: Readonly<Record<number, Refusal>>
  /** What answers to good credentials tell of them and of their limit, by the name on the wire. */
  readonly callerHeaders: Readonly<Record<string, Header>>
  /** Whether schemas say how they are written in XML. */
  readonly isXml: boolean
  /** Whether text may stand for a number or a boolean, and some mandatory fields may be left out. */
  readonly isLenient: boolean
}

/** What answers tell of a limit, and of whom it is. */
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

/** A refusal of each status that both variants have. */
export const refusalExamples = {
  403: new KpiError('forbidden', 'the API of account acme is off'),
  404: new KpiError('not_found', 'there is no KPI 99'),
  408: new KpiError('too_slow', 'the request did not come in time'),
  409: new KpiError('conflict', 'name: there is a category Sales already', {
    issues: [{ field: 'name', message: 'there is a category Sales already' }],
  }),
  413: new KpiError('too_large', 'the body is over 10 MiB'),
  414: new KpiError('too_long', 'the address is over 8192 bytes'),
  415: new KpiError('media_type', 'the Content-Type is text/plain'),
  431: new KpiError('head_too_large', `the head of the request is over ${HEAD_LIMIT / 1024} KiB`),
  500: new KpiError('internal', 'something unforeseen happened; it was logged as request n2RfA6UeTjVM'),
  503: new KpiError('unavailable', 'the service is stopping; try again'),
} as const
