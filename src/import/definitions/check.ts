import { createHash } from 'node:crypto'
import type { Client } from '../../client/client.ts'
import { isListedKind, listNamed } from '../../client/operations/kind-operations.ts'
import { createDirectory, type Named } from '../../client/directory.ts'
import { rejectMisunderstoodColumns } from '../check.ts'
import { hasTooManyBad, requireFewBad } from '../max-errors.ts'
import { textOfRows } from '../parse/rows.ts'
import { requireHeader, rowsBelowHeader, type Table } from '../parse/table.ts'
import { onLines } from '../rejects/on-lines.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { type Cells, createCells, type Lookups, anyId, requireConstants } from './cells.ts'
import { type DefinitionOptions, type DefinitionPlan, planDefinitions } from './columns.ts'
import type { DefinitionKind } from './kinds.ts'
import { type DefinitionRole, rolesOf } from './roles.ts'
import { type DefinitionReader, definitionReader, type DefinitionRow, identityOf } from './rows.ts'

/** Describes a file of definitions that has been read and checked by itself. */
export type CheckedDefinitions = {
  readonly rows: readonly DefinitionRow[]
  /** Holds what all rows name, also those that cannot be read, by line. */
  readonly names: ReadonlyMap<number, string | undefined>
  readonly roles: readonly DefinitionRole[]
  readonly lookups: Lookups
  /** Identifies the rows, however the file is written: the SHA-256 of all cells and their lines. */
  readonly fingerprint: string
  readonly read: number
  readonly empty: number
  /** Counts numbers that had more than four decimals. */
  readonly rounded: number
  /** Lists columns without a meaning. */
  readonly unused: readonly string[]
  /** Lists what such columns may hold, as nothing else gives it. */
  readonly free: readonly string[]
}

/** Describes what checking a file needs. */
export type Checking = {
  readonly kind: DefinitionKind
  readonly client: Client
  readonly table: Table
  readonly options: DefinitionOptions
  /** Lists the breakdowns by name; undefined where the service does not show them. */
  readonly breakdowns: () => Promise<readonly Named[] | undefined>
  readonly signal: AbortSignal
  /** Reports progress between parts of the file. */
  readonly onProgress: () => void | Promise<void>
}

/** Fetches what the given roles may refer to. */
const fetchLookups = async ({ client, breakdowns }: Checking, roles: readonly DefinitionRole[]): Promise<Lookups> => {
  const lookups = await Promise.all(
    roles.map(async ({ role, name, field: { refers = '' } }) => {
      if (isListedKind(refers)) return [[role, createDirectory(role, await listNamed(client, refers))] as const]
      if (name !== 'breakdown_id') return []
      const known = await breakdowns()
      return [[role, anyId('breakdowns', known && createDirectory(role, known))] as const]
    }),
  )
  return new Map(lookups.flat())
}

/** Tells whether a file is a list of the command line in CSV, whose numbers have a point. */
const isOwnList = (header: readonly string[], { reading }: Table, { of }: DefinitionKind): boolean =>
  reading.separator === ',' && of.brief.every(({ name }) => header.includes(name))

/** Describes how a file is read. */
type Reading = Pick<CheckedDefinitions, 'roles' | 'lookups'> & {
  readonly plan: DefinitionPlan
  readonly reader: DefinitionReader
}

/** Records what all rows show of how their cells are written. */
const surveyed = async (cells: Cells, { header }: DefinitionPlan, { table, onProgress }: Checking): Promise<Cells> => {
  for await (const row of rowsBelowHeader(table, onProgress)) {
    if (row.cells.length <= header.length) cells.note(row)
  }
  return cells.settle()
}

/** Finds out what the columns mean, and how their cells are written. */
const beginReading = async (work: Checking): Promise<Reading> => {
  const { kind, table, options: asked } = work
  const header = await requireHeader(table)
  const options = isOwnList(header, table, kind) ? { ...asked, decimal: asked.decimal ?? '.' } : asked
  const plan = planDefinitions(header, kind, options)
  const roles = rolesOf(kind)
  const lookups = await fetchLookups(work, roles)
  const cells = await surveyed(createCells(plan, roles, options, lookups), plan, work)
  requireConstants(cells, roles, options.constants)
  return { plan, roles, lookups, reader: definitionReader(kind, roles, plan, cells, options.clearEmpty) }
}

/** Rejects rows that say what another one says, and returns the others. */
const withoutTwins = (rows: readonly DefinitionRow[], { key }: DefinitionKind, rejects: Rejects): DefinitionRow[] => {
  const same = Map.groupBy(rows, (row) => identityOf(row.parent, row.key))
  return rows.filter((row) => {
    const twins = same.get(identityOf(row.parent, row.key)) ?? []
    const lines = twins.map(({ line }) => line)
    const name = twins[0]?.key
    if (lines.length > 1) rejects.add(row.line, `rows with the same ${key} "${name}"${onLines(lines)}`)
    return lines.length === 1
  })
}

/** Reads and checks a whole file, as far as that needs nothing of what the service has of its rows. */
export const checkDefinitions = async (work: Checking, rejects: Rejects): Promise<CheckedDefinitions> => {
  const { kind, table, options, signal, onProgress } = work
  const bad = { rejects, options, signal }
  const { plan, reader, roles, lookups } = await beginReading(work)
  const fingerprint = createHash('sha256').update(JSON.stringify(plan.header))
  const rows: DefinitionRow[] = []
  const names = new Map<number, string | undefined>()
  let [read, empty, rounded, rejected] = [0, 0, 0, 0]
  for await (const row of rowsBelowHeader(table, onProgress)) {
    read += 1
    fingerprint.update(textOfRows([row]))
    if (row.cells.every((cell) => cell.trim() === '')) {
      empty += 1
      continue
    }
    names.set(row.line, reader.nameOf(row))
    const one = reader.read(row)
    if ('line' in one) {
      rows.push(one)
      rounded += one.rounded
      continue
    }
    rejected += 1
    for (const reason of one.reasons) rejects.add(row.line, reason)
    rejectMisunderstoodColumns({ read, misread: rejected }, options, one.reasons)
    if (hasTooManyBad({ read }, bad)) await requireFewBad({ read }, bad)
  }
  return {
    rows: withoutTwins(rows, kind, rejects),
    names,
    roles,
    lookups,
    fingerprint: fingerprint.digest('hex'),
    read,
    empty,
    rounded,
    unused: plan.unused,
    free: plan.free,
  }
}
