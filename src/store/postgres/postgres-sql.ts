import type { Column, SqlInput } from '../db.ts'
import { IN_LIST } from '../tables/id-list.ts'

const ANY_OF_LIST = "= any (translate(?, '[]', '{}')::bigint[])"

/** Replaces each `?` by `mark(n)`, n from 1, and the condition on a list of ids by one on an array. */
const withMarks = (sql: string, mark: (place: number) => string): string => {
  let place = 0
  return sql.replaceAll(IN_LIST, ANY_OF_LIST).replaceAll('?', () => mark((place += 1)))
}

const translations = new Map<string, string>()

/** Translates a statement of the store to PostgreSQL: numbers its placeholders, and turns lists of ids into arrays. */
export const toPostgres = (sql: string): string => {
  const translated = translations.get(sql) ?? withMarks(sql, (place) => `$${place}`)
  translations.set(sql, translated)
  return translated
}

const TYPES = { integer: 'bigint', text: 'text' } as const

/** Returns SQL that makes a table of one array parameter per column. */
const unnest = (types: readonly Column['type'][]): string =>
  `unnest(${types.map((type, at) => `$${at + 1}::${TYPES[type]}[]`).join(', ')})`

/** Returns one query that runs another for many lists of whole numbers, in their order; each has `places` numbers. */
export const sqlOfEach = (sql: string, places: number): string => {
  const names = Array.from({ length: places }, (_, at) => `p${at + 1}`)
  const types = names.map((): Column['type'] => 'integer')
  return `select asked.* from ${unnest(types)} with ordinality as list (${names.join(', ')}, place)
    cross join lateral (${withMarks(sql, (place) => `list.p${place}`)}) asked order by list.place`
}

const namesOf = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(', ')
const typesOf = (columns: readonly Column[]): Column['type'][] => columns.map(({ type }) => type)

/** Returns a statement that inserts any number of rows. */
export const sqlOfInsert = (table: string, columns: readonly Column[]): string =>
  `insert into ${table} (${namesOf(columns)}) select * from ${unnest(typesOf(columns))}`

/** Returns a statement that updates any number of rows, found by their keys. */
export const sqlOfUpdate = (table: string, key: readonly Column[], columns: readonly Column[]): string => {
  const all = [...key, ...columns]
  const sets = columns.map(({ name }) => `${name} = list.${name}`).join(', ')
  const where = key.map(({ name }) => `${table}.${name} = list.${name}`).join(' and ')
  return `update ${table} set ${sets} from ${unnest(typesOf(all))} as list (${namesOf(all)}) where ${where}`
}

/** Returns rows as one array per column, as `unnest` expects them. */
export const arraysOf = (
  types: readonly Column['type'][],
  rows: readonly (readonly SqlInput[])[],
): (string | SqlInput[])[] =>
  types.map((type, at) => {
    const values = rows.map((row) => row[at] ?? null)
    // Integer arrays are formatted here: they need no quoting, and pg would check each element.
    return type === 'text' ? values : `{${values.map((value) => value ?? 'NULL').join(',')}}`
  })
