import type { Client } from '../../client/client.ts'
import { beginFile } from './begin-file.ts'
import { decideByAll } from './check.ts'
import { formatDay } from '../../domain/day.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import type { KpiError } from '../../domain/errors.ts'
import { faultOfHeader } from './decide.ts'
import { roleOf } from '../columns/header.ts'
import type { WideColumn, WideRole } from '../columns/wide.ts'
import type { ColumnFormats } from '../detect/column-formats.ts'
import { showCell } from '../formats/evidence.ts'
import { nameOfSign } from '../formats/number.ts'
import { notesOnHeading, notesOnUnread, warningsOn } from './notes.ts'
import { type ImportOptions, type NameRole, type Role, ROLES } from '../options/options.ts'
import { hasRows, type ParsedFormat, type Table } from '../../tabular/source/table.ts'
import { isProvisional } from '../directory/lookup.ts'
import type { Reference } from '../directory/reference.ts'

/** Describes a finding about a file, from evidence or from a flag, and what shows it. */
type Finding = { readonly topic: string; readonly found: string; readonly evidence: string }

/**
 * Describes how a file is read, and whether anything is in doubt; if the header is unclear, only what is known
 * nevertheless.
 */
type Explained = { readonly findings: readonly Finding[] } & ({ readonly unclear: KpiError } | Explanation)

type Explanation = {
  readonly unclear?: undefined
  readonly isInDoubt: boolean
  readonly formats: ColumnFormats
  readonly plan: ColumnPlan
}

const SIGNS: Readonly<Record<ParsedFormat['separator'], string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'bar',
}

const ofReading = ({ gzip, encoding, separator, evidence, cellsOf, findings = [] }: ParsedFormat): Finding[] => {
  /** Returns the evidence of a finding, without the words that introduce it. */
  const why = (topic: string): string => {
    const texts = evidence.filter((line) => line.startsWith(topic)).map((line) => line.replace(/^[^:]*: /, ''))
    return texts.length > 0 ? texts.join('; ') : 'as given, or because nothing says otherwise'
  }
  if (cellsOf) return [...findings]
  return [
    ...findings,
    ...(gzip ? [{ topic: 'compression', found: 'gzip', evidence: why('gzip') }] : []),
    { topic: 'encoding', found: encoding, evidence: why('encoding') },
    { topic: 'separator', found: SIGNS[separator], evidence: why('separator') },
  ]
}

const whyRole = (name: string, role: Role, { map }: ImportOptions): string => {
  if (map.has(role)) return `--map ${role}=${map.get(role)}`
  if (name.trim() === '') return 'it has no name, and its cells show it'
  return roleOf(name) === role ? `"${name.trim()}" is a name of it` : 'its header is the name of one'
}

/**
 * Returns the finding on an unused column. In a wide file it may be a misspelt KPI or user, so it is in doubt unless it
 * has no name.
 */
const ofUnused = (name: string, header: readonly string[], wide: ColumnPlan['wide']): Finding =>
  wide && wide.of !== 'date' && header.includes(name)
    ? { topic: 'not known', found: name, evidence: `it names no ${wide.of === 'kpi' ? 'KPI' : 'user'} of its own` }
    : { topic: 'left out', found: name, evidence: 'its name is not one that is imported' }

const LAYOUTS: Readonly<Record<WideRole, string>> = {
  kpi: 'wide: a column for each kpi',
  user: 'wide: a column for each user',
  source: 'wide: a column for each breakdown item',
  date: 'wide: a column for each day or period',
}

/** Returns the name of something that would be created, as it has no id yet; undefined if it is not known. */
type NameOf = (role: NameRole, id: number) => string | undefined

/** Returns something by its id, or by its name if it would be created. */
const shownThing = (role: NameRole, id: number, nameOf: NameOf): string => {
  if (!isProvisional(id)) return `${role} ${id}`
  const name = nameOf(role, id)
  return name === undefined ? `a new ${role}` : `the new ${role} "${name}"`
}

/** Returns what a column of actuals is of. */
const ofWideColumn = ({ owner, kpi, day, part }: WideColumn, nameOf: NameOf): string =>
  [
    ...(kpi === undefined ? [] : [shownThing('kpi', kpi, nameOf)]),
    ...(owner === undefined ? [] : [shownThing(owner > 0 ? 'user' : 'source', Math.abs(owner), nameOf)]),
    ...(day === undefined ? [] : [formatDay(day)]),
    ...(part === undefined ? [] : [part]),
  ].join(', ')

const SHOWN_DATES = 3

/** Returns the findings on the columns of actuals; of many columns for days, the first and the last. */
const ofWideColumns = (header: readonly string[], wide: ColumnPlan['wide'], nameOf: NameOf): Finding[] => {
  if (!wide) return []
  const { of, columns } = wide
  const shown =
    of === 'date' && columns.length > SHOWN_DATES
      ? [...columns.slice(0, SHOWN_DATES - 1), ...columns.slice(-1)]
      : columns
  return shown.map((column) => ({
    topic: `actual of ${ofWideColumn(column, nameOf)}`,
    found: `column ${column.at + 1}, ${header[column.at] ?? ''}`,
    evidence:
      (of === 'date' ? 'its header is a date' : 'its header is the name of one') +
      (wide.over === undefined ? '' : `, and another header row names the ${wide.over}`),
  }))
}

