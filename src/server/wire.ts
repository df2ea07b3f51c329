import type { Pause } from '../domain/pause.ts'

/** Describes a request as text, before it is authenticated. */
export type WireRequest = {
  readonly method: string
  /** Holds the path and query, with unreserved characters decoded. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Holds the URL by which the client reached the service, such as `https://kpi.example.com`. */
  readonly serviceUrl?: string
  /** Holds the client's IP address: the other end of the connection, or what a trusted proxy says. */
  readonly address: string
  /** Says whether clients reach the service by TLS, here or at a proxy. Plain where it is undefined. */
  readonly scheme?: 'http' | 'https'
  /** Holds the origin of the service's public URL, where the operator has set one. */
  readonly publicOrigin?: string
  /** Reads the body; one that is too large is refused as `too_large`, one that is too slow as `too_slow`. */
  readonly body: () => Promise<Uint8Array>
  /** Waits until credentials of the sender's address may be looked at that are not known yet; answers how to end it. */
  readonly onStranger?: () => Promise<() => void>
  /** Takes the authenticated caller, and is awaited. */
  readonly onCaller?: (caller: WireCaller) => Promise<void> | undefined
  /** Lets other requests have their turn while this one takes long. */
  readonly pause?: Pause
  /** Waits for a turn of long work, once the caller is authenticated; resolves to a function that ends it. */
  readonly onLong?: (what: LongWork) => Promise<() => void>
}

/** Names what takes long: a list of very many records, or other work, which takes longer still. */
export type LongWork = 'list' | 'work'

/**
 * Describes the caller for the log: the account by name, the user in whose name things are done, and the key, where it
 * is one.
 */
export type WireCaller = { readonly account: string; readonly user: string; readonly key: number | undefined }

/** Holds a body to send: text, or, where it is long, the pieces in which it was written. */
export type WireBody = string | readonly Uint8Array[]

/** Returns how many bytes a body has. */
export const sizeOf = (body: WireBody): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((size, piece) => size + piece.length, 0)

/** Describes an answer as text. */
export type WireResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: WireBody
}

/** Describes an answer whose body is in one piece. */
export type TextResponse = WireResponse & { readonly body: string }

/** Answers a request in a variant of the interface; never throws. */
export type Handler = (request: WireRequest) => Promise<WireResponse>
