import { asNewer, resource, type Stored } from '../schema.ts'
import { entry } from './entry.ts'

/** Sets for how many days the bundled service keeps what a run replaced, after it wrote last. */
export const KEPT_DAYS = 30

/** Names the header with which a batch says which run it is of. */
export const RUN_HEADER = 'Kpi-Run'

/** Matches the id of a run: letters, digits and hyphens, so that it can stand in a path. */
export const RUN_ID = /^[\w-]{1,64}$/

/** Describes what was deleted and created again since a run, by its ids before and now, one after the other. */
export const CREATED_AGAIN = {
  kpis: {
    name: 'kpis_again',
    about: 'Ids of KPIs that were deleted and created again since: before, now, before, now',
  },
  items: {
    name: 'items_again',
    about: 'The same of breakdown items, people among these',
  },
} as const

/** Holds the ids that KPIs and items have now which were deleted and created again, by their ids before. */
export type CreatedAgain = Readonly<Record<keyof typeof CREATED_AGAIN, ReadonlyMap<number, number>>>

/** Returns pairs of ids as a map. */
export const againOf = (ids: Iterable<number> = []): ReadonlyMap<number, number> => {
  const list = [...ids]
  return new Map(list.flatMap((id, at) => (at % 2 === 0 ? [[id, list[at + 1] ?? id]] : [])))
}

const RUN = { kind: 'text', about: 'Id of the run', example: '5f0c1d2e3a4b5c6d' } as const

/** Defines what a run made of an entry, with what is stored now. */
export const runEntry = resource({
  name: 'run_entry',
  plural: 'run_entries',
  title: 'entry of a run',
  root: 'KPIRunEntry',
  path: `${entry.path}/runs/{run}/entries`,
  verbs: ['list'],
  caution:
    'It answers what one batch of the run created and replaced, the last batch first: with `before` the `revision` of these entries, the batch before it. An empty list says that there is none.',
  fields: {
    run: { ...RUN, readOnly: true },
    revision: { kind: 'integer', about: 'Revision of the batch; batches have them in their order', readOnly: true },
    action: {
      kind: 'choice',
      about: 'What taking the run back would do: remove, restore, leave, or nothing as it is done',
      oneOf: ['remove', 'restore', 'leave', 'done'],
      readOnly: true,
    },
    entries: {
      kind: 'integer',
      about: 'How many entries: 1, or those that the batch created and that are gone',
      readOnly: true,
    },
    entry_id: {
      kind: 'integer',
      about: 'Id of the entry; null if it is gone',
      nullable: true,
      readOnly: true,
      example: 1,
    },
    user_id: { kind: 'integer', about: 'User whom the value belongs to', nullable: true, readOnly: true, example: 2 },
    source_id: {
      kind: 'integer',
      about: 'Breakdown item that the value belongs to',
      nullable: true,
      newer: true,
      readOnly: true,
      example: 2,
    },
    kpi_id: { kind: 'integer', about: 'KPI that the value is for', nullable: true, readOnly: true, example: 1 },
    entry_date: {
      kind: 'date',
      about: 'Day that the value is for',
      nullable: true,
      readOnly: true,
      example: '2026-03-02',
    },
    actual: { kind: 'decimal', about: 'Actual that is stored', nullable: true, readOnly: true, example: 120.5 },
    target: { kind: 'decimal', about: 'Target that is stored', nullable: true, readOnly: true },
    notes: { kind: 'text', about: 'Notes that are stored', nullable: true, readOnly: true },
    old_actual: {
      kind: 'decimal',
      about: 'Actual once it is taken back',
      nullable: true,
      readOnly: true,
      example: 100,
    },
    old_target: { kind: 'decimal', about: 'Target once it is taken back', nullable: true, readOnly: true },
    old_notes: { kind: 'text', about: 'Notes once it is taken back', nullable: true, readOnly: true },
    reason: { kind: 'text', about: 'Why it is left alone', nullable: true, readOnly: true },
    held_by: { kind: 'text', about: 'Run that has written it since', nullable: true, readOnly: true },
  },
})

/** Defines the same in the newer variant, which shows the item of every entry. */
export const newerRunEntry = asNewer(runEntry)

/** Describes what a run made of an entry, with all fields that either variant shows. */
export type RunEntry = Stored<typeof newerRunEntry>

/** Defines the order to take a batch of a run back. */
export const runUndo = resource({
  name: 'run_undo',
  plural: 'run_undos',
  title: 'undo of a run',
  root: 'KPIRunUndo',
  // Show it nowhere.
  lists: {},
  path: '',
  verbs: [],
  fields: {
    before: {
      kind: 'integer',
      about: 'Takes back the last batch before this revision; the last of the run when not given',
      nullable: true,
    },
    dry_run: {
      kind: 'boolean',
      about: 'true only counts, and changes nothing; false takes it back',
      required: true,
      example: true,
    },
  },
})

