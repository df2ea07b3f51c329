import { foldName, mayBePersons, SYNONYMS } from './header.ts'

const list = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(', ')).map(foldName))

/** Lists the names of columns for first names, which may also be whole names in Spanish and Portuguese. */
export const FIRST_NAMES = list(
  'first name, firstname, first, given name, forename, vorname, prénom, nombre, nome, nome próprio, voornaam, förnamn',
  'imię, имя',
)

/** Lists the names of columns for last names; in French and Polish these may also be whole names. */
export const LAST_NAMES = list(
  'last name, lastname, last, surname, family name, nachname, familienname, nom, nom de famille, apellido, apellidos',
  'cognome, sobrenome, apelido, achternaam, efternamn, nazwisko, фамилия',
)

/** Lists the words that say in a column's name that it holds e-mail addresses. */
const ADDRESS_WORDS = list(
  'email, emails, e, mail, mails, mailadresse, emailadresse, id, address, addresses, adresse, adressen, adress, adres, adresa',
  'courriel, courrier, mel, électronique, correo, correos, dirección, electrónico, electrónica, posta, indirizzo, elettronica',
  'elettronico, correio, endereço, eletrônico, eletrónico, eletrônica, emailadres, mailadres, epost, post, epostadress, postadress',
  'mejl, mejladress, poczta, elektroniczny, poczty, elektronicznej, почта, почты, электронная, электронной, эл, адрес',
)
/** Tells whether a column is named for e-mail addresses, and nothing else. */
export const namesAddresses = (header: string): boolean =>
  foldName(header)
    .split(' ')
    .every((word) => ADDRESS_WORDS.has(word))

/** Lists the words that join others in names of columns, and say nothing by themselves. */
const PARTICLES = list(
  'of, the, s, der, die, das, des, dem, vom, von, de, du, la, le, l, d, el, del, di, della, dell, dello, do, da, van, het, av, för',
)
/** Lists the words for an address at work, which is that of the person whose row it is. */
const WORK_WORDS = list(
  'work, business, office, company, corporate, dienstlich, dienstliche, geschäftlich, geschäftliche, firma, firmen, arbeit',
  'professionnel, professionnelle, pro, trabajo, empresa, lavoro, aziendale, trabalho, werk, zakelijk, zakelijke, jobb, służbowy',
)
const NAME_WORDS = list('name, names, namen, nom, nombre, nome, naam, namn')

/** Lists the names of columns that are the user by themselves; who reports something may do so for somebody else. */
const USERS = new Set(SYNONYMS.user.map(foldName).filter((name) => name !== 'reporter'))

/** Matches what stands at the end of a word, behind whose address or name it is: `Mitarbeitermail`, `Benutzername`. */
const ENDS = /(?<=\p{L}{3})(?:e?mail(?:adress?e?)?|epost(?:adress)?|mejl(?:adress)?|name)$/u

const isOfUser = (word: string): boolean => USERS.has(word) || USERS.has(word.replace(/s$/, ''))

/** Names a user without saying which. */
const USER = 'user'

/**
 * Returns whom a column's name speaks of, without its words for names and addresses: `user` for all names of users, and
 * an empty text if it speaks of nobody, as Name and E-mail do.
 */
const personIn = (header: string): string => {
  const folded = foldName(header)
  if (FIRST_NAMES.has(folded) || LAST_NAMES.has(folded) || mayBePersons(header)) return ''
  const words = foldName(header.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
  const isPlain = (word: string): boolean => ![ADDRESS_WORDS, PARTICLES, WORK_WORDS].some((words) => words.has(word))
  const left = words.filter(isPlain).map((word) => (USERS.has(word) ? word : word.replace(ENDS, '')))
  if (isOfUser(left.join(' '))) return USER
  const person = left.filter((word) => !NAME_WORDS.has(word)).join(' ')
  return isOfUser(person) ? USER : person
}

/**
 * Tells whether a column of addresses is of the person of other columns, by its name: it speaks of nobody else. Manager
 * E-mail is not of the Employee, nor is Private e-mail.
 */
export const isAddressOf = (header: string, others: readonly string[]): boolean => {
  const person = personIn(header)
  return person === '' || others.map(personIn).every((of) => of === person || (of === '' && person === USER))
}

/** Tells whether a column of names is of the person of another column, of addresses: one of them speaks of nobody else. */
export const isNameOf = (header: string, address: string): boolean =>
  isAddressOf(header, [address]) || isAddressOf(address, [header])
