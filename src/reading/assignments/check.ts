import { createHash } from 'node:crypto'
import { desiredLink, linkPolicy, readLinks } from '../../changes/from/links.ts'
import type { Account } from '../../changes/records/access.ts'
import type { Desired } from '../../changes/records/desired.ts'
import { Snapshot } from '../../changes/records/snapshot.ts'
import type { Named } from '../../client/directory.ts'
import { readCalendar } from '../../client/operations/calendar.ts'
import { Aborted } from '../../client/transport.ts'
import { CIVIL_CALENDAR } from '../../domain/period.ts'
import { isFromName, targetDayIn } from '../columns/target-days.ts'
import {
  asOwnList,
  type ReadingFile,
  readRows,
  type RefusedRow,
  tellReading,
  withoutTwins,
} from '../entries/desired-rows.ts'
import {
  type ColumnFormats,
  createColumnFormats,
  formatRemarks,
  requireSettledFormats,
  settleFormats,
  surveyCells,
  THE_KPI,
} from '../detect/column-formats.ts'
import { withoutMissing } from '../formats/evidence.ts'
import { unitRowOf } from '../heading/left-out-rows.ts'
import { tableUnitOf } from '../detect/units.ts'
import type { ImportOptions } from '../options/options.ts'
import { requireHeader, type Row, sampleOf } from '../../tabular/source/table.ts'
import { fetchReference, type Reference } from '../directory/reference.ts'
import { type AssignmentRow, assignReader, findMatrix, findTimeline, planAssignments } from './rows.ts'

/** Names the columns of `kpi assign list -o csv`. */
const OWN_COLUMNS = ['user_id', 'id', 'user_target']

/** Describes how a file is read. */
type Reading = {
  readonly readRow: (row: Row) => readonly (AssignmentRow | RefusedRow)[]
  readonly reference: Reference
  /** Lists columns without a meaning. */
  readonly unused: readonly string[]
  /** Lists remarks on how numbers are written. */
  readonly remarks: readonly string[]
  /** Lists KPIs without a target for which users are to get one. */
  readonly withoutTarget: ReadonlySet<string>
}

/** Tells whether any target has the sign of a currency. */
const hasCurrencies = ({ signsOf }: ColumnFormats, { kpis }: Reference): boolean =>
  [THE_KPI, ...kpis.byId.keys()].some((id) => [...signsOf(id).keys()].some((sign) => sign !== '' && sign !== '%'))

/** Finds out what the columns mean, and from all target cells how numbers are written. */
const beginReading = async (
  { account: { client }, table: file, onProgress }: ReadingFile,
  asked: ImportOptions,
): Promise<Reading> => {
  const written = await requireHeader(file)
  const { numbersAs, scale, kpi } = asked
  const needs = { createAssignments: false, sources: false, refusesCurrencies: true }
  const reference = await fetchReference(client, { ...needs, numbersAs, scale, kpi })
  const sample = await sampleOf(file)
  const calendar = written.some((one) => targetDayIn(one, CIVIL_CALENDAR) !== undefined || isFromName(one))
    ? await readCalendar(client)
    : CIVIL_CALENDAR
  const matrix = findTimeline(file, written, asked, calendar) ?? findMatrix(file, written, asked, reference, sample)
  const { table, header, options } = matrix ?? {
    table: file,
    header: written,
    options: asOwnList(asked, written, file, OWN_COLUMNS),
  }
  const planned = planAssignments(header, options, matrix ? [] : sample, reference.users)
  const plan = { ...planned, ...(!matrix && { unitRow: unitRowOf(file, options), tableUnit: tableUnitOf(file) }) }
  const formats = createColumnFormats(plan, options, reference)
  await surveyCells(table, plan, formats, withoutMissing(options.missing), onProgress)
  if (reference.words.isFound() || hasCurrencies(formats, reference)) await reference.learnMeasures(() => [])
  requireSettledFormats(formats)
  const withoutTarget = new Set<string>()
  const settled = settleFormats(formats, plan, options, reference)
  const readRow = assignReader(plan, options, reference, settled, (kpi) => withoutTarget.add(kpi), calendar)
  return {
    readRow: matrix?.rowReader(readRow) ?? ((row) => [readRow(row)]),
    reference,
    unused: plan.unused,
    remarks: formatRemarks(formats),
    withoutTarget,
  }
}

