import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/*
 * A file is trusted only if none of its rows is missing or changed. Beside the rows it keeps a seal: the number of
 * rows, and the sum of their hashes. Triggers update the seal in the transaction of each change, and opening the
 * file computes it again from the rows. If rows, or bytes of them, were lost, the two differ.
 */

/** Lists the sealed tables, and the columns of each that are hashed, in this order; `bytes` names those of bytes. */
export type Sealed = {
  readonly tables: Readonly<Record<string, readonly string[]>>
  readonly bytes?: ReadonlySet<string>
}

const EMPTY = '0'
const MODULUS = 1n << 128n
const HASH_LETTERS = 32

const numberIn = (hex: string): bigint => BigInt(`0x${hex}`)
const hashOf = (row: string): bigint => numberIn(hash('sha256', row, 'hex').slice(0, HASH_LETTERS))

const withRow = (sum: string, row: string): string => ((numberIn(sum) + hashOf(row)) % MODULUS).toString(16)
const withoutRow = (sum: string, row: string): string =>
  ((numberIn(sum) + MODULUS - hashOf(row)) % MODULUS).toString(16)

/**
 * Returns the SQL for a row as text: its table, and each of its values. `of` is the row's name in SQL, such as `new.`.
 */
const rowText = ({ tables, bytes }: Sealed, table: string, of: string): string => {
  // JSON cannot hold bytes.
  const columns = (tables[table] ?? []).map((name) => (bytes?.has(name) ? `hex(${of}${name})` : of + name))
  return `json_array('${table}', ${columns.join(', ')})`
}

const triggersOf = (sealed: Sealed, table: string): string => {
  const [fresh, old] = [rowText(sealed, table, 'new.'), rowText(sealed, table, 'old.')]
  const update = (event: string, set: string): string =>
    `create trigger ${table}_${event} after ${event} on ${table} begin update seal set ${set}; end;`
  return [
    update('insert', `rows = rows + 1, sum = seal_with(sum, ${fresh})`),
    update('delete', `rows = rows - 1, sum = seal_without(sum, ${old})`),
    update('update', `sum = seal_with(seal_without(sum, ${old}), ${fresh})`),
  ].join('\n')
}

/** Returns the SQL that creates the seal and its triggers in a file whose other tables exist and are empty. */
export const sealSchema = (sealed: Sealed): string =>
  [
    'create table seal (rows integer not null, sum text not null);',
    `insert into seal values (0, '${EMPTY}');`,
    ...Object.keys(sealed.tables).map((table) => triggersOf(sealed, table)),
  ].join('\n')

/** Prepares a connection to keep the seal; call it before anything is written. */
export const keepSeal = (database: DatabaseSync): void => {
  // Allow the triggers to call the two functions: SQLite lets no untrusted schema call any.
  database.exec('pragma trusted_schema = on')
  database.function('seal_with', { deterministic: true }, (sum, row) => withRow(String(sum), String(row)))
  database.function('seal_without', { deterministic: true }, (sum, row) => withoutRow(String(sum), String(row)))
  // Rows that are replaced must leave the seal, too.
  database.exec('pragma recursive_triggers = on')
}

/** Tells whether all rows are as they were written, and can be found. */
export const isSealed = (database: DatabaseSync, sealed: Sealed): boolean => {
  if (database.prepare('pragma integrity_check(1)').get()?.['integrity_check'] !== 'ok') return false
  let [rows, sum] = [0, EMPTY]
  for (const table of Object.keys(sealed.tables)) {
    for (const { row } of database.prepare(`select ${rowText(sealed, table, '')} as row from ${table}`).iterate()) {
      rows += 1
      sum = withRow(sum, String(row))
    }
  }
  const seal = database.prepare('select rows, sum from seal').get()
  return seal?.['rows'] === rows && seal['sum'] === sum
}
