import { KpiError } from '../../domain/errors.ts'
import { openSqlite } from '../../files/sqlite-file.ts'
import type { Step } from './migrations.ts'

/** Describes what the versions of a kind of SQLite file hold. */
export type FileSchema = {
  /** Holds the version that this program reads and writes. */
  readonly version: number
  /** Returns the steps from each version to the next, beginning with an empty file. */
  readonly steps: () => Promise<readonly (readonly Step[])[]>
  /** Lists what the steps create, as SQLite keeps it, so that they need not be loaded to know. */
  readonly current?: readonly string[]
}

/**
 * Selects the statements that created what a file holds. What has none are indexes that SQLite makes for keys; the two
 * tables are those of statistics, which `analyze` makes.
 */
export const SCHEMA_QUERY = `select type, name, sql from sqlite_schema where sql is not null
  and sql not in ('CREATE TABLE sqlite_stat1(tbl,idx,stat)', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')
  order by type, name`

type SchemaRow = Readonly<Record<string, unknown>>

const textIn = (row: SchemaRow, column: 'type' | 'name' | 'sql'): string => String(row[column])

/** Creates a file of a version in memory, and returns what it holds. */
const rowsOfVersion = async ({ steps }: FileSchema, version: number): Promise<readonly SchemaRow[]> => {
  const statements = (await steps()).slice(0, version).flat()
  const database = openSqlite(':memory:')
  try {
    for (const step of statements) if (typeof step === 'string') database.exec(step)
    return database.prepare(SCHEMA_QUERY).all()
  } finally {
    database.close()
  }
}

/** Says which object of a file is not one that a kpi of this version has created, or is missing; undefined if none is. */
const differenceIn = (found: readonly SchemaRow[], own: readonly SchemaRow[]): string | undefined => {
  const nameOf = (row: SchemaRow): string => `${textIn(row, 'type')} ${textIn(row, 'name')}`
  const [sqlOf, left] = [new Map(own.map((row) => [nameOf(row), textIn(row, 'sql')])), new Set(own.map(nameOf))]
  for (const row of found) {
    const [name, sql] = [nameOf(row), textIn(row, 'sql')]
    const known = sqlOf.get(name)
    if (known === undefined) return `holds the ${name}, which is no part of a kpi store; drop it and try again`
    if (known !== sql)
      return `holds the ${name} in another form than kpi creates it; restore a backup with kpi service restore`
    left.delete(name)
  }
  const [missing] = left
  return missing === undefined
    ? undefined
    : `lacks the ${missing}, which every kpi store has; restore a backup with kpi service restore`
}

class ForeignSchema extends KpiError {}

/** Tells whether a file was refused because of what it holds. */
export const isForeignSchema = (error: unknown): boolean => error instanceof ForeignSchema

/** Refuses a file that holds anything else than what this program creates in its version. */
export const requireSchema = async (
  found: readonly SchemaRow[],
  schema: FileSchema,
  version: number,
  path: string,
): Promise<void> => {
  const { current = [] } = schema
  const isCurrent = version === schema.version && found.length === current.length
  if (isCurrent && found.every((row, at) => row['sql'] === current[at])) return
  const difference = differenceIn(found, await rowsOfVersion(schema, version))
  if (difference !== undefined) throw new ForeignSchema('unusable', `${path} ${difference}`)
}
