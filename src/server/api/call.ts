import type { Json } from '../../codec/json.ts'
import type { Pause } from '../../domain/pause.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { Context, Ids } from '../../service/context.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Query parameters: names in lower case, each with all values given for it. */
export type Query = ReadonlyMap<string, readonly string[]>

/** A query parameter, defined once: how it is read and how it is described. */
export type QueryParameter = { readonly name: string; readonly about: string } & (
  | { readonly kind: 'integer'; readonly least: number; readonly most: number; readonly example: number }
  | { readonly kind: 'day'; readonly example: string }
  | { readonly kind: 'boolean'; readonly example: boolean }
  /** Several ids, with commas between them. */
  | { readonly kind: 'ids'; readonly example: readonly number[] }
)

/** A request whose sender is known and whose body has been parsed, whatever it came through. */
export type Call = {
  readonly method: string
  /** Below the variant's prefix, such as `/kpis/7`. */
  readonly path: string
  readonly query: Query
  readonly body?: Json
}

/** What an operation gets. */
type Request = {
  readonly ctx: Context
  readonly ids: Ids
  readonly query: Query
  readonly body: Json
  /** Whether numbers and booleans may come as strings, as the classic interface allows. */
  readonly lenient: boolean
  /** Lets other requests have their turn while this one takes long. */
  readonly pause: Pause
}

/** What an answer holds: one record of a resource, or a list of them. */
export type Content =
  | { readonly of: Resource; readonly record: AnyRecord }
  | {
      readonly of: Resource
      readonly records: readonly AnyRecord[]
      /** The most bytes that may be written of them; none where there is no way to ask for less. */
      readonly most?: number
    }

/** What an operation answers, before a variant gives it a format. */
export type Answer = {
  readonly status: 200 | 201
  /** Where the created resource is, below the variant's prefix. */
  readonly location?: string
  /** How many there were, where the answer holds only the first of them. */
  readonly total?: number
  readonly content?: Content
}

/** One operation: a method and a path, in which `{…}` stands for an id. */
export type Route = {
  readonly path: string
  /** What its answer holds, a list of them where it is a GET of no single id; without it the answer is empty. */
  readonly gives?: Resource
  /** The scope that a key needs for it, in the newer variant. */
  readonly scope?: Scope
  /** The query parameters that it knows. */
  readonly query?: readonly QueryParameter[]
  /** Its answer says how many there are, as it may hold only the first of them. */
  readonly counts?: true
  /** It may take long: few of them are done at a time, accounts taking turns. */
  readonly isLong?: true
  /** It may update what is there instead of making something, and answers 200 then. */
  readonly upserts?: true
  readonly handle: (request: Request) => Promise<Answer>
} & (
  | { readonly method: Exclude<Method, 'POST' | 'PUT'>; readonly takes?: undefined }
  /** What its body holds. */
  | { readonly method: 'POST' | 'PUT'; readonly takes: Resource }
)
