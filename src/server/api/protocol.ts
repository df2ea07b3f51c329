import type { Json } from '../../codec/json.ts'
import type { ErrorCode, KpiError } from '../../domain/errors.ts'
import { neverPause, type Pause } from '../../domain/pause.ts'
import type { Resource } from '../../domain/schema.ts'
import type { ReadCredentials } from '../auth/credential-lookup.ts'
import { withoutSecrets } from '../request-target.ts'
import type { TextResponse, WireBody, WireRequest } from '../wire.ts'
import type { Content, Route } from './call.ts'

type Headers = WireRequest['headers']

/** Describes how the bodies of a request and of its answer are read and written. */
export type BodyFormat = {
  /** Names the Content-Type of answers. */
  readonly contentType: string
  /** Reads a body that holds a resource; throws `malformed` for what is none. Others have their turn in between. */
  readonly read: (bytes: Uint8Array, of: Resource, pause?: Pause) => Promise<Json>
  /** Writes an answer; others have their turn while a long one is written. */
  readonly write: (content: Content) => Promise<WireBody>
  /** Writes why a request was refused, in parts, as a batch may have very many faults; `target` is what it asked for. */
  readonly writeError: (error: KpiError, target: string) => Iterable<string>
  /** Names the Content-Type of errors, where it differs. */
  readonly errorType?: string
}

/** Describes what differs in how the variants of the interface talk. */
export type Protocol = {
  /** Holds the beginning of its paths. */
  readonly prefix: string
  /** Names the scheme of its credentials. */
  readonly challenge: string
  readonly status: Record<ErrorCode, number>
  /** Returns the body format that the headers of a request ask for; a default where none fits. */
  readonly wordingFor: (headers: Headers) => BodyFormat
  /** Refuses a request whose sender takes none of our formats, or sends what cannot be read. */
  readonly requireContentType: (headers: Headers, takesBody: boolean) => void
}

/** Describes the version of the service, and the URL below which it is. */
export type ServiceLocation = { readonly version: string; readonly origin: string }

/** Describes a variant of the interface. */
export type VariantDefinition = {
  readonly protocol: Protocol
  readonly routes: readonly Route[]
  /** Tells whether bodies may have numbers as strings, and lack some mandatory fields, as older clients send them. */
  readonly isLenient: boolean
  readonly openDoor: ReadCredentials
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

/** Returns the answer to a request that is refused before it is read. */
export const refuseAtOnce = (protocol: Protocol, error: KpiError, { target, headers }: Refused): TextResponse => {
  const bodyFormat = protocol.wordingFor(headers)
  return refusal(protocol, error, bodyFormat, withoutSecrets([...bodyFormat.writeError(error, target)].join('')))
}

/** Returns the answer to a refused request; others have their turn while a long one is written. */
export const refusalResponse = async (
  protocol: Protocol,
  error: KpiError,
  { target, headers, pause = neverPause }: Refused & Pick<WireRequest, 'pause'>,
): Promise<TextResponse> => {
  const bodyFormat = protocol.wordingFor(headers)
  let body = ''
  for (const part of bodyFormat.writeError(error, target)) {
    // A secret in the wrong place, such as a query, is not told again, for others to log.
    body += withoutSecrets(part)
    const turn = pause()
    if (turn) await turn
  }
  return refusal(protocol, error, bodyFormat, body)
}
