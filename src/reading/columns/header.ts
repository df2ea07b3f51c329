import { withoutUnit } from '../../domain/numbers/measure.ts'
import { didYouMeanName, nearest, isWithin } from '../../client/nearest.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import { withoutAccents, looseName } from '../../domain/name-form.ts'
import { type ImportOptions, type Role, ROLES } from '../options/options.ts'
import { memoize } from '../formats/date-format.ts'
import { DATE_PARTS, type DatePart, DAY_WORDS, PART_WORDS, PERIOD_WORDS } from '../formats/period-words.ts'
import { countedText, listFirst } from '../../domain/count-text.ts'
import { mapFlag } from '../options/flag-text.ts'

const list = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(', '))

/**
 * Lists the names of periods, each of which stands for its first day. Years are left out: in most files such a column
 * is only part of a date.
 */
const PERIODS = [...Object.values(PERIOD_WORDS).flat(), ...list('year month, okres')]

/**
 * Lists the names of columns, in any case, with or without accents, with spaces, underscores or dashes between words:
 * in English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish and Polish.
 */
export const SYNONYMS: Readonly<Record<Role, readonly string[]>> = {
  user: list(
    'user, user id, userid, email, e mail, user name, username, person, reporter, employee, employee name, staff',
    'benutzer, benutzername, nutzer, nutzername, mitarbeiter, mitarbeiterin, utilisateur, usuario, utente, utilizador, gebruiker, användare, użytkownik',
    'employé, salarié, empleado, dipendente, empregado, medewerker, medarbetare, pracownik',
  ),
  source: list('source, source id, sourceid, breakdown item, item'),
  kpi: list(
    'kpi, kpi id, kpiid, kpi name, measure, metric, indicator',
    'kennzahl, messgröße, indikator, indicateur, indicador, indicatore, nyckeltal, wskaźnik',
  ),
  date: list(
    'date, entry date, entrydate, period',
    'datum, zeitraum, periode, période, fecha, período, data, periodo',
    ...DAY_WORDS,
    ...PERIODS,
  ),
  actual: list(
    'actual, actual value, value, amount, result',
    'ist, istwert, ist wert, wert, betrag, réel, réalisé, valeur, montant, valor, valor real, real, importe',
    'valore, consuntivo, effettivo, realizado, waarde, werkelijk, realisatie, utfall, värde, wartość, wykonanie',
  ),
  target: list(
    'target, target value, goal, plan',
    'soll, sollwert, soll wert, ziel, zielwert, planwert, objectif, cible, objetivo, meta, obiettivo, doel',
    'streefwaarde, mål, cel',
  ),
  notes: list(
    'notes, note, comment, comments, remark, remarks',
    'notiz, notizen, bemerkung, bemerkungen, kommentar, kommentare, anmerkung, anmerkungen, commentaire, commentaires',
    'remarque, remarques, notas, nota, comentario, comentarios, observaciones, commento, commenti, observações',
    'comentário, comentários, opmerking, opmerkingen, notitie, notities, anteckning, anteckningar, uwagi, komentarz',
  ),
  // These are found beside a column of users, by what both hold.
  name: [],
  email: [],
}

/** Returns a header in the form in which names are compared, without accents. */
export const foldName = memoize((header) => withoutAccents(looseName(header)))

/** Returns the names in some lines, in the form in which names are compared. */
export const foldedNames = (...lines: readonly string[]): ReadonlySet<string> => new Set(list(...lines).map(foldName))

const roles = new Map(ROLES.flatMap((role) => SYNONYMS[role].map((name) => [foldName(name), role] as const)))

const periods = new Set(PERIODS.map(foldName))

/** Tells whether a column is named for a month, week or quarter, which may stand beside a date within it. */
export const isPeriodName = (name: string): boolean => periods.has(foldName(name))

const dateParts = new Map(DATE_PARTS.flatMap((part) => PART_WORDS[part].map((name) => [foldName(name), part] as const)))

/** Returns the part of a date that a column is named for. */
export const datePartOf = (name: string): DatePart | undefined => dateParts.get(foldName(name))

