import { storedAssignment } from '../../domain/resources/assignment.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { storedFormula } from '../../domain/resources/calculated-kpi.ts'
import { category, unit } from '../../domain/resources/catalog.ts'
import { entry } from '../../domain/resources/entry.ts'
import { group, userGroupItem } from '../../domain/resources/groups.ts'
import { key } from '../../domain/resources/key.ts'
import { storedKpi } from '../../domain/resources/kpi.ts'
import { user } from '../../domain/resources/user.ts'
import type { Resource } from '../../domain/schema.ts'
import type { Writer } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { columnsOf, columnSql } from '../tables/table.ts'
import { foldEmailKeys } from './email-key-migration.ts'
import { collectItemSets } from './item-set-migration.ts'
import { callerTables, limitTables } from './limit-tables.ts'

/** Describes a reference to a row of the same account; `account_id` is added to both sides. */
export type ForeignKey = {
  readonly columns: readonly string[]
  readonly parent: string
  readonly to: readonly string[]
  /** Holds the `on delete` clause. */
  readonly onDelete?: string
}

/** Describes a table of the store: the columns of its resource, and others. */
export type TableDefinition = {
  readonly name: string
  /** Names the resource whose fields are columns. */
  readonly of?: Resource
  /** Names the columns that identify a row, after the account. */
  readonly key: readonly string[]
  /** Lists the columns that are not fields of the resource. */
  readonly columns?: Readonly<Record<string, string>>
  /** Lists the references to other tables; the one to the account is implied. */
  readonly references?: readonly ForeignKey[]
  readonly constraints?: readonly string[]
  /** Lists the fields of the resource that are not columns here. */
  readonly without?: readonly string[]
  /** Tells whether the references are foreign keys; true by default. */
  readonly isBound?: boolean
}

const references = (column: string, parent: string): ForeignKey => ({ columns: [column], parent, to: ['id'] })

const foreignKey = ({ columns, parent, to, onDelete = '' }: ForeignKey): string => {
  const [from, there] = [columns, to].map((names) => ['account_id', ...names].join(', '))
  return `foreign key (${from}) references ${parent} (${there})${onDelete}`
}

/**
 * Returns the statement that creates a table of one version of the store. Every key begins with the account, and its
 * columns come first, as on the disk. A field with a later `since` gets its column from a later migration.
 */
const createTable =
  (version: number, dialect: Dialect) =>
  ({
    name,
    of,
    key,
    columns = {},
    references: named = [],
    constraints = [],
    without = [],
    isBound = true,
  }: TableDefinition) => {
    const all = of ? columnsOf(of) : []
    const fields = all.filter((one) => !without.includes(one.name) && (one.field.since ?? version) <= version)
    const definitions = new Map([
      ['account_id', `account_id ${dialect.integer} not null${isBound ? ' references accounts (id)' : ''}`],
      ...fields.map((one): [string, string] => [one.column, columnSql(one, dialect)]),
      ...Object.entries(columns).map(([column, definition]): [string, string] => [column, `${column} ${definition}`]),
    ])
    const leading = ['account_id', ...key]
    const order = [...leading, ...[...definitions.keys()].filter((column) => !leading.includes(column))]
    const parts = [
      ...order.map((column) => definitions.get(column) ?? ''),
      ...(isBound ? named.map(foreignKey) : []),
      ...constraints,
      `primary key (${leading.join(', ')})`,
    ]
    return `create table ${name} (${parts.join(', ')})${dialect.clustered}`
  }

// Names and tokens are looked up before the account is known, so their keys do not begin with it.
const accounts = ({ integer, numbered, plain, crossAccountKeys }: Dialect): string => {
  const unique = crossAccountKeys ? ' unique' : ''
  return `create table accounts (
    id ${numbered}, name text not null${unique}, plan text not null, api_enabled ${integer} not null,
    week_start text not null, fiscal_year_start ${integer} not null, token_hash text${unique},
    created_at ${integer} not null
  )${plain}`
}

