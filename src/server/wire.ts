import type { Pause } from '../domain/pause.ts'

/** Describes a request before it is authenticated. */
export type WireRequest = {
  readonly method: string
  /** Holds the path and query, with unreserved characters decoded. */
  readonly target: string
  /** Maps the names of headers, in lower case, to their values. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Holds the URL by which the client reached the service, such as `https://kpi.example.com`. */
  readonly serviceUrl?: string
  /** Holds the client's IP address: that of the connection, or the one that a trusted proxy sends. */
  readonly address: string
  /** Tells whether clients use TLS to reach the service or its proxy; undefined means `http`. */
  readonly scheme?: 'http' | 'https'
  /** Holds the origin of the service's public URL, where the operator has set one. */
  readonly publicOrigin?: string
  /** Reads the body; throws `too_large` or `too_slow` for one that is too large or too slow. */
  readonly body: () => Promise<Uint8Array>
  /** Waits for permission to look up unknown credentials; resolves to a function that releases it. */
  readonly onUnknownCredentials?: () => Promise<() => void>
  /** Receives the authenticated caller; the handler waits for the promise. */
  readonly onCaller?: (caller: WireCaller) => Promise<void> | undefined
  /** Lets other requests run while this one takes long. */
  readonly pause?: Pause
  /** Waits for a slot for long work, once the caller is authenticated; resolves to a function that frees it. */
  readonly onLong?: (what: LongWork) => Promise<() => void>
}

/** Names the kind of long work: a list of very many records, or other work, which takes even longer. */
export type LongWork = 'list' | 'work'

/**
 * Describes the caller for the log: the name of the account, the user, and the id of the key, if the caller uses one.
 */
export type WireCaller = { readonly account: string; readonly user: string; readonly key: number | undefined }

/** Holds a body to send: text, or the pieces of a long one. */
export type WireBody = string | readonly Uint8Array[]

/** Returns how many bytes a body has. */
export const sizeOf = (body: WireBody): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((size, piece) => size + piece.length, 0)

/** Describes an answer, as a handler returns it. */
export type WireResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: WireBody
}

/** Describes an answer whose body is in one piece. */
export type TextResponse = WireResponse & { readonly body: string }

/** Answers a request in a variant of the interface; never throws. */
export type Handler = (request: WireRequest) => Promise<WireResponse>
