import { createHash } from 'node:crypto'
import { isMeantName } from '../../changes/names/doubtful-names.ts'
import { nearNames, warningsOnNearNames } from '../../changes/names/near-names.ts'
import type { Plan } from '../../changes/plan/plan.ts'
import type { Policy } from '../../changes/plan/match.ts'
import { desiredName } from '../../changes/records/desired.ts'
import type { Snapshot } from '../../changes/records/snapshot.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { notesOnDefaults } from '../../domain/schema.ts'
import { type ReadingFile, readRows, tellReading, withoutTwins } from '../entries/desired-rows.ts'
import { listFlag } from '../options/flag-text.ts'
import { textOfRows } from '../../tabular/source/table.ts'
import type { DefinitionKind, DefinitionOptions, DefinitionPlan } from './columns.ts'
import { meantRoles, type UnusedColumn } from './meanings.ts'
import { beginReading, type Begun, type DefinitionRow, type ReadingDefinitions } from './rows.ts'

/** Returns what the flags of the command allow. */
const policyOf = ({ of }: DefinitionKind, { onConflict, onlyExisting, numbersAs }: DefinitionOptions): Policy => ({
  existing: onConflict === 'error' ? 'refuse' : onConflict === 'skip' ? 'skip' : 'update',
  onlyExisting,
  isByIdAlone: of.newer === true,
  isMeant: (_, field) => isMeantName(numbersAs, field),
  takesName: (_, field) => `--by-name ${field}`,
})

/** Says of columns that are left out which of them mean something that a row may give, and how to take them. */
const meantBy = (columns: readonly UnusedColumn[], { free }: DefinitionPlan, reader: Begun['reader']): string => {
  const meant = [...meantRoles(columns, free, (role, texts) => reader.takes(role, texts))]
  if (meant.length === 0) return ''
  const each = meant.map(([{ role }, name]) => `${name} is the ${role}`).join(' and ')
  return `; if ${each}: ${listFlag('--map', meant.map(([{ role }, name]) => `${role}=${name}`))}` // prettier-ignore
}

/** Reads and checks a whole file, as far as that needs nothing of what the service has of its rows. */
export const checkDefinitions = async (work: ReadingDefinitions) => {
  const { kind, options, rejects } = work
  const { plan, sample, reader, ...account } = await beginReading(work)
  const fingerprint = createHash('sha256').update(JSON.stringify(plan.header))
  // Keep what all rows name, also those that cannot be read.
  const names = new Map<number, string | undefined>()
  const { rows, read, empty } = await readRows<DefinitionRow>(work, options, (row) => {
    fingerprint.update(textOfRows([row]))
    names.set(row.line, reader.nameOf(row))
    return [reader.readRow(row)]
  })
  const distinct = withoutTwins(rows, rejects, {
    keyOf: ({ identity }) => identity,
    lineOf: ({ desired }) => desired.line,
    same: ({ desired }) => `rows with the same ${kind.key} "${desiredName(desired)}"`,
  })
  const unused = plan.unused.map((at): UnusedColumn => {
    return { name: plan.header[at]?.trim() ?? '', texts: sample.map((cells) => cells[at]?.trim() ?? '') }
  })
  tellReading(work, { isEmpty: read === 0, unused: unused.map(({ name }) => name), meant: meantBy(unused, plan, reader) })
  return {
    ...account,
    roles: reader.roles,
    desired: distinct.map(({ desired }) => desired),
    policy: policyOf(kind, options),
    names,
    fingerprint: fingerprint.digest('hex'),
    read,
    empty,
    rounded: rows.reduce((sum, { rounded }) => sum + rounded, 0),
  }
}

/** Describes a file of definitions that has been read and checked by itself, and the account as it was read. */
export type CheckedDefinitions = Awaited<ReturnType<typeof checkDefinitions>>

/** Holds what notes on a plan need. */
type Noting = Pick<ReadingFile, 'signal' | 'onNote' | 'onWarning'> & {
  readonly kind: DefinitionKind
  readonly snapshot: Snapshot
}

const KEPT_PASSWORDS =
  'passwords of people who exist already are left alone: they are taken only when people are created'

/** Sets how many names are compared before signals and timers run. */
const NAMES_OF_TURN = 500

/** Notes that passwords of existing people are not changed. */
const tellPasswords = ({ onNote, kind }: Noting, { planned }: Plan): void => {
  const secrets = kind.kind.fields.filter(({ field }) => field.secret).map(({ name }) => name)
  const isKept = planned.some(({ record, desired }) => record?.stored && secrets.some((name) => name in desired.values))
  if (isKept) onNote(KEPT_PASSWORDS)
}

/**
 * Warns of new names that are nearly known ones, as a mistyped name would make another record and leave the meant one as
 * it is; notes defaults that depend on what new records refer to.
 */
const tellNewRecords = async (
  { kind: { of, kind }, snapshot, onNote, onWarning, signal }: Noting,
  { planned }: Plan,
): Promise<void> => {
  const created = planned.filter(({ action }) => action === 'create')
  const known = snapshot.ofKind(kind.name).flatMap(({ stored, name }) => (stored ? name : []))
  const names = created.map(({ desired }) => desiredName(desired))
  const near = await nearNames(of.title, names, known, pauseEvery(NAMES_OF_TURN, signal))
  for (const warning of warningsOnNearNames(near)) onWarning(warning)
  const defaults = created.flatMap(({ changes }) => changes.map((one) => one.defaults ?? {}))
  for (const note of notesOnDefaults(of, defaults, () => false)) onNote(note)
}

/** Says what is to be known of a plan before it is sent; of new records, where it does not continue an earlier run. */
export const tellPlanned = async (noting: Noting, plan: Plan, isContinued: boolean): Promise<void> => {
  tellPasswords(noting, plan)
  if (!isContinued) await tellNewRecords(noting, plan)
}
