import type { Client } from '../../client/client.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Variant } from '../../domain/variants.ts'
import { type ColumnPlan, planColumns, readHeadings } from '../columns/columns.ts'
import { isExported } from '../columns/header.ts'
import { mayNameSources } from '../columns/item-words.ts'
import { type Contents, contentsOf } from '../columns/contents.ts'
import type { Heading } from '../columns/layout.ts'
import { describePersons } from './describe-persons.ts'
import type { ImportOptions } from '../options/options.ts'
import { ignoresRow } from '../heading/ignored-rows.ts'
import { fillRight } from '../heading/upper-row.ts'
import { type Row, headerOf, type Table } from '../../tabular/source/table.ts'
import { nextTurn } from '../../client/next-turn.ts'
import { requireWriteAccess } from '../directory/permissions.ts'
import type { ReferenceLists } from '../directory/missing.ts'
import { fetchReference, type Reference } from '../directory/reference.ts'

/** Describes what is known of a file once its header has been read. */
export type Begun = {
  readonly plan: ColumnPlan
  readonly reference: Reference
  readonly variant: Variant
  /** Holds what the first rows show of the columns whose names do not say what they are. */
  readonly contents: Contents
  /** Finds out what the columns mean by what all rows show; throws what is unclear then. */
  readonly planBy: (contents: Contents) => ColumnPlan
}

/**
 * Refuses `--clear-empty` with `--on-conflict add` in a wide file: within a row, cleared values could not be told from
 * added ones.
 */
const rejectClearAndAdd = ({ wide }: ColumnPlan, { clearEmpty, onConflict }: ImportOptions): void => {
  if (wide && clearEmpty && onConflict === 'add')
    throw new KpiError('malformed', '--empty clear does not go with --on-conflict add where a row holds many entries')
}

/**
 * Sets how many rows show what columns hold whose names do not say it, of wide files how many cells, and of long texts how
 * many characters.
 */
const SAMPLE_ROWS = 500
const SAMPLE_CELLS = 1 << 18
const SAMPLE_CHARACTERS = 1 << 22

/** Sets how many rows show that they begin with their number. */
const LEAST_NUMBERED = 2

/** Refuses a file whose rows begin with their numbers, for which the header has no name, as R writes them. */
const requireNameOfRows = (name: string, header: Row, sample: readonly Row[]): void => {
  const isNumbered = ({ cells }: Row, at: number): boolean =>
    cells.length === header.cells.length + 1 && cells[0]?.trim() === String(at + 1)
  if (sample.length < LEAST_NUMBERED || !sample.every(isNumbered)) return
  throw new KpiError(
    'malformed',
    `the rows of ${name} have ${header.cells.length + 1} cells and the header ${header.cells.length}: the numbers of rows, with which R begins each, have no name. Write one before the others on line ${header.line}, such as row, and import the file with --ignore row`,
  )
}

/** Returns the header of a file, and what its first rows show. */
const readHeading = async (
  table: Table,
  { missing }: ImportOptions,
  onProgress?: () => void,
): Promise<Heading & { readonly contents: Contents }> => {
  const rows: Row[] = []
  let [cells, characters] = [0, 0]
  const isEnough = (): boolean =>
    rows.length >= SAMPLE_ROWS || (rows.length > 1 && (cells > SAMPLE_CELLS || characters > SAMPLE_CHARACTERS))
  for await (const some of table.rows()) {
    for (const row of some) {
      if (isEnough()) break
      rows.push(row)
      cells += row.cells.length
      characters += row.cells.reduce((sum, { length }) => sum + length, 0)
    }
    if (isEnough()) break
    onProgress?.()
  }
  const [first, ...sample] = rows
  const header = first?.cells ?? []
  if (header.length === 0) throw new KpiError('malformed', `${table.name} is empty: there is not even a header`)
  if (first) requireNameOfRows(table.name, first, sample)
  return {
    header,
    upper: table.upper,
    above: fillRight(table.above.at(-1)?.cells ?? [], header.length),
    contents: contentsOf(header, sample, missing),
  }
}