/** Tells whether a column is named for years. */
export const isYearName = (name: string): boolean => datePartOf(name) === 'year'

/**
 * Lists names of columns that often hold persons, and as often something else: the import asks about such a column, and
 * does not take it for the user by itself.
 */
const MAY_BE_PERSONS = foldedNames(
  'name, full name, display name, first and last name, vollständiger name, vor und nachname, nom, nom complet',
  'prénom et nom, nom et prénom, nombre, nombre completo, nombre y apellidos, nome, nome completo, nome e cognome',
  'nome e sobrenome, naam, volledige naam, namn, fullständigt namn, imię i nazwisko, nazwisko i imię, nazwisko',
)

/** Tells whether a column's name suggests persons, though it may as well hold something else. */
export const mayBePersons = (name: string): boolean => MAY_BE_PERSONS.has(foldName(name))

/** Returns the role of a column of values that is named with their unit, such as `Target (k€)`. */
const roleWithUnit = (name: string): Role | undefined => {
  const role = roles.get(foldName(withoutUnit(name) ?? ''))
  return role === 'actual' || role === 'target' ? role : undefined
}

const findRole = memoize((name) => roles.get(foldName(name)) ?? roleWithUnit(name) ?? null)

/** Returns the role that a column's name stands for. */
export const roleOf = (name: string): Role | undefined => findRole(name) ?? undefined

/** Lists the columns that a rejects file adds, which an import ignores. */
export const REJECT_COLUMNS = ['_line', '_reason'] as const

/** Describes what is known of a header so far, each column by its place. */
export type HeaderFindings<R extends string = Role> = {
  readonly header: readonly string[]
  readonly roles: Map<R, number>
  /** Holds the columns of roles that are made of several; the first of them is in `roles`, too. */
  readonly joined: Map<R, readonly number[]>
  readonly ignored: Set<number>
  readonly issues: Issue[]
  /** Says why two columns of a role are in doubt that are told apart elsewhere. */
  readonly doubts: Map<R, string>
}

/** Returns the label of a column without blanks around it; empty if there is none. */
export const labelAt = ({ header }: Pick<HeaderFindings<string>, 'header'>, at: number | undefined): string =>
  header[at ?? -1]?.trim() ?? ''

/** Returns the columns without a meaning so far. */
export const unassignedColumns = ({ header, roles, joined, ignored }: HeaderFindings<string>): number[] => {
  const taken = new Set([...roles.values(), ...[...joined.values()].flat(), ...ignored])
  return [...header.keys()].filter((at) => !taken.has(at))
}

/** Tells whether a header has a meaning of its own, so that it cannot name a KPI or user. */
export const isColumnName = (name: string): boolean =>
  roleOf(name) !== undefined || REJECT_COLUMNS.some((column) => column === name.trim())

/** Tells whether a column without a meaning so far has a name for a role. */
export const hasNameOfRole = (found: HeaderFindings, role: Role): boolean =>
  unassignedColumns(found).some((at) => roleOf(found.header[at] ?? '') === role)

/**
 * Returns the fault of two columns with names for one role, and why it is one; if the names are equal, the message tells them apart by
 * their places.
 */
export const severalOf = (
  role: string,
  header: readonly string[],
  [one, other]: readonly [number, number],
  why = '',
): string => {
  const [name, again] = [header[one]?.trim(), header[other]?.trim()]
  return name === again
    ? `there are two columns "${name}"; rename one, or say by its place which it is: --map ${role}=#${one + 1} or --map ${role}=#${other + 1}`
    : `is both "${name}" and "${again}"${why}; say which: --map ${role}=COLUMN`
}

/** Lists the columns of a report that say what an entry is; its ids of items may be of users or of breakdown items. */
const REPORT_COLUMNS: Readonly<Partial<Record<Role, string>>> = {
  user: 'itemName',
  kpi: 'kpiName',
  date: 'entryDate',
  actual: 'actual',
  target: 'target',
  notes: 'notes',
}

/** Tells whether a header is that of a report's rows. */
const isReport = (header: readonly string[]): boolean =>
  Object.values(REPORT_COLUMNS).every((name) => header.includes(name)) && header.includes('periodId')

