import type { Json } from '../codec/json.ts'
import type { AnyRecord } from '../domain/schema.ts'
import type { KeySaid } from './key-said.ts'

/** A request to the service, whichever way it goes. */
export type Sending = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base URL, such as `/kpis/7`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Json
}

/** What came back: JSON that still has to be read, or records from a service in the same process. */
export type Received = {
  readonly content:
    { readonly json: Json } | { readonly record: AnyRecord } | { readonly records: readonly AnyRecord[] }
  /** How many there are, where the service says so. */
  readonly total?: number | undefined
}

/** A way to the service. A refusal is thrown as the same `KpiError` whichever way is taken. */
export type Transport = {
  readonly send: (sending: Sending) => Promise<Received>
  /** What the service last said of the key, where one goes this way. */
  readonly keySaid?: () => KeySaid | undefined
  readonly close: () => Promise<void>
}
