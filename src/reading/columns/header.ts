import { isWithin, looseName } from '../../client/directory.ts'
import type { Issue } from '../../domain/errors.ts'
import { withoutAccents } from '../../domain/name-form.ts'
import { type Role, ROLES } from '../options/options.ts'
import { memoize } from '../formats/date-format.ts'
import { DATE_PARTS, type DatePart, DAY_WORDS, PART_WORDS, PERIOD_WORDS } from '../formats/date-words.ts'

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

/**
 * Lists names of columns that often hold persons, and as often something else: the import asks about such a column, and
 * does not take it for the user by itself.
 */
const MAY_BE_PERSONS = list(
  'name, full name, display name, first and last name, vollständiger name, vor und nachname, nom, nom complet',
  'prénom et nom, nom et prénom, nombre, nombre completo, nombre y apellidos, nome, nome completo, nome e cognome',
  'nome e sobrenome, naam, volledige naam, namn, fullständigt namn, imię i nazwisko, nazwisko i imię, nazwisko',
)

/** Returns a header in the form in which names are compared, without accents. */
export const foldName = memoize((header) => withoutAccents(looseName(header)))

const roles = new Map(ROLES.flatMap((role) => SYNONYMS[role].map((name) => [foldName(name), role] as const)))

const periods = new Set(PERIODS.map(foldName))

/** Tells whether a column is named for a month, week or quarter, which may stand beside a date within it. */
export const isPeriodName = (name: string): boolean => periods.has(foldName(name))

const dateParts = new Map(DATE_PARTS.flatMap((part) => PART_WORDS[part].map((name) => [foldName(name), part] as const)))

/** Returns the part of a date that a column is named for. */
export const datePartOf = (name: string): DatePart | undefined => dateParts.get(foldName(name))

const persons = new Set(MAY_BE_PERSONS.map(foldName))

/** Tells whether a column's name suggests persons, though it may as well hold something else. */
export const mayBePersons = (name: string): boolean => persons.has(foldName(name))

const findRole = memoize((name) => roles.get(foldName(name)) ?? null)

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

/** Adds the columns of the given roles by their names, unless the user has named others. */
export const recognizeColumns = (found: HeaderFindings, wanted: readonly Role[]): void => {
  const { header, roles, issues, doubts } = found
  if (isReport(header)) recognizeReport(found, wanted)
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
