import { INT16_MAX } from '../../domain/field-value.ts'
import {
  type AnyRecord,
  type Field,
  type FieldValue,
  type NamedField,
  type Resource,
  type Stored,
  TEXT_KINDS,
} from '../../domain/schema.ts'
import type { Reader, SqlInput, SqlList, SqlOutput, SqlRow, Writer } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { IN_LIST, listOf } from './id-list.ts'

/** Names the kinds of ids that an account counts. People are items too: a user's id is the id of their item. */
export type Counter =
  'breakdowns' | 'items' | 'categories' | 'units' | 'kpis' | 'entries' | 'keys' | 'item_sets' | 'revisions'

/** Takes the next `count` ids of a kind and returns the first of them. An id is never given twice. */
export const takeIds = async (tx: Writer, account: number, counter: Counter, count = 1): Promise<number> => {
  const [row] = await tx.all(
    `insert into counters (account_id, name, last) values (?, ?, ?)
     on conflict (account_id, name) do update set last = counters.last + excluded.last returning last`,
    [account, counter, count],
  )
  return Number(row?.['last']) - count + 1
}

/** Describes a field and its column. */
export type FieldColumn = NamedField & { readonly column: string }

/**
 * Returns the fields with a column of their own: all that are shown, except secrets, which are stored only as a hash.
 */
export const columnsOf = (of: Resource): readonly FieldColumn[] =>
  of.shown.filter(({ field }) => !field.secret).map((one) => ({ ...one, column: one.field.column ?? one.name }))

/** Returns a value for its column: decimals in ten-thousandths, days and instants as counts, booleans as 0 and 1. */
const toSql = (value: FieldValue): SqlInput => (typeof value === 'boolean' ? Number(value) : value)

/** Returns the value of a field from its column. */
export const fromSql = (field: Field, value: SqlOutput): FieldValue => {
  if (typeof value !== 'bigint') return value
  if (field.kind === 'decimal') return value
  return field.kind === 'boolean' ? value === 1n : Number(value)
}

/** Returns the definition of a field's column. */
export const columnSql = ({ column, field }: FieldColumn, { integer }: Dialect): string => {
  const type = TEXT_KINDS.has(field.kind) ? 'text' : integer
  return `${column} ${type}${field.nullable ? '' : ' not null'}`
}

/** Describes columns that are not fields of the resource, such as a hash. */
export type Extra = Readonly<Record<string, SqlInput>>

/** Describes the operations on the rows of a resource; `parent` is the id of their parent, if they have one. */
export type Rows<R extends Resource> = {
  /** Returns the rows in the interface's order: by `sort_order` if there is one, then by id. */
  readonly list: (tx: Reader, account: number, parent: number) => Promise<Stored<R>[]>
  /** Tells whether there are so many rows that listing them takes long. */
  readonly hasMany?: (tx: Reader, account: number, parent: number) => Promise<boolean>
  readonly find: (tx: Reader, account: number, id: number, parent: number) => Promise<Stored<R> | undefined>
  /** Returns the `sort_order` after the last one, at most what 16 bits hold. */
  readonly nextPlace?: (tx: Reader, account: number, parent: number) => Promise<number>
  readonly insert: (tx: Writer, account: number, record: Stored<R>, extra?: Extra) => Promise<void>
  readonly update?: (tx: Writer, account: number, record: Stored<R>, extra?: Extra) => Promise<void>
  /** Returns whether the row existed. */
  readonly remove: (tx: Writer, account: number, id: number, parent: number) => Promise<boolean>
}

/** Describes the statements that every resource needs on its rows in an account; its fields define them. */
type StoreTable<R extends Resource> = Required<Pick<Rows<R>, 'insert' | 'update'>> & {
  readonly read: (row: SqlRow) => Stored<R>
  readonly list: (tx: Reader, account: number) => Promise<Stored<R>[]>
  readonly hasMany: (tx: Reader, account: number) => Promise<boolean>
  readonly find: (tx: Reader, account: number, id: number) => Promise<Stored<R> | undefined>
  readonly findMany: (tx: Reader, account: number, ids: Iterable<number>) => Promise<Map<number, Stored<R>>>
  readonly nextPlace: (tx: Reader, account: number) => Promise<number>
  readonly remove: (tx: Writer, account: number, id: number) => Promise<boolean>
}

/** Converts a row to a record of a resource. */
export const rowReader =
  <R extends Resource>(of: R) =>
  (row: SqlRow): Stored<R> => {
    const record: Record<string, FieldValue> = {}
    for (const { name, field } of of.shown) {
      record[name] = field.secret ? null : fromSql(field, row[name] ?? null)
    }
    return record as Stored<R>
  }

/** Converts a row that is a list, in the order of `columnList`, to a record of a resource. */
const listReader = <R extends Resource>(of: R): ((row: SqlList) => Stored<R>) => {
  const places = new Map(columnsOf(of).map(({ name }, at) => [name, at]))
  const fields = of.shown.map(({ name, field }) => ({ name, field, at: places.get(name) }))
  return (row) => {
    const record: Record<string, FieldValue> = {}
    for (const { name, field, at } of fields) {
      record[name] = at === undefined ? null : fromSql(field, row[at] ?? null)
    }
    return record as Stored<R>
  }
}

/** Bounds the records that can be listed in a few milliseconds. */
const LISTED_AT_ONCE = 500

const placeOf = (record: AnyRecord): number => Number(record['sort_order'] ?? 0)

