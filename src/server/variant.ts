import type { Json } from '../codec/json.ts'
import type { ErrorCode, KpiError } from '../domain/errors.ts'
import type { Resource } from '../domain/schema.ts'
import type { Content, Route } from './call.ts'
import type { OpenDoor } from './door.ts'
import { withoutSecrets } from './shown-target.ts'
import type { TextResponse, WireBody, WireRequest } from './wire.ts'

type Headers = WireRequest['headers']

/** How the bodies of a request and of its answer are read and written. */
export type Wording = {
  /** The Content-Type of what it writes. */
  readonly contentType: string
  /** Reads a body that holds a resource; throws `malformed` for what is none. */
  readonly read: (bytes: Uint8Array, of: Resource) => Promise<Json>
  /** Writes an answer; others have their turn while a long one is written. */
  readonly write: (content: Content) => Promise<WireBody>
  /** Writes why a request was refused; `target` is what it asked for. */
  readonly writeError: (error: KpiError, target: string) => string
  /** The Content-Type of that, where it is another one. */
  readonly errorType?: string
}

/** What differs between the variants of the interface in how they talk (interface, section 9). */
export type Style = {
  /** What its paths begin with. */
  readonly prefix: string
  /** The scheme of the credentials that it asks for. */
  readonly challenge: string
  readonly status: Record<ErrorCode, number>
  /** The wording that the headers of a request ask for; one is chosen where none of ours is. */
  readonly wordingFor: (headers: Headers) => Wording
  /** Refuses a request whose sender takes none of our formats, or sends what cannot be read. */
  readonly mustSpeak: (headers: Headers, takesBody: boolean) => void
}

/** A variant of the interface. */
export type Variant = {
  readonly style: Style
  readonly routes: readonly Route[]
  /** Whether bodies are read as older clients send them: numbers as strings, some mandatory fields left out. */
  readonly isLenient: boolean
  readonly openDoor: OpenDoor
  /** Describes it in OpenAPI. */
  readonly describe: (version: string) => Promise<object>
}

/** The answer to a request that is refused. */
export const refuse = (
  { challenge, status, wordingFor }: Style,
  error: KpiError,
  { target, headers }: Pick<WireRequest, 'target' | 'headers'>,
): TextResponse => {
  const { contentType, errorType = contentType, writeError } = wordingFor(headers)
  return {
    status: status[error.code],
    headers: {
      'content-type': errorType,
      ...(error.code === 'unauthorized' && { 'www-authenticate': challenge }),
      ...(error.allow.length > 0 && { allow: error.allow.join(', ') }),
      ...(error.retryAfter !== undefined && { 'retry-after': String(Math.ceil(error.retryAfter)) }),
    },
    // A secret in the wrong place, such as a query, is not told again, for others to log.
    body: withoutSecrets(writeError(error, target)),
  }
}
