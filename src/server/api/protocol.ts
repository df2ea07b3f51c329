import type { Json } from '../../codec/json.ts'
import type { ErrorCode, KpiError } from '../../domain/errors.ts'
import { neverPause, type Pause } from '../../domain/pause.ts'
import type { Resource } from '../../domain/schema.ts'
import type { ReadCredentials } from '../auth/credential-lookup.ts'
import { withoutSecrets } from '../request-target.ts'
import type { TextResponse, WireBody, WireRequest } from '../wire.ts'
import type { Content, Route } from './call.ts'

type Headers = WireRequest['headers']

/** Describes how to read the body of a request, and how to write that of its answer. */
export type BodyFormat = {
  /** Names the Content-Type of answers. */
  readonly contentType: string
  /** Reads a body that holds a resource, or throws `malformed`. Lets other requests run in between. */
  readonly read: (bytes: Uint8Array, of: Resource, pause?: Pause) => Promise<Json>
  /** Writes an answer. Lets other requests run while it writes a long one. */
  readonly write: (content: Content) => Promise<WireBody>
  /** Writes a refusal, in parts, as a batch may have very many faults; `target` is the target of the request. */
  readonly writeError: (error: KpiError, target: string) => Iterable<string>
  /** Names the Content-Type of errors, if it differs. */
  readonly errorType?: string
}

/** Describes what the variants of the interface do differently in HTTP. */
export type Protocol = {
  /** Holds the prefix of its paths. */
  readonly prefix: string
  /** Holds the value of `WWW-Authenticate`. */
  readonly challenge: string
  readonly status: Record<ErrorCode, number>
  /** Returns the body format that the headers of a request ask for, or a default. */
  readonly bodyFormatFor: (headers: Headers) => BodyFormat
  /** Refuses a request whose Accept or Content-Type the variant does not support. */
  readonly requireContentType: (headers: Headers, takesBody: boolean) => void
}

/** Holds the version of the service and its base URL. */
export type ServiceLocation = { readonly version: string; readonly origin: string }

/** Describes a variant of the interface. */
export type VariantDefinition = {
  readonly protocol: Protocol
  readonly routes: readonly Route[]
  /**
   * Tells whether bodies may have strings for numbers, and lack some mandatory fields, as those of older clients do.
   */
  readonly isLenient: boolean
  readonly readCredentials: ReadCredentials
  /** Describes it in OpenAPI. */
  readonly describe: (place: ServiceLocation) => Promise<object>
}

type Refused = Pick<WireRequest, 'target' | 'headers'>

const refusal = (
  { challenge, status }: Protocol,
  error: KpiError,
  bodyFormat: BodyFormat,
  body: string,
): TextResponse => ({
  status: status[error.code],
  headers: {
    'content-type': bodyFormat.errorType ?? bodyFormat.contentType,
    ...(error.code === 'unauthorized' && { 'www-authenticate': challenge }),
    ...(error.allow.length > 0 && { allow: error.allow.join(', ') }),
    ...(error.retryAfter !== undefined && { 'retry-after': String(Math.ceil(error.retryAfter)) }),
  },
  body,
})

/** Formats a refusal at once, for a request that no handler sees. */
export const formatRefusal = (protocol: Protocol, error: KpiError, { target, headers }: Refused): TextResponse => {
  const bodyFormat = protocol.bodyFormatFor(headers)
  return refusal(protocol, error, bodyFormat, withoutSecrets([...bodyFormat.writeError(error, target)].join('')))
}

/** Formats a refusal in parts, and lets other requests run in between. */
export const refusalResponse = async (
  protocol: Protocol,
  error: KpiError,
  { target, headers, pause = neverPause }: Refused & Pick<WireRequest, 'pause'>,
): Promise<TextResponse> => {
  const bodyFormat = protocol.bodyFormatFor(headers)
  let body = ''
  for (const part of bodyFormat.writeError(error, target)) {
    // Mask misplaced secrets, such as in a query: others might log the answer.
    body += withoutSecrets(part)
    const turn = pause()
    if (turn) await turn
  }
  return refusal(protocol, error, bodyFormat, body)
}
