import type { Client } from '../../client/client.ts'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'

/** Names the kinds of things that are created. */
export type CreatedKind = 'category' | 'unit' | 'kpi' | 'group' | 'item' | 'user' | 'assignment'

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
}

/** Holds what creating needs. */
export type Making = {
  readonly client: Client
  /** Holds a client of the classic interface of the same service; undefined if it has none. */
  readonly classic: Client | undefined
  readonly signal: AbortSignal
  readonly log: CreationLog
}

const STOPPED = 'stopped before any entry was sent; run the same command to continue'
/** Sets how often a list is read again after an answer was lost. */
const ATTEMPTS = 3

/** Describes something that the service has: the text by which it is known, and its place in lists. */
export type Known = { readonly id: number; readonly key: string; readonly place: number }

/** Describes how things of a kind are found and created. */
type Kind<W> = {
  readonly kind: CreatedKind
  readonly list: () => Promise<readonly Known[]>
  readonly keyOf: (wanted: W) => string
  /** Creates some, in order, and yields their ids as soon as they are known. */
  readonly create: (wanted: readonly W[], lastPlace: number) => AsyncGenerator<readonly number[]>
}

/** Describes something wanted, by its name. */
type Named = { readonly name: string }

const isLost = (error: unknown): boolean => error instanceof KpiError && error.mayBeDone

/** Creates those that are open, and notes their ids. */
const createOpen = async <W extends Named>(
  { signal, log }: Making,
  { kind, keyOf, create }: Kind<W>,
  open: readonly W[],
  known: readonly Known[],
  ids: Map<string, number>,
): Promise<void> => {
  if (signal.aborted) throw new Aborted(STOPPED)
  log.intend(kind, open.map(keyOf))
  const last = known.reduce((most, { place }) => Math.max(most, place), 0)
  let at = 0
  for await (const made of create(open, last)) {
    for (const id of made) {
      const one = open[at++]
      if (one === undefined) break
      ids.set(keyOf(one), id)
      log.add({ kind, id, name: one.name })
    }
    if (signal.aborted) throw new Aborted(STOPPED)
  }
}

/**
 * Creates the things of a kind that are not there yet, and returns the ids of all by their keys. If an answer is lost,
 * the list tells whether the thing was created, so that nothing is created twice.
 */
export const ensure = async <W extends Named>(
  making: Making,
  kind: Kind<W>,
  wanted: readonly W[],
): Promise<Map<string, number>> => {
  for (let attempt = 1; ; attempt += 1) {
    const known = await kind.list()
    const ids = new Map(known.map(({ key, id }) => [key, id]))
    const open = wanted.filter((one) => !ids.has(kind.keyOf(one)))
    if (open.length === 0) return ids
    try {
      await createOpen(making, kind, open, known, ids)
      return ids
    } catch (error) {
      if (!isLost(error) || attempt === ATTEMPTS) throw error
    }
  }
}
