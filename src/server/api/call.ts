import type { Json } from '../../codec/json.ts'
import type { Pause } from '../../domain/pause.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { Context, Ids } from '../../service/context.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Holds query parameters: names in lower case, each with all values given for it. */
export type Query = ReadonlyMap<string, readonly string[]>

/** Defines a query parameter, for parsing it and for describing it. */
export type QueryParameter = { readonly name: string; readonly about: string } & (
  | { readonly kind: 'integer'; readonly least: number; readonly most: number; readonly example: number }
  | { readonly kind: 'day'; readonly example: string }
  | { readonly kind: 'boolean'; readonly example: boolean }
  /** Accepts several ids, separated by commas. */
  | { readonly kind: 'ids'; readonly example: readonly number[] }
)

/** Describes an authenticated request with its body parsed, over any transport. */
export type Call = {
  readonly method: string
  /** Holds the path below the variant's prefix, such as `/kpis/7`. */
  readonly path: string
  readonly query: Query
  readonly body?: Json
}

/** Describes the arguments of an operation. */
type Request = {
  readonly ctx: Context
  readonly ids: Ids
  readonly query: Query
  readonly body: Json
  /** Tells whether numbers and booleans may be strings, as the classic interface allows. */
  readonly lenient: boolean
  /** Lets other requests run while this one takes long. */
  readonly pause: Pause
}

/** Describes the content of an answer: one record of a resource, or a list of them. */
export type Content =
  | { readonly of: Resource; readonly record: AnyRecord }
  | {
      readonly of: Resource
      readonly records: Iterable<AnyRecord>
      /** Bounds the bytes to write; undefined if the caller has no way to ask for less. */
      readonly most?: number
    }

/** Describes an answer before a variant formats it. */
export type Answer = {
  readonly status: 200 | 201
  /** Holds the path of the created resource, below the variant's prefix. */
  readonly location?: string
  /** Counts all records, if the answer holds only the first of them. */
  readonly total?: number
  /** Names the preference of the request that it follows. */
  readonly applied?: string | undefined
  readonly content?: Content
}

/** Defines one operation. In its path, `{…}` stands for an id. */
export type Route = {
  readonly path: string
  /**
   * Defines the content of its answer; a GET whose path does not end in an id returns a list. Undefined if the answer
   * is empty.
   */
  readonly gives?: Resource
  /** Names the scope that a key needs for it, in the newer variant. */
  readonly scope?: Scope
  /** Lists its query parameters. */
  readonly query?: readonly QueryParameter[]
  /** Marks that its answer has the total of all records, as it may hold only the first of them. */
  readonly counts?: true
  /** Marks that it may take long: few such operations run at a time, and accounts take turns. */
  readonly isLong?: true
  /** Marks that it may update instead of creating, with the status 200. */
  readonly upserts?: true
  readonly handle: (request: Request) => Promise<Answer>
} & (
  | { readonly method: Exclude<Method, 'POST' | 'PUT'>; readonly takes?: undefined }
  /** Defines the content of its body. */
  | { readonly method: 'POST' | 'PUT'; readonly takes: Resource }
)