const mayHaveSources = (header: readonly string[], { variant }: Client, options: ImportOptions): boolean =>
  variant === 'v1' && mayNameSources(header, options)

/** Returns the row of units below the header, unless the user leaves it out. */
const unitRowOf = ({ units }: Table, { ignoreRows = [] }: ImportOptions): Row | undefined =>
  units && ignoresRow(ignoreRows)(units.cells) ? undefined : units

/** Fetches the reference data, and finds out what the columns mean. */
export const beginFile = async (
  table: Table,
  client: Client,
  options: ImportOptions,
  lists?: ReferenceLists,
  onProgress?: () => void,
): Promise<Begun> => {
  const heading = await readHeading(table, options, onProgress)
  const { header } = heading
  const sources = mayHaveSources(header, client, options)
  const reference = await fetchReference(client, {
    createAssignments: mayAssign(client, options),
    sources,
    create: options.create,
    mapKpi: options.mapKpi,
    numbersAs: options.numbersAs,
    percent: options.percent,
    ...lists,
  })
  const isMarked = table.reading.hasMark && isExported(header)
  const { contents, ...others } = heading
  const planWith = (shown: Contents): ColumnPlan => ({
    ...planBy({ ...others, contents: shown }, client, options, reference),
    isMarked,
    unitRow: unitRowOf(table, options),
  })
  const pause = async (): Promise<void> => {
    await nextTurn(undefined)
    onProgress?.()
  }
  await readHeadings(heading, { kpi: reference.kpis, user: reference.users }, pause)
  await pause()
  const plan = planWith(contents)
  await pause()
  if (reference.created) await describePersons(table, plan, reference.users, reference.created)
  // Where names say all, the first rows are not needed any more.
  const kept = contents.asked().length > 0 ? contents : contentsOf(header, [], options.missing)
  return { reference, variant: client.variant, plan, contents: kept, planBy: planWith }
}

/** Tells whether a column of actuals holds texts after all, so that its rows cannot be judged yet. */
export const holdsTexts = ({ plan: { wide, roles }, contents }: Begun, all: Contents): boolean => {
  const values = new Set([...(wide?.columns.map(({ at }) => at) ?? []), roles.get('actual')])
  return contents.asked().some((at) => values.has(at) && contents.of(at) !== all.of(at) && !all.isNumeric(at))
}

/** Tells whether missing assignments are created; the newer variant has none. */
const mayAssign = ({ variant }: Client, { createAssignments, create }: ImportOptions): boolean =>
  createAssignments || (variant === 'classic' && create?.kinds.has('assignments') === true)

const planBy = (heading: Heading, client: Client, options: ImportOptions, reference: Reference): ColumnPlan => {
  const { kpis, users, sources, ownerOf } = reference
  const source = mayHaveSources(heading.header, client, options) ? sources : undefined
  const takesSources = client.variant === 'v1'
  const plan = planColumns(heading, options, { kpi: kpis, user: users, source, ownerOf, takesSources })
  rejectClearAndAdd(plan, options)
  return plan
}

/** Returns the faults in the headers of several files; the reference data is fetched once for all. */
export const faultsOfHeaders = async (
  tables: readonly Table[],
  client: Client,
  options: ImportOptions,
): Promise<(KpiError | undefined)[]> => {
  await requireWriteAccess(client)
  const headers = await Promise.all(tables.map(headerOf))
  const sources = headers.some((header) => mayHaveSources(header, client, options))
  const reference = await fetchReference(client, {
    createAssignments: false,
    sources,
    create: options.create,
    mapKpi: options.mapKpi,
    numbersAs: options.numbersAs,
  })
  const faultOf = async (table: Table): Promise<KpiError | undefined> => {
    try {
      planBy(await readHeading(table, options), client, options, reference)
      return undefined
    } catch (error) {
      if (error instanceof KpiError) return error
      throw error
    }
  }
  return Promise.all(tables.map(faultOf))
}