/** Adds the columns of a report, whose other columns have names that mean something else in other files. */
const recognizeReport = ({ header, roles, ignored }: HeaderFindings, wanted: readonly Role[]): void => {
  for (const role of wanted) {
    const at = header.indexOf(REPORT_COLUMNS[role] ?? '')
    if (at >= 0 && !roles.has(role) && !ignored.has(at)) roles.set(role, at)
  }
}

/** Lists the columns of ids that have a column of names beside them where entries are exported with names. */
const IDS_BESIDE_NAMES: Readonly<Partial<Record<Role, readonly [id: string, name: string]>>> = {
  user: ['user_id', 'user'],
  source: ['source_id', 'source'],
  kpi: ['kpi_id', 'kpi'],
}

/** Leaves out the ids of entries that are exported with names, which are the same in another account. */
const leaveOutIds = ({ header, roles, ignored }: HeaderFindings): void => {
  if (!['entry_date', 'user_id', 'user', 'kpi_id', 'kpi'].every((name) => header.includes(name))) return
  for (const [id, name] of Object.values(IDS_BESIDE_NAMES)) {
    const at = header.indexOf(id)
    if (header.includes(name) && ![...roles.values()].includes(at)) ignored.add(at)
  }
}

/** Adds the columns of the given roles by their names, unless the user has named others. */
export const recognizeColumns = (found: HeaderFindings, wanted: readonly Role[]): void => {
  const { header, roles, issues, doubts } = found
  if (isReport(header)) recognizeReport(found, wanted)
  leaveOutIds(found)
  const named = new Set(roles.keys())
  for (const at of unassignedColumns(found)) {
    const name = header[at] ?? ''
    const role = roleOf(name)
    if (!role || !wanted.includes(role) || named.has(role)) continue
    const other = roles.get(role)
    if (other === undefined) roles.set(role, at)
    // Of a day and its month, the day is the date.
    else if (isPeriodName(name) && !isPeriodName(header[other] ?? '')) continue
    else if (isPeriodName(header[other] ?? '') && !isPeriodName(name)) roles.set(role, at)
    else issues.push({ field: role, message: severalOf(role, header, [other, at], doubts.get(role)) })
  }
}

const LEAST_NEAR = 4

/**
 * Tells whether a name is so near to another that hardly anything else is meant: short names are near to many by
 * chance.
 */
const isNearly = (name: string, others: readonly string[]): boolean => {
  const one = foldName(name)
  if (one.length < LEAST_NEAR) return false
  const most = Math.min(2, Math.floor(one.length / 3))
  return others.some((two) => two.startsWith(one) || isWithin(most, one, two))
}

/** Returns a column without a meaning whose name is nearly that of a role, or a word that may well mean it. */
export const nearColumn = (found: HeaderFindings, role: Role): number | undefined => {
  const called = (isMeant: (name: string) => boolean): number | undefined =>
    unassignedColumns(found).find((at) => isMeant(found.header[at]?.trim() ?? ''))
  const others = SYNONYMS[role].map(foldName)
  const near = called((name) => isNearly(name, others))
  return near ?? (role === 'user' ? called(mayBePersons) : undefined)
}

/** Returns the columns by which an exported file names an owner; `source_id` may stand beside a user. */
export const ownerColumns = (hasSources: boolean): string[] => (hasSources ? ['user', 'source_id'] : ['user'])

/** Returns the columns of an exported file that has a row an entry. */
export const exportedColumns = (hasSources: boolean): string[] => [
  ...ownerColumns(hasSources),
  'kpi',
  'date',
  'actual',
  'target',
  'notes',
]

/**
 * Tells whether a header is that of an exported file, of entries or of a report, with or without the columns of a
 * rejects file behind it.
 */
export const isExported = (header: readonly string[]): boolean =>
  isReport(header) ||
  [true, false].some((hasSources) => exportedColumns(hasSources).every((name, at) => header[at] === name))

/** Bounds the names that a message lists, and their characters. */
const SHOWN_NAMES = 50
const SHOWN_LENGTH = 200

