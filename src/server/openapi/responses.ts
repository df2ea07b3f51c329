import { reportRow } from '../../domain/resources/report-row.ts'
import type { Schema } from './field-schemas.ts'
import { ref } from './schemas.ts'

const header = (description: string, type = 'integer'): Schema => ({ description, schema: { type } })

/** The headers that answers may have, by the name under which they are referred to. */
export const headers: Schema = {
  RequestId: header('Id of the request, by which it is found in the log of the service', 'string'),
  Location: header('Where the created resource is', 'string'),
  TotalCount: header(`How many rows there are. ${reportRow.caution}`),
  RetryAfter: header('Seconds to wait before asking again'),
  Authenticate: header('The scheme of the credentials: Basic', 'string'),
  Replayed: header('true where this is the first answer to a request with the same Idempotency-Key', 'string'),
  RateLimitLimit: header('Requests that the account may send within the window'),
  RateLimitRequests: header('Requests that it has sent within the window'),
  RateLimitDuration: header('Length of the window in seconds'),
  RateLimit: header('What is left of the limit (IETF draft)', 'string'),
  RateLimitPolicy: header('The limit (IETF draft)', 'string'),
}

const REQUEST_ID = { 'X-Request-Id': ref('headers', 'RequestId') }
const RETRY_AFTER = { 'Retry-After': ref('headers', 'RetryAfter') }
const REPLAYED = { 'Idempotent-Replayed': ref('headers', 'Replayed') }
const LIMIT = {
  'X-RateLimit-Limit': ref('headers', 'RateLimitLimit'),
  'X-RateLimit-Requests': ref('headers', 'RateLimitRequests'),
  'X-RateLimit-Duration': ref('headers', 'RateLimitDuration'),
  RateLimit: ref('headers', 'RateLimit'),
  'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
}

/** The headers of an answer that needs no credentials, and of one that does. */
export const openHeaders: Schema = REQUEST_ID
export const usualHeaders: Schema = { ...REQUEST_ID, ...LIMIT }

/** The same content in both formats. */
export const inBothFormats = (schema: Schema): Schema => ({
  'application/json': { schema },
  'application/xml': { schema },
})

const refusal = (description: string, more: Schema = {}): Schema => ({
  description,
  headers: { ...REQUEST_ID, ...more },
  content: inBothFormats(ref('schemas', 'Error')),
})

/** What a request may be refused with, by status (decisions, section 8). */
export const refusals: Readonly<Record<number, Schema>> = {
  400: refusal(
    'The request, its Host, body or query cannot be read, or fields fail their rules: `errors` names them all.',
    {
      ...REPLAYED,
      ...LIMIT,
    },
  ),
  401: refusal('Credentials are missing or wrong.', { 'WWW-Authenticate': ref('headers', 'Authenticate') }),
  403: refusal(
    'The API of the account is off, or the KPI is calculated. With `Retry-After`: the rate limit is exceeded.',
    { ...RETRY_AFTER, ...LIMIT },
  ),
  404: refusal('There is nothing with this id in the account.', LIMIT),
  408: refusal('The request did not come in time.'),
  409: refusal('In use, there already, or its key is taken; with `Retry-After`: the same request is running.', {
    ...RETRY_AFTER,
    ...LIMIT,
  }),
  413: refusal('The body is over 10 MiB.', LIMIT),
  414: refusal('The address is over 8 KiB.'),
  415: refusal('The Content-Type of a body is neither JSON nor XML, or names another charset than UTF-8.', LIMIT),
  431: refusal('The head of the request is over 64 KiB.'),
  500: refusal('Something unforeseen happened; the request id leads to it in the log.', LIMIT),
  503: refusal('Starting, stopping, or the store is not available.', { ...RETRY_AFTER, ...LIMIT }),
}

/** The name under which a refusal is referred to. */
export const refusalName = (status: number): string => `Refused${status}`
