import type { WireCaller } from './wire.ts'

/** A request and what became of it, for logs and metrics. Of its headers and bodies it holds nothing. */
export type Exchange = {
  readonly requestId: string
  readonly address: string
  /** Method and target; undefined where the request could not be read that far. */
  readonly method: string | undefined
  readonly target: string | undefined
  /** Whom its credentials let in. */
  readonly caller: WireCaller | undefined
  readonly status: number
  /** Whether the answer says when to come back. */
  readonly isPutOff: boolean
  /** Sizes of the bodies, as far as they were read and written. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly milliseconds: number
  /** Whether the connection was cut before the answer had been handed over. */
  readonly isCut: boolean
}

/** Told of every request once it is over. */
export type OnExchange = (exchange: Exchange) => void