/** Returns names as a message lists them: of very many, the first, and of very long ones, the beginning. */
export const listNames = (names: readonly string[]): string =>
  listFirst(names, SHOWN_NAMES, (name) => (name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name))

const NUMBER = /^#(\d{1,5})$/

/** Returns the column with a number, `#3`: for headers that are empty, or the same twice. */
const columnNumbered = (header: readonly string[], name: string): number[] => {
  const at = Number(NUMBER.exec(name)?.[1] ?? 0) - 1
  return at >= 0 && at < header.length ? [at] : []
}

/** Finds columns by what the user calls them. */
type FindColumns = (name: string) => readonly number[]

/**
 * Returns what finds the columns with a name: exact matches, else those that differ only in case, accents, spaces and
 * underscores.
 */
const columnFinder = (header: readonly string[]): FindColumns => {
  const placesBy = (textOf: (name: string) => string): Map<string, readonly number[]> =>
    Map.groupBy(header.keys(), (at) => textOf(header[at] ?? ''))
  const [exact, folded] = [placesBy((name) => name.trim()), placesBy(foldName)]
  return (name) => exact.get(name) ?? folded.get(foldName(name)) ?? columnNumbered(header, name)
}

const noColumn = (header: readonly string[], name: string): string => {
  const all = header.map((one, at) => (one.trim() === '' ? `#${at + 1}` : one))
  return `there is no column "${name}"${didYouMeanName(nearest(name, header), `; there are ${listNames(all)}`)}`
}

const severalColumns = (name: string, count: number): string =>
  `there are ${count} columns "${name}"; give each a name of its own`

/** Lists the roles that several columns may make up: `date=year+month+day`, `source=country+store`. */
const JOINED_ROLES: ReadonlySet<string> = new Set(['user', 'source', 'kpi', 'date', 'name'])

/** Bounds the names of no column that have a fault of their own. */
const SHOWN_UNKNOWN = 20

/** Returns the faults of names that a flag has and that no column has. */
const faultsOfUnknown = (header: readonly string[], field: string, unknown: readonly string[]): Issue[] => {
  const more = unknown.length - SHOWN_UNKNOWN
  return [
    ...unknown.slice(0, SHOWN_UNKNOWN).map((name) => ({ field, message: noColumn(header, name) })),
    ...(more > 0 ? [{ field, message: `there are no columns for ${countedText(more, 'more name')} either` }] : []),
  ]
}

/** Returns the names of the columns that the user named for a role: several, if the name is several with a plus between. */
const namesOfRole = (find: FindColumns, role: string, name: string): readonly string[] =>
  find(name).length > 0 || !name.includes('+') || !JOINED_ROLES.has(role)
    ? [name]
    : name.split('+').map((one) => one.trim())

/** Adds the column that the user named for a role, or the columns. */
const addNamed = <R extends string>(found: HeaderFindings<R>, find: FindColumns, role: R, name: string): void => {
  const { header, roles, joined, issues } = found
  const places = new Set<number>()
  const unknown: string[] = []
  for (const part of namesOfRole(find, role, name)) {
    const [at, ...others] = find(part)
    if (at === undefined) unknown.push(part)
    else places.add(at)
    if (others.length > 0) issues.push({ field: role, message: severalColumns(part, others.length + 1) })
  }
  issues.push(...faultsOfUnknown(header, role, unknown))
  const [first] = places
  if (first !== undefined) roles.set(role, first)
  if (places.size > 1) joined.set(role, [...places])
}

/** Returns the columns that a flag names, and notes the names that none has. */
const columnsOf = (
  { header, issues }: HeaderFindings<string>,
  find: FindColumns,
  field: string,
  names: readonly string[],
): readonly number[] => {
  const places = new Map(names.map((name) => [name, find(name)]))
  const unknown = [...places].flatMap(([name, { length }]) => (length === 0 ? name : []))
  issues.push(...faultsOfUnknown(header, field, unknown))
  // Very many names may mean the same columns.
  return [...new Set(places.values())].flat()
}

