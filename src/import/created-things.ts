import type { CreatedKind } from '../domain/kinds.ts'

/** Describes something that was created; an assignment has the id of its KPI, and the user it is of. */
export type CreatedThing = {
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
  readonly add: (thing: CreatedThing) => void
  /** Notes that what has a name is not of this run: another machine made it, and what this run made beside it is removed. */
  readonly disown: (kind: CreatedKind, key: string, id?: number) => void
  /** Notes that all of it is there, and none of it twice. */
  readonly settle: () => void
}
