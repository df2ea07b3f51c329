import type { CreatedKind } from '../../domain/kinds.ts'

/** Describes something that was created; an assignment has the id of its KPI, and the user it is of. */
export type CreatedRecord = {
  readonly kind: CreatedKind
  readonly id: number
  readonly name: string
  readonly user_id?: number
}

/** Receives what is created. */
export type CreationLog = {
  /** Notes what is about to be created, by names or e-mail addresses, before any request for it is sent. */
  readonly intend: (kind: CreatedKind, keys: readonly string[]) => void
  /** Notes what was created, as soon as it is. */
  readonly add: (thing: CreatedRecord) => void
  /** Notes that what has a name is not of this run: another machine made it, and what this run made beside it is removed. */
  readonly disown: (kind: CreatedKind, key: string, id?: number) => void
  /** Notes that all of it is there, and none of it twice. */
  readonly settle: () => void
}

/** Describes something that may have been created, by its name or e-mail address. */
export type UnsureThing = { readonly kind: CreatedKind; readonly key: string }

/** Describes what a run created, or may have created when it was cut off. */
export type RunCreations = {
  readonly things: readonly CreatedRecord[]
  readonly unsure: readonly UnsureThing[]
  /** Holds when the run ended, by the clock of the service; undefined if that is not known. */
  readonly served: string | undefined
}
