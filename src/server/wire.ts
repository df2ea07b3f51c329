import type { Pause } from '../domain/pause.ts'

/** A request as text, before anybody knows who sent it. */
export type WireRequest = {
  readonly method: string
  /** Path and query: letters and digits that were sent escaped are themselves, other escapes are left. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The URL below which the sender reached the service, such as `https://kpi.example.com`. */
  readonly serviceUrl?: string
  /** The IP address of whoever asks: the other end of the connection, or what a trusted proxy says it is. */
  readonly address: string
  /** How clients reach the service: encrypted, here or by a proxy in front, or not. Plain where it is not given. */
  readonly scheme?: 'http' | 'https'
  /** The origin of the URL at which the operator says that clients reach the service. */
  readonly publicOrigin?: string
  /** Reads the body; one that is too large is refused as `too_large`, one that is too slow as `too_slow`. */
  readonly body: () => Promise<Uint8Array>
  /** Waits until credentials of the sender's address may be looked at that are not known yet; answers how to end it. */
  readonly onStranger?: () => Promise<() => void>
  /** To be told whom the credentials let in; what it answers is waited for. */
  readonly onCaller?: (caller: WireCaller) => Promise<void> | undefined
  /** Lets other requests have their turn while this one takes long. */
  readonly pause?: Pause
  /** Waits for a turn of what takes long, once it is known whom the credentials let in; answers how to end it. */
  readonly onLong?: (what: Long) => Promise<() => void>
}

/** What takes long: a list of very many records, or other work, which takes longer still. */
export type Long = 'list' | 'work'

/** Who asks, for the log: the account by name, the user in whose name things are done, and the key, where it is one. */
export type WireCaller = { readonly account: string; readonly user: string; readonly key: number | undefined }

/** A body that is sent: as text, or, where it is long, as the pieces in which it was written. */
export type WireBody = string | readonly Uint8Array[]

/** How many bytes a body has. */
export const sizeOf = (body: WireBody): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((size, piece) => size + piece.length, 0)

/** An answer as text. */
export type WireResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: WireBody
}

/** An answer whose body is in one piece. */
export type TextResponse = WireResponse & { readonly body: string }

/** A variant of the interface: requests in, answers out, nothing thrown. */
export type Face = (request: WireRequest) => Promise<WireResponse>
