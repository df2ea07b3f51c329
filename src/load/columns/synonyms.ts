import { type Role, ROLES } from '../options.ts'

const list = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(', '))

/** Periods, each of which stands for its first day. Years are none: what is called so is a part of a date in most files. */
const PERIODS = list(
  'month, week, quarter, year month, calendar week',
  'monat, woche, kalenderwoche, kw, quartal, mois, semaine, trimestre, mes, semana, mese, settimana, mês',
  'maand, kwartaal, månad, vecka, kvartal, miesiąc, tydzień, kwartał, okres',
)

/**
 * What the columns of a file may be called, written in any case, with or without accents, with spaces, underscores or
 * dashes between words: in English, then in German, French, Spanish, Italian, Portuguese, Dutch, Swedish and Polish.
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
    'date, entry date, entrydate, day, period',
    'datum, tag, zeitraum, periode, jour, période, fecha, día, período, data, giorno, periodo, dia, dag, dzień',
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
}

/**
 * What columns are often called that hold the names of persons, and as often those of other things: such a column is asked
 * about, and not taken for that of the user unasked.
 */
const MAY_BE_PERSONS = list(
  'name, full name, display name, first and last name, vollständiger name, vor und nachname, nom, nom complet',
  'prénom et nom, nom et prénom, nombre, nombre completo, nombre y apellidos, nome, nome completo, nome e cognome',
  'nome e sobrenome, naam, volledige naam, namn, fullständigt namn, imię i nazwisko, nazwisko i imię, nazwisko',
)

/** A header as it is compared with others. */
export const foldName = (header: string): string =>
  header
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[\s_-]+/g, ' ')

const roles = new Map(ROLES.flatMap((role) => SYNONYMS[role].map((name) => [foldName(name), role] as const)))

const periods = new Set(PERIODS.map(foldName))

/** Whether a column is called like a month, week or quarter, which may stand beside a date that lies in it. */
export const isPeriodName = (name: string): boolean => periods.has(foldName(name))

const persons = new Set(MAY_BE_PERSONS.map(foldName))

/** Whether a column may hold persons by its name, though it may as well hold something else. */
export const mayBePersons = (name: string): boolean => persons.has(foldName(name))

/** The role that a column is called like. */
export const roleOf = (name: string): Role | undefined => roles.get(foldName(name))