/** Returns what rows say, in their order; an empty cell says nothing. */
const desiredOf = (rows: readonly AssignmentRow[]): Desired[] =>
  rows.map(({ user, kpi, target, place, dated }, at) => {
    const values = {
      ...(target !== undefined && { user_target: target }),
      ...(place !== undefined && { sort_order: place }),
    }
    return desiredLink('assignment', { user, id: kpi }, at + 1, values, dated.length > 0 ? dated : undefined)
  })

/** Joins rows that give one assignment targets from several days on: the first of them asks for all. */
const joinDated = (rows: readonly AssignmentRow[]): AssignmentRow[] =>
  [...Map.groupBy(rows, ({ user, kpi }) => `${user}/${kpi}`).values()].flatMap((same) => {
    const [first] = same
    if (!first || same.length === 1) return same
    const isGiven = <T>(value: T | undefined): value is T => value !== undefined
    return [
      {
        ...first,
        target: same.map(({ target }) => target).find(isGiven),
        place: same.map(({ place }) => place).find(isGiven),
        dated: same.flatMap(({ dated }) => dated),
      },
    ]
  })

/** Identifies what rows say, however their file is written. */
const fingerprintOf = (rows: readonly AssignmentRow[]): string => {
  const hash = createHash('sha256')
  for (const { line, user, kpi, target, place, dated } of rows)
    hash.update(
      `${line} ${user} ${kpi} ${target} ${place}${dated.map((one) => ` ${one.target} from ${one.from}`).join('')}\n`,
    )
  return hash.digest('hex')
}

/** Sets of how many users the assignments are read, a request each, before theirs are sent. */
const USERS_OF_PART = 10

/** Splits what rows say into parts of a few users; the assignments of these are read when their turn comes. */
const partsOf = (
  account: Account,
  rows: readonly AssignmentRow[],
  { users, kpis }: Reference,
  open: readonly Desired[],
  signal: AbortSignal,
): { readonly desired: readonly Desired[]; readonly look: () => Promise<Snapshot> }[] => {
  const rowOf = ({ line }: Desired): AssignmentRow | undefined => rows[line - 1]
  const named = (known: ReadonlyMap<number, Named>, ids: readonly (number | undefined)[]): Named[] =>
    [...new Set(ids)].flatMap((id) => (id === undefined ? [] : (known.get(id) ?? { id, name: '' })))
  const byUser = [...Map.groupBy(open, (one) => rowOf(one)?.user)]
  return Array.from({ length: Math.ceil(byUser.length / USERS_OF_PART) }, (_, at) => {
    const part = byUser.slice(at * USERS_OF_PART, (at + 1) * USERS_OF_PART)
    const desired = part.flatMap(([, own]) => own)
    const look = (): Promise<Snapshot> => {
      if (signal.aborted) throw new Aborted('stopped')
      const [whose, what] = [part.map(([user]) => user), desired.map((one) => rowOf(one)?.kpi)]
      return readLinks(account, 'assignment', named(users.byId, whose), named(kpis.byId, what))
    }
    return { desired, look }
  })
}

/** Reads and checks a whole file, before anything is sent; what users have is read when their turn comes. */
export const checkAssignments = async (work: ReadingFile, options: ImportOptions) => {
  const { account, rejects, signal } = work
  const { readRow, reference, unused, remarks, withoutTarget } = await beginReading(work, options)
  const { rows: wanted, read, empty } = await readRows(work, options, readRow)
  const distinct = withoutTwins(wanted, rejects, {
    keyOf: ({ user, kpi, dated: [one] }) => `${user}/${kpi}/${one?.from ?? ''}`,
    lineOf: ({ line }) => line,
    same: ({ dated }) => (dated.length > 0 ? 'the same user, KPI and day' : 'the same user and KPI'),
  })
  // Take user by user, and the rows of each in the order of the file.
  const rows = joinDated(distinct).sort((one, other) => one.user - other.user || one.line - other.line)
  tellReading(work, { isEmpty: read === 0, remarks, unused })
  const snapshot = new Snapshot()
  return {
    rows,
    desired: desiredOf(rows),
    lineOf: (place: number): number => rows[place - 1]?.line ?? 0,
    partsOf: (open: readonly Desired[]) => partsOf(account, rows, reference, open, signal),
    snapshot,
    look: () => Promise.resolve(snapshot),
    policy: linkPolicy({}),
    fingerprint: fingerprintOf(rows),
    read,
    empty,
    rounded: wanted.filter(({ isRounded }) => isRounded).length,
    withoutTarget,
  }
}

/** Describes a file of assignments that has been read and checked. */
export type CheckedAssignments = Awaited<ReturnType<typeof checkAssignments>>
