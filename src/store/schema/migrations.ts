import { assignment } from '../../domain/resources/assignment.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { definition } from '../../domain/resources/calculated-kpi.ts'
import { category, unit } from '../../domain/resources/catalog.ts'
import { entry } from '../../domain/resources/entry.ts'
import { group, userGroupItem } from '../../domain/resources/groups.ts'
import { key } from '../../domain/resources/key.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { user } from '../../domain/resources/user.ts'
import type { Resource } from '../../domain/schema.ts'
import type { Writer } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { columnsOf, columnSql } from '../tables/table.ts'
import { collectItemSets } from './item-set-migration.ts'
import { callerTables, limitTables } from './limit-tables.ts'

/** Describes columns that name a row of another table, beside the account, which goes before them. */
export type ForeignKey = {
  readonly columns: readonly string[]
  readonly parent: string
  readonly to: readonly string[]
  /** Says what happens to the row when the one that it names changes. */
  readonly follows?: string
}

/** Describes a table of the store: the columns that its resource gives it, and others. */
export type TableDefinition = {
  readonly name: string
  /** Names the resource whose fields are columns. */
  readonly of?: Resource
  /** Names the columns that identify a row, after the account. */
  readonly key: readonly string[]
  /** Lists columns beside those of the field table. */
  readonly columns?: Readonly<Record<string, string>>
  /** Lists what its rows name, beside their account. */
  readonly references?: readonly ForeignKey[]
  readonly constraints?: readonly string[]
  /** Lists fields that are not columns here. */
  readonly without?: readonly string[]
  /** Tells whether references are foreign keys; true by default. */
  readonly isBound?: boolean
}

const references = (column: string, parent: string): ForeignKey => ({ columns: [column], parent, to: ['id'] })

const foreignKey = ({ columns, parent, to, follows = '' }: ForeignKey): string => {
  const [from, there] = [columns, to].map((names) => ['account_id', ...names].join(', '))
  return `foreign key (${from}) references ${parent} (${there})${follows}`
}

/**
 * Returns the statement for a table of a version of the store. Every key leads with the account, and stands first in
 * the table as it does on the disk. A field that came later says so with `since` and gets its column from a migration
 * of its own.
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

// What a name or token is of is found before the account is known: nothing leads these keys.
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
    // The e-mail address as it is compared: without regard to case.
    columns: { email_key: 'text not null', password_hash: 'text' },
    references: [references('id', 'items')],
    constraints: ['unique (account_id, email_key)'],
  },
  { name: 'categories', of: category, key: ['id'] },
  { name: 'units', of: unit, key: ['id'] },
  {
    name: 'kpis',
    of: kpi,
    key: ['id'],
    references: [references('category_id', 'categories'), references('unit_id', 'units')],
  },
  {
    name: 'assignments',
    of: assignment,
    key: ['user_id', 'id'],
    references: [references('user_id', 'users'), references('id', 'kpis')],
  },
  {
    // Clustered on the natural key: what is read and written together lies together.
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
  follows: ' on delete cascade',
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
    // The group items that an entry carries, which its user had when it was made. They follow their entry.
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
    // What calculated KPIs are calculated from, and how.
    name: 'formulas',
    of: definition,
    key: ['kpi_id'],
    columns: { kpi_id: `${integer} not null` },
    references: [references('kpi_id', 'kpis')],
  },
  {
    // What was asked with an Idempotency-Key: who is at it, and what was answered.
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
    // The keys of the newer variant, each of a user.
    name: 'keys',
    of: key,
    key: ['id'],
    columns: { key_hash: 'text not null' },
    references: [references('user_id', 'users')],
  },
]

const fourthTables = ({ integer }: Dialect): readonly TableDefinition[] => [
  {
    // Each set of group items that entries carry, once; `digest` finds it by what is in it.
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

/** Applies what later versions have changed in tables of earlier ones: an entry names the set that it carries. */
const asOfNow = (table: TableDefinition): TableDefinition =>
  table.name === 'entries'
    ? { ...table, references: [...(table.references ?? []), references('item_set', 'item_sets')] }
    : table

/** Returns all tables whose rows belong to an account. */
export const accountTables = (dialect: Dialect): readonly TableDefinition[] => [
  ...firstTables(dialect).map(asOfNow),
  ...secondTables(dialect).filter(({ name }) => name !== 'entry_items'),
  ...thirdTables,
  ...fourthTables(dialect),
]

/** Describes one step of a migration: a statement, or work that takes more than one. */
export type Step = string | ((tx: Writer) => Promise<void>)

/**
 * Returns what migrates a store from one version to the next. What has been released is never changed, only added to.
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
    // Found before the account is known.
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
    // How the body of a kept answer is written; null for as it is.
    'alter table idempotent_requests add column encoding text',
  ],
]
