import type { Client } from '../../../client/client.ts'
import { Fault, KpiError } from '../../../domain/errors.ts'
import type { AnyRecord, Field, Resource } from '../../../domain/schema.ts'
import type { DecimalSign } from '../../../import/formats/number.ts'
import { tooManyRejected } from '../../../import/max-errors.ts'
import { notesOnHeading } from '../../../import/notes.ts'
import { hasSurplusCells, type Row } from '../../../import/parse/rows.ts'
import { headerOf, type Table } from '../../../import/parse/table.ts'
import type { Rejects } from '../../../import/rejects/rejects.ts'
import type { Cli } from '../../cli.ts'
import type { Job } from '../entries/import/jobs.ts'
import type { ParsedOptions } from '../entries/import/parsed-options.ts'
import { createNames } from '../verbs/reference-names.ts'
import { type ColumnFlags, type DefinitionColumns, findDecimalSign, plainText, planColumns } from './columns.ts'
import { keyField, type OnConflict, type PlannedRow, planRows, type WantedRow } from './plan.ts'
import type { DefinitionClient } from './send.ts'

/** Describes what is imported, and where to. */
export type DefinitionImport = {
  readonly of: Resource
  readonly collection: (client: Client, parent?: number) => DefinitionClient
  /** Holds the id or name of what all rows lie in, where a flag gives it. */
  readonly parent: string | undefined
  readonly columns: ColumnFlags
  readonly onConflict: OnConflict
}

/** Describes a run: the command line, its file, and the rows that are not imported. */
export type DefinitionRun = {
  readonly cli: Cli
  readonly client: Client
  readonly job: Job
  readonly parsed: ParsedOptions
  readonly rejects: Rejects
  /** Returns what the run has taken so far: requests and time. */
  readonly measure: () => AnyRecord
}

/** Describes a file of which everything is planned, and nothing sent. */
export type PlannedFile = { readonly rows: readonly PlannedRow[]; readonly read: number }

/** Reads all rows of a table below its header. */
const rowsOf = async (table: Table): Promise<Row[]> => {
  const all: Row[] = []
  for await (const rows of table.rows()) all.push(...rows)
  return all.slice(1).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
}

type Signs = ReadonlyMap<number, DecimalSign>

/** Finds out with which sign the numbers of each column are written. */
const signsOf = (
  of: Resource,
  header: readonly string[],
  { fields }: DefinitionColumns,
  rows: readonly Row[],
  given: DecimalSign | undefined,
): Signs => {
  const definitions: Readonly<Record<string, Field>> = of.fields
  const numbers = [...fields].filter(([, name]) => definitions[name]?.kind === 'decimal')
  return new Map(
    numbers.map(([at]) => {
      const cells = rows.map((row) => row.cells[at] ?? '')
      const sign = findDecimalSign(cells, given)
      if (sign instanceof Fault) throw new KpiError('malformed', `${header[at]}: ${sign.message}`)
      return [at, sign]
    }),
  )
}

/** Returns the fields of a row, in plain form and without empty cells; rejects a row with cells that are none. */
const wantedOf = (
  of: Resource,
  { line, cells }: Row,
  { fields }: DefinitionColumns,
  signs: Signs,
  rejects: Rejects,
): WantedRow[] => {
  const definitions: Readonly<Record<string, Field>> = of.fields
  const body: Record<string, string> = {}
  let isSound = true
  for (const [at, name] of fields) {
    const cell = cells[at]?.trim() ?? ''
    const field = definitions[name]
    const text = field && cell !== '' ? plainText(field, cell, signs.get(at) ?? '.') : cell
    if (text instanceof Fault) {
      rejects.add(line, `${name} ${text.message}`)
      isSound = false
    } else if (text !== '') body[name] = text
  }
  return isSound ? [{ line, body }] : []
}

/** Refuses a file whose rows nothing identifies. */
const requireKey = (of: Resource, { fields }: DefinitionColumns): void => {
  const key = keyField(of)
  const has = new Set(fields.values())
  if (has.has(key) || has.has('id')) return
  throw new KpiError('malformed', `no column is the ${key} of a ${of.title}; name it with --map ${key}=COLUMN`)
}

/** Reads the rows of a file; those that cannot be read are rejected. */
const readRows = async (
  { cli, job: { table }, parsed, rejects }: DefinitionRun,
  { of, columns: flags, parent }: DefinitionImport,
): Promise<{ wanted: readonly WantedRow[]; read: number }> => {
  const header = await headerOf(table)
  if (header.length === 0) throw new KpiError('malformed', `${table.name} is empty: there is not even a header`)
  const columns = planColumns(of, header, flags)
  requireKey(of, columns)
  for (const note of notesOnHeading(table)) await cli.note(note)
  if (table.reading.assumed !== undefined) await cli.log.warn(table.reading.assumed)
  if (columns.unused.length > 0) await cli.note(`columns left out: ${columns.unused.join(', ')}`)
  const rows = await rowsOf(table)
  const signs = signsOf(of, header, columns, rows, parsed.options.decimal)
  const wanted = rows.flatMap((row) => {
    if (!hasSurplusCells(row.cells, header)) return wantedOf(of, row, columns, signs, rejects)
    rejects.add(row.line, `the row has ${row.cells.length} cells, the header has ${header.length}`)
    return []
  })
  const placed = ({ line, body }: WantedRow): WantedRow => ({ line, body: { group_id: parent ?? '', ...body } })
  return { wanted: parent === undefined ? wanted : wanted.map(placed), read: rows.length }
}

/** Reads a whole file, and plans what to do for each row by what exists already. */
export const planFile = async (run: DefinitionRun, what: DefinitionImport): Promise<PlannedFile> => {
  const { client, parsed, rejects } = run
  const { wanted, read } = await readRows(run, what)
  const records: readonly AnyRecord[] = await what.collection(client).list()
  const rows = await planRows(what.of, createNames(client), wanted, records, what.onConflict)
  for (const row of rows) {
    if (row.action === 'reject') for (const reason of row.reasons) rejects.add(row.line, reason)
  }
  const error = tooManyRejected(rejects, { read }, parsed.options.maxErrors)
  if (error) throw new KpiError('malformed', `nothing was sent: ${error.message}`)
  return { rows, read }
}
