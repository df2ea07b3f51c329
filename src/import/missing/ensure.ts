import type { CreatedKind } from '../../domain/kinds.ts'
import type { Client } from '../../client/client.ts'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import type { CreatedThing, CreationLog } from '../../changes/records/created-record.ts'
import {
  doublesOf,
  doublesStay,
  type Listed,
  NOT_CERTAIN,
  oldestByKey,
  removeDoubles,
} from '../../changes/send/doubles.ts'

/** Holds what creating needs. */
export type Making = {
  readonly client: Client
  /** Holds a client of the classic interface of the same service; undefined if it has none. */
  readonly classic: Client | undefined
  readonly signal: AbortSignal
  readonly log: CreationLog
}

const STOPPED = 'stopped before any entry was sent; run the same command to continue'
/** Sets how often creating is tried again after an answer was lost or something was there already, and nothing has come of it. */
const ATTEMPTS = 3

/** Describes something that the service has: the text by which it is known, and its place in lists. */
export type Known = Listed & { readonly place: number }

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

/** Tells whether something is there already, as another machine has created it since the list was read. */
const isTaken = (error: unknown): boolean => error instanceof KpiError && error.code === 'conflict'

/** Creates those that are open, and notes their ids. */
const createOpen = async <W extends Named>(
  { signal, log }: Making,
  { kind, keyOf, create }: Kind<W>,
  open: readonly W[],
  known: readonly Known[],
  made: Map<string, CreatedThing>,
): Promise<void> => {
  if (signal.aborted) throw new Aborted(STOPPED)
  log.intend(kind, open.map(keyOf))
  const last = known.reduce((most, { place }) => Math.max(most, place), 0)
  let at = 0
  for await (const some of create(open, last)) {
    for (const id of some) {
      const one = open[at++]
      if (one === undefined) break
      const thing = { kind, id, name: one.name }
      made.set(keyOf(one), thing)
      log.add(thing)
    }
    if (signal.aborted) throw new Aborted(STOPPED)
  }
}

/** Removes what was made at the same moment as something older of another machine, by what the list says afterwards. */
const settleDoubles = async (
  { client, classic, log, signal }: Making,
  kind: CreatedKind,
  made: ReadonlyMap<string, CreatedThing>,
  { known, sent }: { readonly known: readonly Listed[]; readonly sent: ReadonlySet<string> },
): Promise<void> => {
  const doubles = doublesOf([...made.values()], known)
  if (doubles.length > 0) await removeDoubles({ client, classic }, doubles, signal)
  const ids = new Set(doubles.map(({ thing }) => thing.id))
  for (const [key, { id }] of made) if (ids.has(id)) log.disown(kind, key, id)
  for (const name of sent) {
    const [older, id] = known.flatMap((one) => (one.key === name ? one.id : [])).toSorted((one, other) => one - other)
    if (made.has(name) || older === undefined || id === undefined) continue
    throw doublesStay(client, [{ thing: { kind, id, name }, older }], NOT_CERTAIN)
  }
}

/**
 * Creates the things of a kind that are not there yet, and returns the ids of all by their keys. If an answer is lost,
 * the list tells whether the thing was created, so that nothing is created twice. The list is read once more when all are
 * there: where another machine has made one of the same name at the same moment, the older one stays, and is used by both.
 */
export const ensure = async <W extends Named>(
  making: Making,
  kind: Kind<W>,
  wanted: readonly W[],
): Promise<Map<string, number>> =>
  ensureOnce(making, kind, wanted).catch((error: unknown) => {
    throw error instanceof Aborted ? new Aborted(STOPPED) : error
  })

const ensureOnce = async <W extends Named>(
  making: Making,
  kind: Kind<W>,
  wanted: readonly W[],
): Promise<Map<string, number>> => {
  const made = new Map<string, CreatedThing>()
  const [sent, taken] = [new Set<string>(), new Set<string>()]
  let [left, before] = [ATTEMPTS, Infinity]
  for (;;) {
    const listed = await kind.list()
    // A list may show late what was just created.
    const known = [...listed, ...[...made].map(([key, { id }]) => ({ id, key, place: 0 }))]
    const ids = oldestByKey(known)
    for (const key of taken) if (ids.has(key)) making.log.disown(kind.kind, key)
    taken.clear()
    const open = wanted.filter((one) => !ids.has(kind.keyOf(one)))
    if (open.length === 0) {
      await settleDoubles(making, kind.kind, made, { known, sent })
      return ids
    }
    if (open.length < before) left = ATTEMPTS
    before = open.length
    try {
      await createOpen(making, kind, open, listed, made)
    } catch (error) {
      left -= 1
      if ((!isLost(error) && !isTaken(error)) || left === 0) throw error
      // One after another is created: where an answer was lost, what comes after it was not sent.
      const rest = open.map(kind.keyOf).filter((key) => !made.has(key))
      for (const key of isLost(error) ? rest.splice(0, 1) : []) sent.add(key)
      for (const key of rest) taken.add(key)
    }
  }
}