const firstTables = ({ integer, entryKeys }: Dialect): readonly TableDefinition[] => [
  { name: 'counters', key: ['name'], columns: { name: 'text not null', last: `${integer} not null` } },
  { name: 'breakdowns', of: group, key: ['id'] },
  { name: 'items', of: breakdownItem, key: ['id'], references: [references('breakdown_id', 'breakdowns')] },
  {
    name: 'users',
    of: user,
    key: ['id'],
    // Holds the e-mail address as it is compared.
    columns: { email_key: 'text not null', password_hash: 'text' },
    references: [references('id', 'items')],
    constraints: ['unique (account_id, email_key)'],
  },
  { name: 'categories', of: category, key: ['id'] },
  { name: 'units', of: unit, key: ['id'] },
  {
    name: 'kpis',
    of: storedKpi,
    key: ['id'],
    references: [references('category_id', 'categories'), references('unit_id', 'units')],
  },
  {
    name: 'assignments',
    of: storedAssignment,
    key: ['user_id', 'id'],
    references: [references('user_id', 'users'), references('id', 'kpis')],
  },
  {
    // Clustered on the natural key: entries that are read and written together are stored together.
    name: 'entries',
    of: entry,
    key: ['item_id', 'kpi_id', 'entry_date'],
    columns: { item_id: `${integer} not null` },
    references: [references('item_id', 'items'), references('kpi_id', 'kpis')],
    without: ['user_id'],
    isBound: entryKeys,
  },
]

const ofEntry: ForeignKey = {
  columns: ['item_id', 'kpi_id', 'entry_date'],
  parent: 'entries',
  to: ['item_id', 'kpi_id', 'entry_date'],
  onDelete: ' on delete cascade',
}

const secondTables = ({ integer }: Dialect): readonly TableDefinition[] => [
  {
    // The group items of users.
    name: 'user_items',
    of: userGroupItem,
    key: ['user_id', 'id'],
    references: [references('user_id', 'users'), references('id', 'items')],
    without: ['group_id', 'group_name', 'name'],
  },
  {
    // The group items that an entry carries, which its user had when it was created. They are deleted with their entry.
    name: 'entry_items',
    key: ['group_item_id', 'kpi_id', 'entry_date', 'item_id'],
    columns: {
      group_item_id: `${integer} not null`,
      kpi_id: `${integer} not null`,
      entry_date: `${integer} not null`,
      item_id: `${integer} not null`,
    },
    references: [references('group_item_id', 'items'), ofEntry],
  },
  {
    // The formulas of calculated KPIs.
    name: 'formulas',
    of: storedFormula,
    key: ['kpi_id'],
    columns: { kpi_id: `${integer} not null` },
    references: [references('kpi_id', 'kpis')],
  },
  {
    // Requests with an Idempotency-Key: who works on each, and its answer.
    name: 'idempotent_requests',
    key: ['path', 'request_key'],
    columns: {
      path: 'text not null',
      request_key: 'text not null',
      fingerprint: 'text not null',
      owner: 'text not null',
      leased_until: `${integer} not null`,
      created_at: `${integer} not null`,
      status: integer,
      location: 'text',
      content_type: 'text',
      body: 'text',
    },
  },
]

const thirdTables: readonly TableDefinition[] = [
  {
    // The keys of the newer variant; each belongs to a user.
    name: 'keys',
    of: key,
    key: ['id'],
    columns: { key_hash: 'text not null' },
    references: [references('user_id', 'users')],
  },
]

const fourthTables = ({ integer }: Dialect): readonly TableDefinition[] => [
  {
    // Each set of group items that entries carry, stored once; `digest` is computed from its items to find it.
    name: 'item_sets',
    key: ['id'],
    columns: { id: `${integer} not null`, digest: 'text not null' },
    constraints: ['unique (account_id, digest)'],
  },
  {
    name: 'item_set_members',
    key: ['group_item_id', 'set_id'],
    columns: { group_item_id: `${integer} not null`, set_id: `${integer} not null` },
    references: [references('group_item_id', 'items'), references('set_id', 'item_sets')],
  },
]

