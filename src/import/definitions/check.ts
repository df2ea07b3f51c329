import { createHash } from 'node:crypto'
import { isMeantName } from '../../changes/names/doubtful-names.ts'
import type { Policy } from '../../changes/plan/policy.ts'
import { type Account, readSnapshot } from '../../changes/records/access.ts'
import { type Desired, desiredName } from '../../changes/records/desired.ts'
import type { KindName } from '../../changes/records/kind-fields.ts'
import type { Snapshot } from '../../changes/records/snapshot.ts'
import { createDirectory, type Directory, type Named } from '../../client/directory.ts'
import { rejectMisunderstoodColumns } from '../check.ts'
import { mapFlag } from '../flag-text.ts'
import { hasTooManyBad, requireFewBad } from '../max-errors.ts'
import { notesOnHeading } from '../notes.ts'
import { textOfRows } from '../parse/rows.ts'
import { requireHeader, rowsBelowHeader, type Table } from '../parse/table.ts'
import { onLines } from '../rejects/on-lines.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { type Cells, createCells, type Lookups, anyId, requireConstants } from './cells.ts'
import { type DefinitionOptions, type DefinitionPlan, planDefinitions } from './columns.ts'
import { type DefinitionKind, fieldOf } from './kinds.ts'
import { type DefinitionRole, rolesOf } from './roles.ts'
import { type DefinitionReader, definitionReader, type DefinitionRow, identityOf } from './rows.ts'

/** Describes a file of definitions that has been read and checked by itself, and the account as it was read. */
export type CheckedDefinitions = {
  readonly desired: readonly Desired[]
  readonly snapshot: Snapshot
  /** Reads the account again. */
  readonly look: () => Promise<Snapshot>
  readonly policy: Policy
  /** Holds what all rows name, also those that cannot be read, by line. */
  readonly names: ReadonlyMap<number, string | undefined>
  readonly roles: readonly DefinitionRole[]
  /** Identifies the rows, however the file is written: the SHA-256 of all cells and their lines. */
  readonly fingerprint: string
  readonly read: number
  readonly empty: number
  /** Counts numbers that had more than four decimals. */
  readonly rounded: number
}

/** Describes what checking a file needs. */
type Checking = {
  readonly kind: DefinitionKind
  readonly account: Account
  readonly table: Table
  readonly options: DefinitionOptions
  readonly rejects: Rejects
  readonly signal: AbortSignal
  /** Reports progress between parts of the file. */
  readonly onProgress: () => void | Promise<void>
  readonly onNote: (text: string) => void
  readonly onWarning: (text: string) => void
}

const directoryOf = (role: string, snapshot: Snapshot, kinds: readonly KindName[]): Directory<Named> =>
  createDirectory(
    role,
    kinds.flatMap((kind) => snapshot.ofKind(kind).map(({ id = 0, name }) => ({ id, name }))),
  )

/** Returns what the given roles may refer to. The newer interface does not list what breakdowns there are. */
const lookupsIn = (snapshot: Snapshot, { kind, account }: Checking, roles: readonly DefinitionRole[]): Lookups =>
  new Map(
    roles.flatMap(({ role, name }) => {
      const { refers } = fieldOf(kind, name) ?? {}
      if (!refers) return []
      const isListed = name !== 'breakdown_id' || account.classic !== undefined
      const known = isListed ? directoryOf(role, snapshot, refers) : undefined
      return [[role, known && name !== 'breakdown_id' ? known : anyId('breakdowns', known)] as const]
    }),
  )

/** Returns what the flags of the command allow. */
const policyOf = ({ of }: DefinitionKind, { onConflict, onlyExisting, numbersAs }: DefinitionOptions): Policy => ({
  existing: onConflict === 'error' ? 'refuse' : onConflict === 'skip' ? 'skip' : 'update',
  onlyExisting,
  isByIdAlone: of.newer === true,
  isMeant: (_, field) => isMeantName(numbersAs, field),
  takesName: (_, field) => `--by-name ${field}`,
})

/** Tells whether a file is a list of the command line in CSV, whose numbers have a point. */
const isOwnList = (header: readonly string[], { reading }: Table, { of }: DefinitionKind): boolean =>
  reading.separator === ',' && of.brief.every(({ name }) => header.includes(name))

/** Describes how a file is read. */
type Reading = Pick<CheckedDefinitions, 'roles' | 'snapshot' | 'look'> & {
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
  const look = (): Promise<Snapshot> => readSnapshot(work.account, [kind.kind.name])
  const snapshot = await look()
  const lookups = lookupsIn(snapshot, work, roles)
  const cells = await surveyed(createCells(plan, roles, options, lookups), plan, work)
  requireConstants(cells, roles, options.constants)
  return { plan, roles, snapshot, look, reader: definitionReader(kind, roles, plan, cells, options.clearEmpty) }
}

/** Rejects rows that say what another one says, and returns the others. */
const withoutTwins = (rows: readonly DefinitionRow[], { key }: DefinitionKind, rejects: Rejects): Desired[] => {
  const same = Map.groupBy(rows, identityOf)
  return rows.flatMap((row) => {
    const twins = (same.get(identityOf(row)) ?? []).map(({ desired }) => desired)
    const [first, ...others] = twins
    if (!first || others.length === 0) return row.desired
    const lines = twins.map(({ line }) => line)
    rejects.add(row.desired.line, `rows with the same ${key} "${desiredName(first)}"${onLines(lines)}`)
    return []
  })
}

/** Lists words of which one holds: `category, icon or description`. */
const eitherOf = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter((part) => part !== '').join(' or ')

/** Says how the file was read, what is left out of it, and how to take that if it is something that a row may give. */
const tellReading = (
  { table, onNote, onWarning }: Checking,
  { unused, free }: DefinitionPlan,
  isEmpty: boolean,
): void => {
  if (isEmpty) onWarning(`${table.name} holds no rows`)
  if (table.reading.assumed !== undefined) onWarning(table.reading.assumed)
  for (const note of notesOnHeading(table)) onNote(note)
  const [[column], [role]] = [unused, free]
  if (column === undefined) return
  const meant = role === undefined ? '' : `; if one is the ${eitherOf(free)}: ${mapFlag(role, column)}`
  onNote(`columns left out: ${unused.join(', ')}${meant}`)
}

/** Reads and checks a whole file, as far as that needs nothing of what the service has of its rows. */
export const checkDefinitions = async (work: Checking): Promise<CheckedDefinitions> => {
  const { kind, table, options, rejects, signal, onProgress } = work
  const bad = { rejects, options, signal }
  const { plan, reader, ...reading } = await beginReading(work)
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
    if ('desired' in one) {
      rows.push(one)
      rounded += one.rounded
      continue
    }
    rejected += 1
    for (const reason of one.reasons) rejects.add(row.line, reason)
    rejectMisunderstoodColumns({ read, misread: rejected }, options, one.reasons)
    if (hasTooManyBad({ read }, bad)) await requireFewBad({ read }, bad)
  }
  const desired = withoutTwins(rows, kind, rejects)
  tellReading(work, plan, read === 0)
  return {
    ...reading,
    desired,
    policy: policyOf(kind, options),
    names,
    fingerprint: fingerprint.digest('hex'),
    read,
    empty,
    rounded,
  }
}