/**
 * Reads all rows that a statement selects, in the interface's order. It reads them by id, the order of a key, and sorts
 * them here: a sorting statement would block the process until its end.
 */
export const listReading = <R extends Resource>(of: R, select: string) => {
  const read = listReader(of)
  return async (tx: Reader, bound: readonly SqlInput[]): Promise<Stored<R>[]> => {
    const records: Stored<R>[] = []
    await tx.each(`${select} order by id`, bound, (row) => {
      records.push(read(row))
    })
    return 'sort_order' in of.fields ? records.sort((left, right) => placeOf(left) - placeOf(right)) : records
  }
}

/** Returns the columns of a resource for a `select`, each under the name of its field. */
export const columnList = (of: Resource): string =>
  columnsOf(of)
    .map((one) => (one.column === one.name ? one.name : `${one.column} as ${one.name}`))
    .join(', ')

/** Returns the beginning of a statement that reads rows of an account; conditions may follow. */
export const selectFrom = (name: string, of: Resource): string =>
  `select ${columnList(of)} from ${name} where account_id = ?`

/** Returns the statements that write one row, identified within the account by the columns of its key. */
const rowWriter = <R extends Resource>(
  name: string,
  of: R,
  key: readonly string[],
): Pick<StoreTable<R>, 'insert' | 'update'> => {
  const fields = columnsOf(of)
  const valuesOf = (record: Stored<R>, extra: Extra): Map<string, SqlInput> => {
    const values = record as AnyRecord
    return new Map([
      ...fields.map((field) => [field.column, toSql(values[field.name] ?? null)] as const),
      ...Object.entries(extra),
    ])
  }
  return {
    insert: async (tx, account, record, extra = {}) => {
      const values = valuesOf(record, extra)
      const marks = Array(values.size + 1).fill('?')
      const sql = `insert into ${name} (account_id, ${[...values.keys()].join(', ')}) values (${marks.join(', ')})`
      await tx.run(sql, [account, ...values.values()])
    },
    update: async (tx, account, record, extra = {}) => {
      const values = valuesOf(record, extra)
      const named = key.map((column) => values.get(column) ?? null)
      for (const column of key) values.delete(column)
      const equal = (column: string): string => `${column} = ?`
      const [sets, where] = [[...values.keys()].map(equal), ['account_id', ...key].map(equal)]
      const sql = `update ${name} set ${sets.join(', ')} where ${where.join(' and ')}`
      await tx.run(sql, [...values.values(), account, ...named])
    },
  }
}

/** Returns the statements on the rows that a condition selects; each expects the bound values, the account first. */
const statementsOn = <R extends Resource>(name: string, of: R, condition: string) => {
  const select = selectFrom(name, of) + condition
  const where = `from ${name} where account_id = ?${condition}`
  const read = rowReader(of)
  return {
    list: listReading(of, select),
    hasMany: async (tx: Reader, bound: readonly number[]): Promise<boolean> =>
      (await tx.all(`select 1 as one ${where} limit 1 offset ${LISTED_AT_ONCE}`, bound)).length > 0,
    find: async (tx: Reader, bound: readonly number[], id: number): Promise<Stored<R> | undefined> => {
      const [row] = await tx.all(`${select} and id = ?`, [...bound, id])
      return row && read(row)
    },
    nextPlace: async (tx: Reader, bound: readonly number[]): Promise<number> => {
      const [row] = await tx.all(`select max(sort_order) as last ${where}`, bound)
      return Math.min(Number(row?.['last'] ?? 0) + 1, INT16_MAX)
    },
    remove: async (tx: Writer, bound: readonly number[], id: number): Promise<boolean> =>
      (await tx.run(`delete ${where} and id = ?`, [...bound, id])) > 0,
  }
}

/**
 * Returns the statements for a resource whose rows have an id of their own in the account. A `condition` excludes rows.
 */
export const table = <R extends Resource>(name: string, of: R, condition = ''): StoreTable<R> => {
  const on = statementsOn(name, of, condition)
  const read = rowReader(of)
  const select = selectFrom(name, of) + condition
  return {
    read,
    list: (tx, account) => on.list(tx, [account]),
    hasMany: (tx, account) => on.hasMany(tx, [account]),
    find: (tx, account, id) => on.find(tx, [account], id),
    findMany: async (tx, account, ids) => {
      const rows = await tx.all(`${select} and id ${IN_LIST}`, [account, listOf(ids)])
      return new Map(rows.map((row) => [Number(row['id']), read(row)]))
    },
    nextPlace: (tx, account) => on.nextPlace(tx, [account]),
    ...rowWriter(name, of, ['id']),
    remove: (tx, account, id) => on.remove(tx, [account], id),
  }
}

/** Returns the statements for a resource below another one, whose id is in a column. */
export const nestedTable = <R extends Resource>(name: string, of: R, column: string): Required<Rows<R>> => {
  const on = statementsOn(name, of, ` and ${column} = ?`)
  return {
    list: (tx, account, parent) => on.list(tx, [account, parent]),
    hasMany: (tx, account, parent) => on.hasMany(tx, [account, parent]),
    find: (tx, account, id, parent) => on.find(tx, [account, parent], id),
    nextPlace: (tx, account, parent) => on.nextPlace(tx, [account, parent]),
    ...rowWriter(name, of, [column, 'id']),
    remove: (tx, account, id, parent) => on.remove(tx, [account, parent], id),
  }
}
