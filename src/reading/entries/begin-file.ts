import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import { nameForm, looseName } from '../../domain/name-form.ts'
import { fullName } from '../../domain/resources/user.ts'
import { type ColumnPlan, planColumns, readHeadings, UnclearHeader } from '../columns/columns.ts'
import { columnsBeside, nameIn, otherRole } from '../columns/persons.ts'
import type { PersonName } from '../../domain/person-name.ts'
import type { PersonDetails } from '../directory/person.ts'
import { roleHeader, roleText } from '../columns/roles.ts'
import type { Evidence } from '../formats/evidence.ts'
import { findYears } from '../formats/file-years.ts'
import { listFlag } from '../options/flag-text.ts'
import { headerOf, type Row, type Table } from '../../tabular/source/table.ts'
import { type Lookup, requireWriteAccess } from '../directory/lookup.ts'
import type { Missing, ReferenceLists } from '../directory/missing.ts'
import type { Client } from '../../client/client.ts'
import type { Variant } from '../../domain/variants.ts'
import { isExported } from '../columns/header.ts'
import { mayNameSources } from '../columns/owners.ts'
import { Contents } from '../columns/contents.ts'
import { mayBeNameRows } from '../columns/name-headings.ts'
import type { Heading } from '../columns/layout.ts'
import type { ImportOptions } from '../options/options.ts'
import { unitRowOf } from '../heading/left-out-rows.ts'
import { tableUnitOf } from '../detect/units.ts'
import { fillRight } from '../heading/table-body.ts'
import { nextTurn } from '../../client/next-turn.ts'
import { fetchReference, type Reference } from '../directory/reference.ts'

/** Describes the user in a row: by what name or address, and the other one of the two, which stands beside it. */
type PersonInRow = {
  readonly user: string
  readonly other: string
  readonly line: number
  readonly details: PersonDetails
}

/** Sets how many contradictions are shown. */
const SHOWN = 10

/** Returns a name as it is compared: `Lee, Ann` is Ann Lee. */
const looseFullName = (name: PersonName): string => looseName(fullName(name))

/** Returns a function that reads what a row says of its user; undefined if it says nothing. */
const reader = (plan: ColumnPlan): ((cells: readonly string[], line: number) => PersonInRow | undefined) => {
  const role = otherRole(plan)
  const [userIn, otherIn] = [roleText(plan, 'user'), roleText(plan, role)]
  return (cells, line) => {
    const [user, other] = [userIn(cells).trim(), otherIn(cells).trim()]
    if (user === '' || other === '') return undefined
    return { user, other, line, details: role === 'name' ? { name: nameIn(plan, cells) } : { email: other } }
  }
}

/** Returns a fault that says how two rows contradict each other, and what to do about it. */
const contradictionOf = (plan: ColumnPlan, of: string, one: Evidence, other: Evidence): Issue => {
  const out = listFlag('--ignore', columnsBeside(plan))
  return {
    field: roleHeader(plan, 'user'),
    message: `"${of}" is "${one.text}" on line ${one.line} and "${other.text}" on line ${other.line}; write one of them throughout, or leave the column out: ${out}`,
  }
}

/** Collects what rows say of the users that the service does not have, and in what they contradict each other. */
const createCollector = (plan: ColumnPlan, users: Lookup) => {
  const byUser = new Map<string, PersonInRow>()
  const byAddress = new Map<string, PersonInRow>()
  const issues: Issue[] = []
  const noteContradiction = (of: string, one: Evidence, other: Evidence): void => {
    if (issues.length < SHOWN) issues.push(contradictionOf(plan, of, one, other))
  }
  /** Returns what a row says of a user, as it is compared. */
  const looseOther = ({ details: { name }, other }: PersonInRow): string =>
    name ? looseFullName(name) : nameForm(other)
  return {
    issues,
    persons: byUser,
    note: (person: PersonInRow): void => {
      const key = looseName(person.user)
      const before = byUser.get(key)
      if (before && looseOther(before) === looseOther(person)) return
      if (!(users.find(person.user) instanceof Fault)) return
      if (before) {
        noteContradiction(
          person.user,
          { text: before.other, line: before.line },
          { text: person.other, line: person.line },
        )
        return
      }
      byUser.set(key, person)
      if (person.details.email === undefined) return
      const owner = byAddress.get(looseOther(person))
      if (owner)
        noteContradiction(
          person.other,
          { text: owner.user, line: owner.line },
          { text: person.user, line: person.line },
        )
      else byAddress.set(looseOther(person), person)
    },
  }
}

/**
 * Reads what the columns beside that of users say of new ones, before any is named. Throws if an address has two names,
 * or a name two addresses.
 */
const describePersons = async (table: Table, plan: ColumnPlan, users: Lookup, created: Missing): Promise<void> => {
  if (created.users === undefined || !plan.roles.has('user')) return
  if (!plan.roles.has('name') && !plan.roles.has('email')) return
  const read = reader(plan)
  const collector = createCollector(plan, users)
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const { cells, line } of rows) {
      const person = isHeader ? undefined : read(cells, line)
      isHeader = false
      if (person) collector.note(person)
    }
  }
  const { issues, persons } = collector
  if (issues.length > 0)
    throw new KpiError('malformed', 'rows contradict each other about new users; nothing was sent', { issues })
  created.describe(new Map([...persons].map(([key, { details }]) => [key, details])))
}

