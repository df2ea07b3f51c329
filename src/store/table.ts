import type { AnyRecord, FieldValue, Resource, Stored } from '../domain/schema.ts'
import { columnsOf, fromSql, toSql } from './columns.ts'
import type { Reader, SqlInput, SqlRow, Writer } from './db.ts'
import { IN_LIST, listOf } from './id-list.ts'

/** Columns beside those of the field table, such as a hash. */
export type Extra = Readonly<Record<string, SqlInput>>

/** The rows of one resource of an account: the statements that every resource needs, made from its field table. */
export type Table<R extends Resource> = {
  readonly read: (row: SqlRow) => Stored<R>
  /** In the interface's order: `sort_order` where there is one, then id. */
  readonly list: (tx: Reader, account: number) => Promise<Stored<R>[]>
  readonly find: (tx: Reader, account: number, id: number) => Promise<Stored<R> | undefined>
  readonly findMany: (tx: Reader, account: number, ids: Iterable<number>) => Promise<Map<number, Stored<R>>>
  readonly insert: (tx: Writer, account: number, record: Stored<R>, extra?: Extra) => Promise<void>
  readonly update: (tx: Writer, account: number, record: Stored<R>, extra?: Extra) => Promise<void>
  /** Answers whether there was one. */
  readonly remove: (tx: Writer, account: number, id: number) => Promise<boolean>
}

/** Makes the record of a resource from its row. */
export const rowReader =
  <R extends Resource>(of: R) =>
  (row: SqlRow): Stored<R> => {
    const record: Record<string, FieldValue> = {}
    for (const { name, field } of of.shown) {
      record[name] = field.secret ? null : fromSql(field, row[name] ?? null)
    }
    return record as Stored<R>
  }

/** The start of every statement that reads rows of an account; more conditions may follow. */
export const selectFrom = (name: string, of: Resource): string => {
  const columns = columnsOf(of).map(({ name: column }) => column)
  return `select ${columns.join(', ')} from ${name} where account_id = ?`
}

/** The statements that write one row, named within the account by the columns of its key. */
export const rowWriter = <R extends Resource>(
  name: string,
  of: R,
  key: readonly string[],
): Pick<Table<R>, 'insert' | 'update'> => {
  const fields = columnsOf(of)
  const valuesOf = (record: Stored<R>, extra: Extra): Map<string, SqlInput> => {
    const values = record as AnyRecord
    return new Map([
      ...fields.map(({ name: column }) => [column, toSql(values[column] ?? null)] as const),
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

/** The statements for a resource whose rows have an id of their own in the account. */
export const table = <R extends Resource>(name: string, of: R): Table<R> => {
  const order = 'sort_order' in of.fields ? 'sort_order, id' : 'id'
  const select = selectFrom(name, of)
  const read = rowReader(of)
  return {
    read,
    list: async (tx, account) => (await tx.all(`${select} order by ${order}`, [account])).map(read),
    find: async (tx, account, id) => {
      const [row] = await tx.all(`${select} and id = ?`, [account, id])
      return row && read(row)
    },
    findMany: async (tx, account, ids) => {
      const rows = await tx.all(`${select} and id ${IN_LIST}`, [account, listOf(ids)])
      return new Map(rows.map((row) => [Number(row['id']), read(row)]))
    },
    ...rowWriter(name, of, ['id']),
    remove: async (tx, account, id) =>
      (await tx.run(`delete from ${name} where account_id = ? and id = ?`, [account, id])) > 0,
  }
}
