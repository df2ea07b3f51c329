import type { ChangeLog } from '../../runs/entries/receipt-writer.ts'
import { type EntryBlock, numberAt } from '../../domain/entry-block.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { type EntryValues, mergeEntry, NOTHING } from '../../domain/rules.ts'
import { keyOf, storedKey } from '../../domain/entry-key.ts'
import { type ExistingEntryMap } from '../existing/existing-entries.ts'
import type { Reference } from '../../reading/directory/reference.ts'
import { changeBetween, type EntryChange, holds } from '../../domain/entry-changes.ts'

/** Returns what becomes of the entries of drafts that are sent; entries that stay as they are are left out. */
const changesOf = (
  drafts: readonly EntryDraft[],
  stored: ExistingEntryMap,
  { kpis }: Pick<Reference, 'kpis'>,
): EntryChange[] =>
  drafts.flatMap((draft) => {
    const key = keyOf(draft)
    const before = stored.get(storedKey(...key))
    const after = mergeEntry(before, draft, kpis.byId.get(draft.kpi_id) ?? { target_default: 0n })
    const change = changeBetween(before ?? NOTHING, after)
    return change ? [{ key, before: before && change.before, after: change.after }] : []
  })

/** Tells whether an entry is still what it was before a change. */
const isAsBefore = ({ before }: EntryChange, stored: EntryValues | undefined): boolean =>
  before ? stored !== undefined && holds(stored, before) : stored === undefined

/** Notes what becomes of drafts, before they are sent. */
export type NoteChanges = {
  /** Tells whether what is stored has to be known. */
  readonly isWanted: () => boolean
  /** Notes what becomes of drafts beside what is stored; undefined if that cannot be read, which is said once. */
  readonly note: (drafts: readonly EntryDraft[], stored: ExistingEntryMap | undefined) => void
  /** Writes what was noted, and returns once it is on the disk. */
  readonly sync: () => void
  /** Takes out the notes of drafts of which it is known that they were not sent. */
  readonly withdraw: (drafts: readonly EntryDraft[]) => void
  /** Takes out the notes of those of some drafts that the service has refused, so that nothing of them is stored. */
  readonly refuse: (drafts: readonly EntryDraft[], refused: readonly EntryDraft[]) => void
  /**
   * Takes out the notes of `replayed` drafts, whose answer the service has repeated, if any of them still holds its earlier
   * values: the batch was then stored by an earlier part of the run.
   */
  readonly settleReplayed: (
    drafts: readonly EntryDraft[],
    replayed: readonly EntryDraft[],
    stored: ExistingEntryMap,
  ) => void
}

const nothing = (): void => undefined

/** Creates the notes of a run of which the service keeps what it replaces: that it does, and of which KPIs and owners. */
export const createKeptNotes = ({
  keep,
}: Pick<ChangeLog, 'keep'>): NoteChanges & {
  readonly see: (block: Pick<EntryBlock, 'count' | 'owner' | 'kpi'>) => void
} => {
  const known = { kpis: new Set<number>(), owners: new Set<number>() }
  let fresh: { readonly kpis: number[]; readonly owners: number[] } = { kpis: [], owners: [] }
  let isNoted = false
  const see = (name: 'kpis' | 'owners', id: number): void => {
    if (known[name].has(id)) return
    known[name].add(id)
    fresh[name].push(id)
  }
  return {
    see: ({ count, owner, kpi }) => {
      for (let at = 0; at < count; at += 1) {
        // Most entries have the owner and the KPI of the one before.
        if (at === 0 || kpi[at] !== kpi[at - 1]) see('kpis', numberAt(kpi, at))
        if (at === 0 || owner[at] !== owner[at - 1]) see('owners', numberAt(owner, at))
      }
    },
    isWanted: () => false,
    note: nothing,
    sync: () => {
      if (isNoted && fresh.kpis.length + fresh.owners.length === 0) return
      keep(fresh)
      isNoted = true
      fresh = { kpis: [], owners: [] }
    },
    withdraw: nothing,
    refuse: nothing,
    settleReplayed: nothing,
  }
}

/** Holds drafts that are about to be sent, and what becomes of them. */
type Noted = { readonly first: EntryDraft; readonly changes: readonly EntryChange[] }

/** Holds what was noted of drafts that were sent together. */
type Written = Pick<Noted, 'changes'> & { readonly blank: () => void; byKey?: ReadonlyMap<string, EntryChange> }

/** Creates the notes of a run; without a log nothing is noted. */
export const createNotes = (log: ChangeLog | undefined, reference: Pick<Reference, 'kpis'>): NoteChanges => {
  let isWanted = log !== undefined
  // Hold notes back until their drafts are about to be sent, so that a run that stops before has nothing to take out.
  let unwritten: Noted[] = []
  const written = new WeakMap<EntryDraft, Written>()
  /** Returns what was noted of some of drafts. */
  const notedOf = (drafts: readonly EntryDraft[], some: readonly EntryDraft[]): EntryChange[] => {
    const keys = some.map((draft) => storedKey(...keyOf(draft)))
    return drafts.flatMap((draft) => {
      const noted = written.get(draft)
      if (!noted) return []
      noted.byKey ??= new Map(noted.changes.map((change) => [storedKey(...change.key), change]))
      return keys.flatMap((key) => noted.byKey?.get(key) ?? [])
    })
  }
  const takeOut = (changes: readonly EntryChange[]): void => {
    if (changes.length > 0) log?.refuse(changes)
  }
  return {
    isWanted: () => isWanted,
    note: (drafts, stored) => {
      const [first] = drafts
      if (!isWanted || !first) return
      if (stored) {
        unwritten.push({ first, changes: changesOf(drafts, stored, reference) })
        return
      }
      isWanted = false
      log?.giveUp('the service does not show what is stored to these credentials')
    },
    sync: () => {
      if (!log) return
      for (const { first, changes } of unwritten) {
        if (changes.length > 0) written.set(first, { changes, blank: log.add(changes) })
      }
      unwritten = []
      log.sync()
    },
    withdraw: (drafts) => {
      for (const draft of drafts) {
        written.get(draft)?.blank()
        written.delete(draft)
      }
    },
    refuse: (drafts, refused) => takeOut(notedOf(drafts, refused)),
    settleReplayed: (drafts, replayed, stored) => {
      const changes = notedOf(drafts, replayed)
      if (changes.some((change) => isAsBefore(change, stored.get(storedKey(...change.key))))) takeOut(changes)
    },
  }
}