/** Defines what became of a batch that was taken back. */
export const undoneBatch = resource({
  name: 'undone_batch',
  plural: 'undone_batches',
  title: 'batch that was taken back',
  root: 'KPIUndoneBatch',
  path: `${entry.path}/runs/{run}/undo`,
  verbs: ['add'],
  fields: {
    run: { ...RUN, readOnly: true },
    is_kept: {
      kind: 'boolean',
      about: `Whether it is kept what the run replaced, or was; false where it never was, or for more than ${KEPT_DAYS} days, or was too much`,
      readOnly: true,
      example: true,
    },
    revision: { kind: 'integer', about: 'Revision of the batch; 0 if there was none', readOnly: true },
    restored: { kind: 'integer', about: 'Entries that hold again what they held before', readOnly: true, example: 0 },
    removed: { kind: 'integer', about: 'Entries that the batch created, and that are removed', readOnly: true },
    unchanged: { kind: 'integer', about: 'Entries that were as before already', readOnly: true, example: 0 },
    left: {
      kind: 'integer',
      about: 'Entries that are left alone; taking the run back again looks at them again',
      readOnly: true,
      example: 0,
    },
    batches: { kind: 'integer', about: 'Batches of the run before this one', readOnly: true, example: 0 },
    reasons: { kind: 'text', about: 'Why entries are left alone', nullable: true, readOnly: true },
    held_by: {
      kind: 'text',
      about: 'Runs that have written some of them since, the last first, separated by commas',
      nullable: true,
      readOnly: true,
    },
  },
})

export type UndoneBatch = Stored<typeof undoneBatch>

/** Bounds the entries that one request for a run deletes, or puts a group item onto or takes it off, so that none takes long. */
export const RUN_LIMIT = 50_000

/** Defines what entries come to, by KPI. */
export const entrySum = resource({
  name: 'entry_sum',
  plural: 'entry_sums',
  title: 'sum of entries',
  root: 'KPIEntrySum',
  path: `${entry.path}/sums`,
  verbs: ['list'],
  caution: 'It counts the entries of a range of days by KPI, those of every user and KPI where none is named.',
  fields: {
    kpi_id: { kind: 'integer', about: 'KPI that the values are for', readOnly: true, example: 1 },
    entries: { kind: 'integer', about: 'How many entries there are', readOnly: true, example: 31 },
    actual: {
      kind: 'decimal',
      about: 'Sum of their actuals; null if there are none',
      nullable: true,
      readOnly: true,
      example: 120.5,
    },
  },
})

export type EntrySum = Stored<typeof entrySum>

/** Defines the order to delete entries. */
export const runDeletion = resource({
  name: 'run_deletion',
  plural: 'run_deletions',
  title: 'deletion of entries',
  root: 'KPIRunDeletion',
  // It is never shown.
  lists: {},
  path: '',
  verbs: [],
  fields: {
    count: {
      kind: 'integer',
      about: 'How many entries are to be deleted by this run, as they were counted; if there are not so many, none is',
      required: true,
      example: 0,
    },
  },
})

/** Says how much of what was asked of a run is done. */
const PROGRESS = {
  run: { ...RUN, readOnly: true },
  entries: { kind: 'integer', about: 'Entries that the run has come to so far', readOnly: true, example: 31 },
  left: {
    kind: 'integer',
    about: 'Entries that are left; the same request again goes on with these',
    readOnly: true,
    example: 0,
  },
} as const

/** Defines how far the deletion of entries is. */
export const deletedEntries = resource({
  name: 'deleted_entries',
  plural: 'deleted_entries',
  title: 'entries that were deleted',
  root: 'KPIDeletedEntries',
  path: `${entry.path}/runs/{run}/delete`,
  verbs: ['add'],
  fields: PROGRESS,
})

export type DeletedEntries = Stored<typeof deletedEntries>

/** Defines the order to put a group item onto entries that are there, or to take it off. */
export const runGroupItem = resource({
  name: 'run_group_item',
  plural: 'run_group_items',
  title: 'order to put a group item onto entries, or to take it off',
  root: 'KPIRunGroupItem',
  // It is never shown.
  lists: {},
  path: '',
  verbs: [],
  fields: {
    group_item_id: {
      kind: 'integer',
      about: 'Group item to put onto the entries, or to take off',
      required: true,
      example: 3,
    },
    user_ids: {
      kind: 'text',
      about: 'Ids of the users whose entries they are, separated by commas; all who have the group item when not given',
      nullable: true,
      example: '2,3',
    },
    date_from: { kind: 'date', about: 'First day of the entries', required: true, example: '2026-01-01' },
    date_to: { kind: 'date', about: 'Last day of the entries; none when not given', nullable: true },
    take_off: {
      kind: 'boolean',
      about: 'true takes it off the entries that carry it; otherwise it is put onto those that do not',
      fallback: false,
    },
    dry_run: {
      kind: 'boolean',
      about: 'true only counts, and changes nothing; false does it',
      required: true,
      example: true,
    },
  },
})

/** Defines how far a group item is put onto entries, or taken off. */
export const carriedGroupItem = resource({
  name: 'carried_group_item',
  plural: 'carried_group_items',
  title: 'entries that got or lost a group item',
  root: 'KPICarriedGroupItem',
  path: `${entry.path}/runs/{run}/groupitem`,
  verbs: ['add'],
  fields: {
    ...PROGRESS,
    user_ids: {
      kind: 'text',
      about: 'Users whose entries were still to be changed, separated by commas; the first 500 of them',
      nullable: true,
      readOnly: true,
      example: '2,3',
    },
    first_day: {
      kind: 'date',
      about: 'First day of entries that were still to be changed; null if none was',
      nullable: true,
      readOnly: true,
      example: '2026-01-01',
    },
    other_item_ids: {
      kind: 'text',
      about:
        'Other group items of the same group that some of the entries from this day on carry, separated by commas; the first 500 of them',
      nullable: true,
      readOnly: true,
    },
  },
})

export type CarriedGroupItem = Stored<typeof carriedGroupItem>
