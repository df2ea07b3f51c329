import { type Column, type FilledColumn, filledColumns, type SqlInput } from '../db.ts'
import { IN_LIST } from '../tables/id-list.ts'

const ANY_OF_LIST = "= any (translate(?, '[]', '{}')::bigint[])"

/**
 * Replaces each `?` by `mark(n)`, n from 1, each `?1` by the first mark once more, and the condition on a list of ids by
 * one on an array.
 */
const withMarks = (sql: string, mark: (place: number) => string): string => {
  let last = 0
  return sql.replaceAll(IN_LIST, ANY_OF_LIST).replaceAll(/\?1?/g, (found) => {
    const place = found === '?' ? last + 1 : 1
    last = Math.max(last, place)
    return mark(place)
  })
}

const translations = new Map<string, string>()

/** Translates a statement of the store to PostgreSQL: numbers its placeholders, and turns lists of ids into arrays. */
export const toPostgres = (sql: string): string => {
  const translated = translations.get(sql) ?? withMarks(sql, (place) => `$${place}`)
  translations.set(sql, translated)
  return translated
}

const TYPES = { integer: 'bigint', text: 'text' } as const

/** Returns SQL that makes a table of one array parameter per column, the first of them numbered `first`. */
const unnest = (types: readonly Column['type'][], first: number): string =>
  `unnest(${types.map((type, at) => `$${at + first}::${TYPES[type]}[]`).join(', ')})`

/**
 * Returns one query that runs another, of the account that is the first parameter, for many lists of whole numbers, in
 * their order; each has `places` numbers.
 */
export const sqlOfEach = (sql: string, places: number): string => {
  const names = Array.from({ length: places }, (_, at) => `p${at + 2}`)
  const types = names.map((): Column['type'] => 'integer')
  return `select asked.* from ${unnest(types, 2)} with ordinality as list (${names.join(', ')}, place)
    cross join lateral (${withMarks(sql, (place) => (place === 1 ? '$1' : `list.p${place}`))}) asked order by list.place`
}

const namesOf = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(', ')
const typesOf = (columns: readonly Column[]): Column['type'][] => columns.map(({ type }) => type)

/** Returns a statement that inserts any number of rows, into the account that is the first parameter if there is one. */
export const sqlOfInsert = (table: string, columns: readonly Column[], hasAccount: boolean): string =>
  hasAccount
    ? `insert into ${table} (account_id, ${namesOf(columns)}) select $1::bigint, list.* from ${unnest(typesOf(columns), 2)} as list`
    : `insert into ${table} (${namesOf(columns)}) select * from ${unnest(typesOf(columns), 1)}`

/** Returns a statement that updates any number of rows of the account that is the first parameter, found by their keys. */
export const sqlOfUpdate = (table: string, key: readonly Column[], columns: readonly Column[]): string => {
  const all = [...key, ...columns]
  const sets = columns.map(({ name }) => `${name} = list.${name}`).join(', ')
  const where = key.map(({ name }) => `${table}.${name} = list.${name}`).join(' and ')
  return `update ${table} set ${sets} from ${unnest(typesOf(all), 2)} as list (${namesOf(all)})
    where ${table}.account_id = $1 and ${where}`
}

/** Returns the values of a column of so many rows as an array, as `unnest` expects it. */
export const arrayOf = (column: FilledColumn, count: number): string | readonly SqlInput[] => {
  const values = 'value' in column ? Array<SqlInput>(count).fill(column.value) : Array.from<SqlInput>(column.values)
  // Integer arrays are formatted here: they need no quoting, and pg would check each element.
  return column.type === 'text' ? values : `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** Returns rows as one array per column. */
export const arraysOf = (
  columns: readonly Column[],
  rows: readonly (readonly SqlInput[])[],
): (string | readonly SqlInput[])[] => filledColumns(columns, rows).map((column) => arrayOf(column, rows.length))
