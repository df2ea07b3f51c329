/** A request as text, before anybody knows who sent it. */
export type WireRequest = {
  readonly method: string
  /** Path and query, as sent. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Reads the body; one that is too large is refused as `too_large`. */
  readonly body: () => Promise<Uint8Array>
}

/** An answer as text. */
export type WireResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A variant of the interface: requests in, answers out, nothing thrown. */
export type Face = (request: WireRequest) => Promise<WireResponse>