/** Holds what columns mean as far as that is clear, and what is not. */
type Planned = { readonly plan: ColumnPlan; readonly unclear?: UnclearHeader | undefined }

/** Describes what is known of a file once its header has been read. */
export type Begun = Planned & {
  readonly reference: Reference
  readonly variant: Variant
  /** Holds what the first rows show of the columns whose names do not say what they are. */
  readonly contents: Contents
  /** Finds out what the columns mean by what all rows show. */
  readonly planBy: (contents: Contents) => Planned
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

/** Returns a header with the labels above it. */
const headingWith = (table: Table, header: readonly string[]): Omit<Heading, 'contents'> => ({
  header,
  upper: table.upper,
  above: fillRight(table.above.at(-1)?.cells ?? [], header.length),
  years: findYears(table),
})

/** Returns the header of a file, and what its first rows show. */
const readHeading = async (
  table: Table,
  options: ImportOptions,
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
  return {
    ...headingWith(table, header),
    contents: new Contents(header, sample, options),
  }
}

const mayHaveSources = (
  { header, upper, above }: Omit<Heading, 'contents'>,
  { variant }: Client,
  options: ImportOptions,
): boolean => variant === 'v1' && (mayNameSources(header, options) || mayBeNameRows(header, upper ?? above))

/** Returns what columns mean; of an unclear header without the roles that are in doubt. */
const planClearly = (planAll: () => ColumnPlan): Planned => {
  try {
    return { plan: planAll() }
  } catch (error) {
    if (!(error instanceof UnclearHeader)) throw error
    const doubtful = new Set<string>(error.issues.map(({ field }) => field))
    const roles = new Map([...error.seen.roles].filter(([role]) => !doubtful.has(role)))
    return { plan: { ...error.seen, roles }, unclear: error }
  }
}

/** Fetches the reference data, and finds out what the columns mean, as far as the header is clear. */
export const beginFile = async (
  table: Table,
  client: Client,
  options: ImportOptions,
  lists?: ReferenceLists,
  onProgress?: () => void,
): Promise<Begun> => {
  const heading = await readHeading(table, options, onProgress)
  const sources = mayHaveSources(heading, client, options)
  const createAssignments = mayAssign(client, options)
  const reference = await fetchReference(client, { ...options, createAssignments, sources, ...lists })
  const begun = await beginWith({ table, heading, reference }, client, options, onProgress)
  const { plan, unclear } = begun
  if (reference.created && !unclear) await describePersons(table, plan, reference.users, reference.created)
  return begun
}

/** Holds a file whose header was read, and what its rows may refer to. */
type ReadFile = {
  readonly table: Table
  readonly heading: Heading & { readonly contents: Contents }
  readonly reference: Reference
}

/** Finds out what the columns of a file mean, as far as its header is clear. */
const beginWith = async (
  { table, heading, reference }: ReadFile,
  client: Client,
  options: ImportOptions,
  onProgress?: () => void,
): Promise<Begun> => {
  const { header } = heading
  const isMarked = table.reading.hasMark && isExported(header)
  const { contents, ...others } = heading
  const planWith = (shown: Contents): Planned => {
    const { plan, unclear } = planClearly(() => planBy({ ...others, contents: shown }, client, options, reference))
    return { plan: { ...plan, isMarked, unitRow: unitRowOf(table, options), tableUnit: tableUnitOf(table) }, unclear }
  }
  const pause = async (): Promise<void> => {
    await nextTurn(undefined)
    onProgress?.()
  }
  await readHeadings(heading, { kpi: reference.kpis, user: reference.users }, pause)
  await pause()
  const { plan, unclear } = planWith(contents)
  await pause()
  // Where names say all, the first rows are not needed any more.
  const kept = contents.asked().length > 0 ? contents : new Contents(header, [], options)
  return { reference, variant: client.variant, plan, unclear, contents: kept, planBy: planWith }
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
  const source = mayHaveSources(heading, client, options) ? sources : undefined
  const takesSources = client.variant === 'v1'
  const plan = planColumns(heading, options, { kpi: kpis, user: users, source, ownerOf, takesSources })
  rejectClearAndAdd(plan, options)
  return plan
}

/**
 * Begins with several files, each with its own options, for which the reference data is fetched once; of one whose header
 * is unclear it returns the fault.
 */
export const beginFiles = async (
  files: readonly { readonly table: Table; readonly options: ImportOptions }[],
  client: Client,
  options: ImportOptions,
): Promise<(Begun | KpiError)[]> => {
  await requireWriteAccess(client)
  const mayHave = async (one: (typeof files)[number]): Promise<boolean> =>
    mayHaveSources(headingWith(one.table, await headerOf(one.table)), client, one.options)
  const sources = (await Promise.all(files.map(mayHave))).includes(true)
  const needs = { ...options, createAssignments: mayAssign(client, options), sources }
  const reference = await fetchReference(client, needs)
  const begun: (Begun | KpiError)[] = []
  for (const { table, options: own } of files) {
    const one = await beginWith({ table, heading: await readHeading(table, own), reference }, client, own).catch(
      (error: unknown) => {
        if (error instanceof KpiError) return error
        throw error
      },
    )
    begun.push(one instanceof KpiError ? one : (one.unclear ?? one))
  }
  return begun
}
