import { createHash } from 'node:crypto'
import { KpiError } from '../../domain/errors.ts'
import { TEXT_KINDS } from '../../domain/schema.ts'
import type { Column, Db, Reader, SqlList } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import type { TableDefinition } from '../schema/migrations.ts'
import { columnsOf } from '../tables/table.ts'
import { storeTables } from './check.ts'

/** Describes a store whose rows are read to copy or to compare them. */
export type NamedStore = {
  readonly db: Db
  readonly dialect: Pick<Dialect, 'byBytes' | 'skipAccountIds'>
  /** Names the store in messages. */
  readonly name: string
  /** Tells that there is no store yet, and none is to be made. */
  readonly isMissing?: boolean
}

/** Describes a table for reading all of its columns: the same ones, in the same order, on both databases. */
export type WholeTable = {
  readonly name: string
  /** Names the column that holds the id of the account. */
  readonly owner: 'id' | 'account_id'
  readonly key: readonly string[]
  /** Lists all columns; the owner is the first. */
  readonly columns: readonly Column[]
  /** Lists the columns that are summed. */
  readonly decimals: readonly string[]
}

const typeOf = (definition: string): Column['type'] => (definition.startsWith('text') ? 'text' : 'integer')

const wholeTable = ({ name, of, key, columns = {}, without = [] }: TableDefinition): WholeTable => {
  const owner = name === 'accounts' ? 'id' : 'account_id'
  const fields = of ? columnsOf(of).filter((one) => !without.includes(one.name)) : []
  const types = new Map<string, Column['type']>([
    [owner, 'integer'],
    ...key.map((column) => [column, 'integer'] as const),
    ...fields.map(({ column, field }) => [column, TEXT_KINDS.has(field.kind) ? 'text' : 'integer'] as const),
    ...Object.entries(columns).map(([column, definition]) => [column, typeOf(definition)] as const),
  ])
  return {
    name,
    owner,
    key,
    columns: [...types].map(([column, type]) => ({ name: column, type })),
    decimals: fields.filter(({ field }) => field.kind === 'decimal').map(({ column }) => column),
  }
}

/** Returns the tables that hold an account, its own row first; foreign keys lead only to tables before. */
export const wholeTables = async (): Promise<readonly WholeTable[]> => (await storeTables()).map(wholeTable)

/** Returns the statement that reads the rows of an account in the order of their key, the same on both databases. */
export const selectWhole = ({ name, owner, key, columns }: WholeTable, { byBytes }: NamedStore['dialect']): string => {
  const texts = new Set(columns.filter(({ type }) => type === 'text').map((column) => column.name))
  const order = key.map((column) => (texts.has(column) ? `${column}${byBytes}` : column))
  return `select ${columns.map((column) => column.name).join(', ')} from ${name} where ${owner} = ? order by ${order.join(', ')}`
}

/** Holds what the rows of a table come to: their number, a digest over all columns, and the sums of decimals. */
export type TableDigest = {
  readonly table: string
  readonly rows: number
  readonly digest: string
  readonly sums: Readonly<Record<string, bigint>>
}

/** Sets how many characters are hashed at once. */
const HASHED_LENGTH = 65_536

/** Returns a value so that no two lists of values read alike. */
const encode = (value: SqlList[number]): string => {
  if (value === null) return 'n'
  return typeof value === 'bigint' ? `${value}` : `t${value.length}:${value}`
}

/** Computes the digest of rows that come in the order of their key. */
type DigestBuilder = {
  /** Adds a row; returns about how many characters it has. */
  readonly add: (row: SqlList) => number
  readonly rows: () => number
  /** Returns the digest of the rows so far. */
  readonly value: () => TableDigest
}

/** Refuses a text that PostgreSQL cannot hold. The service stores none, but SQLite keeps what other tools write. */
const rejectNul = (encoded: string, { name, key, columns }: WholeTable, row: SqlList): void => {
  if (!encoded.includes('\0')) return
  const named = columns.flatMap((column, at) => (key.includes(column.name) ? [`${column.name} ${row[at]}`] : []))
  throw new KpiError(
    'unusable',
    `the row of ${name} with ${named.join(', ')} has a text with a NUL character, which PostgreSQL cannot hold; change it, then copy again: kpi service check shows such texts`,
  )
}

/** Creates a digest of the rows of a table. */
export const createDigest = (table: WholeTable): DigestBuilder => {
  const hash = createHash('sha256')
  const summed = table.decimals.map((name) => ({ name, at: table.columns.findIndex((one) => one.name === name) }))
  const sums = summed.map(() => 0n)
  let [rows, text] = [0, '']
  const flush = (): void => {
    hash.update(text)
    text = ''
  }
  return {
    add: (row) => {
      let encoded = ''
      for (const value of row) encoded += `${encode(value)},`
      rejectNul(encoded, table, row)
      for (const [place, { at }] of summed.entries()) {
        const value = row[at]
        if (typeof value === 'bigint') sums[place] = (sums[place] ?? 0n) + value
      }
      rows += 1
      text += encoded
      if (text.length > HASHED_LENGTH) flush()
      return encoded.length
    },
    rows: () => rows,
    value: () => {
      flush()
      return {
        table: table.name,
        rows,
        digest: hash.copy().digest('hex'),
        sums: Object.fromEntries(summed.map(({ name }, place) => [name, sums[place] ?? 0n])),
      }
    },
  }
}

/** Describes what is told while rows are read or written: called with the number of rows; throws to stop the work. */
type OnRows = (count: number) => void

/** Sets after how many rows progress is told. */
const ROWS_PER_STEP = 1000

/** Returns the digest of the rows of an account in one table. */
export const digestTable = async (
  tx: Reader,
  { dialect }: NamedStore,
  table: WholeTable,
  account: number,
  onRows: OnRows,
): Promise<TableDigest> => {
  const digest = createDigest(table)
  await tx.each(selectWhole(table, dialect), [account], (row) => {
    digest.add(row)
    if (digest.rows() % ROWS_PER_STEP === 0) onRows(ROWS_PER_STEP)
  })
  onRows(digest.rows() % ROWS_PER_STEP)
  return digest.value()
}

/** Returns the digests of all tables of an account, of one moment. */
export const digestAccount = (
  store: NamedStore,
  tables: readonly WholeTable[],
  account: number,
  onRows: OnRows,
): Promise<readonly TableDigest[]> =>
  store.db.readLong(async (tx) => {
    const digests: TableDigest[] = []
    for (const table of tables) digests.push(await digestTable(tx, store, table, account, onRows))
    return digests
  })

/** Returns the names of the tables in which two stores differ. */
export const differingTables = (one: readonly TableDigest[], other: readonly TableDigest[]): string[] =>
  one.filter(({ digest }, at) => digest !== other[at]?.digest).map(({ table }) => table)
