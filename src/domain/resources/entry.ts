import { asNewer, type Draft, type Patch, type Resource, resource, type Stored } from '../schema.ts'

/** Defines an entry: the values of one KPI, of one user, on one day. */
export const entry = resource({
  name: 'entry',
  plural: 'entries',
  title: 'entry',
  root: 'KPIEntry',
  path: '/kpientries',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  brief: ['id', 'user_id', 'kpi_id', 'entry_date', 'actual', 'target', 'notes'],
  fields: {
    id: { kind: 'integer', about: 'Id of the entry', readOnly: true },
    user_id: { kind: 'integer', about: 'User whom the value belongs to', nullable: true, refers: 'user', example: 2 },
    email: {
      kind: 'text',
      about: "The user's e-mail address, instead of user_id",
      nullable: true,
      max: 150,
      writeOnly: true,
      insteadOf: 'user_id',
    },
    source_id: {
      kind: 'integer',
      about: 'Breakdown item that the value belongs to, instead of user_id',
      nullable: true,
      refers: 'breakdown_item',
      newer: true,
      insteadOf: 'user_id',
      example: 2,
    },
    kpi_id: { kind: 'integer', about: 'KPI that the value is for', required: true, refers: 'kpi' },
    entry_date: { kind: 'date', about: 'Day that the value is for', required: true },
    actual: {
      kind: 'decimal',
      about: 'Measured value',
      nullable: true,
      inUnitOf: { kind: 'kpi', idField: 'kpi_id' },
      example: 120.5,
    },
    target: {
      kind: 'decimal',
      about: 'Target of this entry; dropped where the KPI has none',
      nullable: true,
      inUnitOf: { kind: 'kpi', idField: 'kpi_id' },
      example: 100,
    },
    notes: { kind: 'text', about: 'Free text', nullable: true, max: 500, example: 'Sale began' },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
    setActual: { kind: 'boolean', about: 'false keeps the actual that is stored', fallback: true, writeOnly: true },
    setTarget: { kind: 'boolean', about: 'false keeps the target that is stored', fallback: true, writeOnly: true },
    setNotes: { kind: 'boolean', about: 'false keeps the notes that are stored', fallback: true, writeOnly: true },
    addToActual: {
      kind: 'boolean',
      about: 'true adds the actual to the one that is stored',
      fallback: false,
      writeOnly: true,
    },
  },
})

/** Defines an entry of the newer variant, which may belong to any breakdown item. */
export const newerEntry = asNewer(entry)

/** Names the entry resources of the variants. */
export type EntryResource = typeof entry | typeof newerEntry

const IDENTIFYING_FIELDS = ['user_id', 'email', 'source_id'] as const
/** Names a field that identifies the user or item of an entry. */
export type EntryName = (typeof IDENTIFYING_FIELDS)[number]

/** Returns the identifying fields that a variant accepts. */
export const entryNames = ({ writable }: Pick<Resource, 'writable'>): readonly EntryName[] =>
  IDENTIFYING_FIELDS.filter((name) => writable.some((one) => one.name === name))

/** Describes an entry with all fields that either variant shows. */
export type Entry = Stored<typeof newerEntry>
/** Describes the fields that either variant accepts to create one. */
export type EntryDraft = Draft<typeof newerEntry>
export type EntryPatch = Patch<typeof newerEntry>

/** Bounds the entries on one page of a list. */
export const ENTRIES_PAGE = 500
/** Bounds them in this process, where no other request waits. */
export const ENTRIES_PAGE_IN_PROCESS = 10_000

/** Bounds the entries in one batch. */
export const BATCH_LIMIT = 5000

/** Defines the flags of a batch, which apply to all its entries. */
export const batchFlags = resource({
  name: 'batch',
  plural: 'batches',
  title: 'batch of entries',
  root: 'KPIEntryList',
  lists: { entries: entry },
  path: '',
  verbs: [],
  fields: {
    hasActuals: { kind: 'boolean', about: 'false keeps every actual that is stored', fallback: true },
    hasTargets: { kind: 'boolean', about: 'false keeps every target that is stored', fallback: true },
    hasNotes: { kind: 'boolean', about: 'false keeps all notes that are stored', fallback: true },
  },
})

/** Defines the flags of a batch in the newer variant. */
export const newerBatchFlags = { ...batchFlags, lists: { entries: newerEntry } }

/** Defines the result of a batch. */
export const batchResult = resource({
  name: 'batch_result',
  plural: 'batch_results',
  title: 'result of a batch',
  root: 'KPIEntryListResult',
  path: '',
  verbs: [],
  fields: {
    rows_added: { kind: 'integer', about: 'Rows that changed something', readOnly: true },
    rows_created: { kind: 'integer', about: 'Rows that made a new entry', readOnly: true },
    rows_updated: { kind: 'integer', about: 'Rows that changed an entry', readOnly: true, example: 0 },
    rows_unchanged: { kind: 'integer', about: 'Rows that were there already', readOnly: true, example: 0 },
  },
})

export type BatchFlags = Draft<typeof batchFlags>
export type BatchResult = Stored<typeof batchResult>