/** Returns the columns that the user named, and those to ignore. */
export const namedColumns = <R extends string>(
  header: readonly string[],
  { map, ignore, columns }: Pick<ImportOptions, 'ignore' | 'columns'> & { readonly map: ReadonlyMap<R, string> },
): HeaderFindings<R> => {
  const found: HeaderFindings<R> = {
    header,
    roles: new Map(),
    joined: new Map(),
    ignored: new Set(),
    issues: [],
    doubts: new Map(),
  }
  const find = columnFinder(header)
  for (const [role, name] of map) addNamed(found, find, role, name)
  if (columns !== undefined) {
    const used = new Set([
      ...found.roles.values(),
      ...[...found.joined.values()].flat(),
      ...columnsOf(found, find, 'columns', columns),
    ])
    for (const at of header.keys()) if (!used.has(at)) found.ignored.add(at)
  }
  for (const at of columnsOf(found, find, 'ignore', ignore)) found.ignored.add(at)
  header.forEach((name, at) => {
    if (name.trim() === '' || REJECT_COLUMNS.some((column) => column === name)) found.ignored.add(at)
  })
  return found
}

/**
 * Returns what the user said of each of several files: what names a column that only others of them have, says nothing of
 * a file. Of `columns` a file has to have one.
 */
export const optionsByFile = (
  headers: readonly (readonly string[])[],
  options: ImportOptions,
): readonly ImportOptions[] => {
  const finders = headers.map(columnFinder)
  return finders.map((own) => {
    const isMeant = (has: (find: FindColumns) => boolean): boolean => has(own) || !finders.some(has)
    const isOfFile = (name: string): boolean => isMeant((find) => find(name).length > 0)
    const isMapped = ([role, name]: readonly [Role, string]): boolean =>
      isMeant((find) => namesOfRole(find, role, name).every((part) => find(part).length > 0))
    const columns = options.columns?.filter(isOfFile)
    return {
      ...options,
      map: new Map([...options.map].filter(isMapped)),
      ignore: options.ignore.filter(isOfFile),
      columns: columns?.length === 0 ? options.columns : columns,
    }
  })
}

/** Returns the flag that gives all rows what a column would. */
const flagOf = (role: string): string => `--${role.replaceAll('_', '-')}`

/** Says that no column is a role; the one that is nearly called so, or the only one left that may be it, is shown. */
const lackingText = (
  role: string,
  found: HeaderFindings<string>,
  hasFlag: boolean,
  mayBe: (at: number, role: string) => boolean,
): string => {
  const [only, ...more] = unassignedColumns(found)
    .filter((at) => mayBe(at, role))
    .map((at) => found.header[at]?.trim() ?? '')
  const meant = nearest(role, found.header) ?? (more.length === 0 ? only : undefined) ?? 'COLUMN'
  const flag = hasFlag ? ` or ${flagOf(role)}` : ''
  return `no column is the ${role}; give one with ${mapFlag(role, meant)}${flag}`
}

/** Returns the faults of roles that a flag and a column give, of which the column would be ignored silently. */
export const faultsOfTwice = (found: HeaderFindings<string>, given: Iterable<string>): Issue[] =>
  [...given]
    .filter((role) => found.roles.has(role))
    .map((role) => ({
      field: role,
      message: `is given by ${flagOf(role)} and by the column "${found.header[found.roles.get(role) ?? 0]}"; leave one out (--ignore)`,
    }))

/** Returns the faults of roles that every row needs, some of which have no flag, and of those that are given twice. */
export const faultsOfNeeded = (
  found: HeaderFindings<string>,
  needed: readonly string[],
  constants: ReadonlyMap<string, string>,
  withoutFlag: readonly string[] = [],
  mayBe: (at: number, role: string) => boolean = () => true,
): Issue[] => {
  const lacking = needed.filter((role) => !found.roles.has(role) && !constants.has(role))
  return [
    ...lacking.map((role) => ({ field: role, message: lackingText(role, found, !withoutFlag.includes(role), mayBe) })),
    ...faultsOfTwice(found, constants.keys()),
  ]
}

/** Refuses a header of which it is not clear what some columns are. */
export const requireClear = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw new KpiError('malformed', 'the header does not say what each column is', { issues })
}