const ofRoles = (
  { header, roles, wide, unused }: ColumnPlan,
  options: ImportOptions,
  nameOf: NameOf,
  lacking: readonly Role[] = [],
): Finding[] => [
  {
    topic: 'layout',
    found: wide ? LAYOUTS[wide.of] : 'long: a row for each entry',
    evidence: options.layout === undefined ? 'the names of the columns' : `--layout ${options.layout}`,
  },
  ...ROLES.flatMap((role): Finding[] => {
    const constant =
      role === 'user' || role === 'source' || role === 'kpi' || role === 'date' ? options[role] : undefined
    if (constant !== undefined) return [{ topic: role, found: constant, evidence: `--${role}, for all rows` }]
    const at = roles.get(role)
    const name = header[at ?? -1] ?? ''
    if (lacking.includes(role)) return [{ topic: role, found: 'not found', evidence: 'no column has such a header' }]
    return at === undefined
      ? []
      : [{ topic: role, found: `column ${at + 1}, ${name}`, evidence: whyRole(name, role, options) }]
  }),
  ...ofWideColumns(header, wide, nameOf),
  ...unused.map((name) => ofUnused(name, header, wide)),
]

const ofNames = ({ names }: ColumnFormats, { numbersAs }: ImportOptions): Finding[] =>
  [...names].flatMap(([role, column]): Finding[] => {
    const [numbers, doubt] = [column.numbers(), column.doubt()]
    if (!numbers) return []
    const asked = numbersAs?.get(role) === 'ids' ? `--by-id ${role}` : `--by-name ${role}`
    return [
      {
        topic: `numbers in ${column.name}`,
        found: doubt === undefined ? numbers.as : 'in doubt',
        evidence: doubt ?? (numbersAs?.has(role) ? asked : `"${numbers.shown}"`),
      },
    ]
  })

const ofForms = ({ numberFormats, date }: ColumnFormats, options: ImportOptions): Finding[] => {
  const proven = date?.column.proven()
  const dates: Finding[] = date
    ? [
        {
          topic: `format of ${date.column.name}`,
          found: proven?.format.text ?? 'in doubt',
          evidence:
            options.dateFormat === undefined
              ? (date.column.doubts()[0] ?? (proven?.proof ? showCell(proven.proof) : 'no cell is a date'))
              : '--date-format',
        },
      ]
    : []
  const ofNumbers = numberFormats.map((column): Finding => {
    const [sign, [doubt]] = [column.proven(), column.doubts()]
    const proof = sign ? column.proofs.get(sign) : (column.scaled() ?? column.stored())
    const unproven = column.scaled() ? 'numbers with scales' : proof ? 'stored as numbers' : 'whole numbers'
    return {
      topic: `format of ${column.name}`,
      found: doubt === undefined ? (sign ? nameOfSign(sign) : unproven) : 'in doubt',
      evidence:
        doubt ?? (options.decimal === undefined ? (proof ? showCell(proof) : 'no cell has decimals') : '--decimal'),
    }
  })
  return [...dates, ...ofNumbers]
}

const ofRounding = ({ numberFormats }: ColumnFormats, { strict }: ImportOptions): string[] =>
  numberFormats.flatMap(({ name, rounded }) => {
    const first = rounded()
    const fate = strict ? 'rejected (--strict)' : 'rounded'
    return first
      ? [`${name} has numbers with more than four decimals, such as ${showCell(first)}, which are ${fate}`]
      : []
  })

/** Returns the names of what a file names, by ids that may be provisional. */
const namesIn =
  ({ kpis, users, sources }: Reference): NameOf =>
  (role, id) =>
    ({ kpi: kpis, user: users, source: sources })[role]?.byId.get(id)?.name

/** Finds out how a file is read, and the evidence for that; nothing is sent. */
export const explainFile = async (
  table: Table,
  client: Client,
  options: ImportOptions,
  onProgress: () => void,
): Promise<Explained> => {
  const ofTable = [
    ...ofReading(table.reading),
    ...notesOnHeading(table).map((found) => ({
      topic: 'header',
      found,
      evidence: table.upper ? 'two rows of labels' : 'the row that names the columns, by what they hold',
    })),
  ]
  const begun = await beginFile(table, client, options, undefined, onProgress)
  const decided = await decideByAll(table, begun, options, onProgress)
  const { seen, lacking } = decided.begun.unclear ?? {}
  const unclear = await faultOfHeader(decided)
  if (unclear && seen) return { findings: [...ofTable, ...ofRoles(seen, options, () => undefined, lacking)], unclear }
  const { plan, reference } = decided.begun
  const { formats } = decided.profile
  const texts = [
    ...warningsOn(table, formats, !(await hasRows(table))),
    ...ofRounding(formats, options),
    ...notesOnUnread(reference),
  ]
  const warnings = texts.map((found) => ({ topic: 'warning', found, evidence: '' }))
  const findings = [
    ...ofTable,
    ...ofRoles(plan, options, namesIn(reference)),
    ...ofNames(formats, options),
    ...ofForms(formats, options),
    ...warnings,
  ]
  return { findings, isInDoubt: decided.questions.length > 0, formats, plan }
}
