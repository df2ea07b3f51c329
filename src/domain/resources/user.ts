import { type Draft, resource, type Stored } from '../schema.ts'

export const user = resource({
  name: 'user',
  plural: 'users',
  title: 'user',
  root: 'User',
  path: '/users',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  removal: 'with their assignments, links to group items and keys',
  brief: ['id', 'first_name', 'last_name', 'email', 'user_type', 'user_status_id'],
  fields: {
    id: { kind: 'integer', about: 'Id of the user', readOnly: true, example: 2 },
    user_type: {
      kind: 'choice',
      about: 'Role in the application',
      required: true,
      oneOf: ['Admin', 'Director', 'Manager', 'User'],
      usual: 'User',
      example: 'User',
      called: 'role, type, rolle, typ, rôle, rol, ruolo',
    },
    user_status_id: {
      kind: 'choice',
      about: 'A active or L locked: a locked user reports nothing and cannot log in',
      required: true,
      oneOf: ['A', 'L'],
      words: ['active', 'locked'],
      usual: 'A',
      called: 'status, state, statut, estado, stato',
    },
    first_name: {
      kind: 'text',
      about: 'First name',
      required: true,
      max: 50,
      example: 'Ann',
      called: 'given name, forename, vorname, prénom, nombre, nome, voornaam, förnamn, imię',
    },
    last_name: {
      kind: 'text',
      about: 'Last name',
      nullable: true,
      max: 50,
      example: 'Lee',
      called:
        'surname, family name, nachname, familienname, nom de famille, apellido, apellidos, cognome, sobrenome, achternaam, efternamn, nazwisko',
    },
    email: {
      kind: 'text',
      about: 'E-mail address, the login name',
      required: true,
      max: 150,
      form: { matches: /^[^\s@,;<>"]+@[^\s@,;<>"]+$/, says: 'an e-mail address' },
      example: 'ann@example.com',
      called:
        'e mail, mail, email address, e mail address, mail address, login, login name, e mail adresse, mailadresse, adresse e mail, courriel, correo, correo electrónico, e postadress',
    },
    password: {
      kind: 'text',
      about: 'First password; taken on create only and never shown',
      nullable: true,
      max: 20,
      secret: true,
    },
    can_manage_users: { kind: 'boolean', about: 'May manage users in the application', fallback: false },
    can_admin_settings: { kind: 'boolean', about: 'May change settings in the application', fallback: false },
    last_login_at: { kind: 'datetime', about: 'Last login to the application', readOnly: true, nullable: true },
    last_password_changed_at: { kind: 'datetime', about: 'Last change of password', readOnly: true, nullable: true },
    created_at: { kind: 'datetime', about: 'When the user was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When the user was last changed', readOnly: true },
  },
})

export type User = Stored<typeof user>
export type UserDraft = Draft<typeof user>

/** Tells whether a text is an e-mail address. */
export const isEmailAddress = (text: string): boolean => user.fields.email.form.matches.test(text)

/** Returns the first and last name. */
export const fullName = (of: Pick<User, 'first_name' | 'last_name'>): string =>
  [of.first_name, of.last_name].filter((name) => name !== null && name !== '').join(' ')
