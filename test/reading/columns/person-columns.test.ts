import { describe, expect, test } from 'vitest'
import { createDirectory } from '../../../src/client/directory.ts'
import { planColumns } from '../../../src/reading/columns/columns.ts'
import { CREATABLE, type ImportOptions } from '../../../src/reading/options/options.ts'
import { type Lookup, PROVISIONAL_ID } from '../../../src/reading/directory/lookup.ts'
import { headingWith } from '../../support/heading.ts'
import { optionsOf } from '../../support/import.ts'

/** Things of which none exists yet, and any is created. */
const nothing = (what: string): Lookup => ({
  ...createDirectory(what, []),
  create: (name: string) => ({ id: PROVISIONAL_ID, name }),
})

const create = { kinds: new Set(CREATABLE) }

/** Returns what the columns of a file with one row are, by their names. */
const rolesIn = (columns: Readonly<Record<string, string>>, options: Partial<ImportOptions> = {}) => {
  const header = [...Object.keys(columns), 'Date', 'Visits']
  const heading = headingWith(header, [[...Object.values(columns), '2026-03-01', '12.5']])
  const { roles } = planColumns(heading, optionsOf({ create, ...options }), {
    kpi: nothing('KPI'),
    user: nothing('user'),
    source: nothing('breakdown item'),
    takesSources: true,
  })
  const nameOf = (role: 'user' | 'name' | 'email') => header[roles.get(role) ?? -1]
  return { user: nameOf('user'), name: nameOf('name'), email: nameOf('email') }
}

/** Ways to name a column of somebody's addresses, in the languages whose columns are known. */
const OF_SOMEBODY: readonly ((who: string) => string)[] = [
  (who) => `${who} E-mail`,
  (who) => `${who}_email`,
  (who) => `${who} Email Address`,
  (who) => `${who}-E-Mail-Adresse`,
  (who) => `${who}email`,
  (who) => `${who}Email`,
  (who) => `E-Mail (${who})`,
  (who) => `E-mail of the ${who}`,
  (who) => `E-Mail des ${who}`,
  (who) => `Courriel du ${who}`,
  (who) => `Adresse e-mail de l’${who}`,
  (who) => `Correo electrónico del ${who}`,
  (who) => `Indirizzo e-mail del ${who}`,
  (who) => `E-mail do ${who}`,
  (who) => `E-mailadres van ${who}`,
  (who) => `E-post ${who}`,
  (who) => `Adres e-mail ${who}`,
]

const USERS = [
  'Employee',
  'User',
  'Person',
  'Mitarbeiter',
  'Benutzer',
  'Employé',
  'Salarié',
  'Usuario',
  'Empleado',
].concat(['Dipendente', 'Utente', 'Empregado', 'Medewerker', 'Medarbetare', 'Pracownik'])

const OTHERS = ['Manager', 'Supervisor', 'Contact', 'Customer', 'Private', 'Reporter', 'Boss', 'Vorgesetzter', 'Kunde']
  .concat([
    'Ansprechpartner',
    'Responsable',
    'Supérieur',
    'Cliente',
    'Jefe',
    'Responsabile',
    'Gerente',
    'Leidinggevende',
  ])
  .concat(['Klant', 'Chef', 'Kund', 'Kierownik', 'Klient', 'Team', 'Employee Manager', 'Руководитель'])

describe('a column of addresses beside that of users', () => {
  const beside = (header: string, user = 'Employee') =>
    rolesIn({ [user]: 'Ann Lee', Team: 'North', [header]: 'max@x.de' }, { ignore: ['Team'] })

  test.each([
    'Mail',
    'E-Mail-Adresse',
    'Mailadresse',
    'Email ID',
    'Courriel',
    'Correo',
    'E-post',
    'Email address',
    'Work email',
    'Courriel professionnel',
  ])('is theirs if it says nothing of whom it is: %s', (header) => {
    expect(beside(header)).toEqual({ user: 'Employee', name: undefined, email: header })
  })

  test.each(USERS)('is theirs if its other words are for users: %s', (who) => {
    for (const nameFor of OF_SOMEBODY)
      expect(beside(nameFor(who))).toMatchObject({ user: 'Employee', email: nameFor(who) })
  })

  test.each(OTHERS)('is nobody’s if it has another word: %s', (who) => {
    const taken = OF_SOMEBODY.map((nameFor) => beside(nameFor(who)).email)
    expect(taken).toEqual(taken.map(() => undefined))
  })

  test.each(OTHERS)('is theirs if both have the same other word: %s', (who) => {
    const columns = { [who]: 'Ann Lee', [`${who} e-mail`]: 'max@x.de', Employee: 'Bo Oh', 'Employee mail': 'bo@x.de' }
    expect(rolesIn(columns, { map: new Map([['user', who]]) }).email).toBe(`${who} e-mail`)
  })

  test('is found beside those of others', () => {
    const columns = { Employee: 'Ann Lee', 'Employee Email': 'ann@x.de', Manager: 'Max', 'Manager Email': 'max@x.de' }
    expect(rolesIn(columns)).toEqual({ user: 'Employee', name: undefined, email: 'Employee Email' })
    expect(rolesIn({ ...columns, 'E-mail': 'ann@x.de' })).toMatchObject({ user: 'E-mail', name: 'Employee' })
  })
})

describe('a column of names beside addresses that are the user', () => {
  test('is theirs if it speaks of nobody else', () => {
    const columns = { Employee: 'Ann Lee', Manager: 'Max', 'Manager Email': 'max@x.de' }
    const map = new Map([['user', 'Manager Email']] as const)
    expect(rolesIn(columns, { map })).toMatchObject({ name: undefined })
    expect(rolesIn({ ...columns, Name: 'Max Boss' }, { map, ignore: ['Employee'] })).toMatchObject({ name: 'Name' })
  })

  test('is asked about if it has a name for users that may be of somebody else', () => {
    expect(() => rolesIn({ Employee: 'Ann Lee', Reporter: 'max@x.de' })).toThrow(/does not say what each column is/)
    expect(rolesIn({ Employee: 'Ann Lee', User: 'ann@x.de' })).toMatchObject({ user: 'User', name: 'Employee' })
  })
})