const fifthTables = ({ integer }: Dialect): readonly TableDefinition[] => [
  {
    // Holds a row for each run whose replaced values are kept: by whom, how much, since when, and whether some was dropped.
    name: 'runs',
    key: ['run_id'],
    columns: {
      run_id: 'text not null',
      key_id: `${integer} not null`,
      last_at: `${integer} not null`,
      bytes: `${integer} not null`,
      state: `${integer} not null`,
      is_partial: `${integer} not null`,
    },
  },
  {
    // Holds what each batch of a run created and replaced; its entries have its revision until something else writes them.
    name: 'run_batches',
    key: ['revision'],
    columns: {
      revision: `${integer} not null`,
      run_id: 'text not null',
      first_id: `${integer} not null`,
      created: `${integer} not null`,
      left_ids: 'text',
      changes: 'text',
    },
  },
]

/** Lists what later versions added to tables of earlier ones. */
const laterChanges = ({
  integer,
}: Dialect): Readonly<Record<string, Pick<TableDefinition, 'columns' | 'references'>>> => ({
  // An entry refers to the set that it carries. It has the revision of the batch of a run that wrote it last, or 0.
  entries: {
    columns: { item_set: integer, revision: `${integer} not null default 0` },
    references: [references('item_set', 'item_sets')],
  },
  idempotent_requests: { columns: { encoding: 'text' } },
})

/** Returns all tables whose rows belong to an account, as they are now. Foreign keys lead only to tables before. */
export const accountTables = (dialect: Dialect): readonly TableDefinition[] => {
  const later = laterChanges(dialect)
  const all = [
    ...firstTables(dialect),
    ...secondTables(dialect),
    ...thirdTables,
    ...fourthTables(dialect),
    ...fifthTables(dialect),
  ]
  return all
    .filter(({ name }) => name !== 'entry_items')
    .map((table) => ({
      ...table,
      columns: { ...table.columns, ...later[table.name]?.columns },
      references: [...(table.references ?? []), ...(later[table.name]?.references ?? [])],
    }))
}

/** Describes one step of a migration: a statement, or work that takes more than one. */
export type Step = string | ((tx: Writer) => Promise<void>)

/**
 * Returns the steps that migrate a store from each version to the next. Released steps never change; new ones are
 * added.
 */
export const migrations = (dialect: Dialect): readonly (readonly Step[])[] => [
  [
    accounts(dialect),
    ...firstTables(dialect).map(createTable(1, dialect)),
    'create unique index entries_by_id on entries (account_id, id)',
    'create index items_by_breakdown on items (account_id, breakdown_id)',
    'create index kpis_by_category on kpis (account_id, category_id)',
    'create index kpis_by_unit on kpis (account_id, unit_id)',
  ],
  [
    ...secondTables(dialect).map(createTable(2, dialect)),
    'create index user_items_by_item on user_items (account_id, id)',
    'create index entry_items_by_entry on entry_items (account_id, item_id, kpi_id, entry_date)',
    'create index idempotent_requests_by_time on idempotent_requests (account_id, created_at)',
    ...(dialect.limitsApart ? [] : limitTables(dialect)),
  ],
  [
    ...thirdTables.map(createTable(3, dialect)),
    // Looked up before the account is known.
    'create index keys_by_hash on keys (key_hash)',
    ...(dialect.limitsApart ? [] : callerTables(dialect)),
  ],
  [
    ...fourthTables(dialect).map(createTable(4, dialect)),
    'create index item_set_members_by_set on item_set_members (account_id, set_id)',
    `alter table entries add column item_set ${dialect.integer}`,
    collectItemSets(dialect),
    'create index entries_by_item_set on entries (account_id, item_set, kpi_id, entry_date) where item_set is not null',
    'drop table entry_items',
    // Encoding of the stored body; null if it is not compressed.
    'alter table idempotent_requests add column encoding text',
  ],
  [
    // A new item takes the place after the last one, which an index on the place finds at once.
    'drop index items_by_breakdown',
    'create index items_by_place on items (account_id, breakdown_id, sort_order)',
  ],
  [foldEmailKeys],
  [
    ...fifthTables(dialect).map(createTable(7, dialect)),
    'create index runs_by_time on runs (account_id, state, last_at)',
    'create index run_batches_by_run on run_batches (account_id, run_id, revision)',
    `alter table entries add column revision ${dialect.integer} not null default 0`,
  ],
  // Dated targets: one text for each KPI and assignment.
  ['alter table kpis add column targets text', 'alter table assignments add column targets text'],
]
