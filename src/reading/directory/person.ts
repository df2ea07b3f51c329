import { whyNoName } from '../../changes/names/doubtful-names.ts'
import { Fault } from '../../domain/errors.ts'
import { checkText } from '../../domain/field-value.ts'
import { withoutAccents } from '../../domain/name-form.ts'
import { type PersonName, splitName } from '../../domain/person-name.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { isEmailAddress, user } from '../../domain/resources/user.ts'

/** Describes a person who is created: a name and an e-mail address. */
type Person = PersonName & { readonly email: string }

/** Describes what columns beside that of users say of one: the name of an address, or the address of a name. */
export type PersonDetails = { readonly name?: PersonName; readonly email?: string }

/** Lists letters that have no accent to take off, and what stands for them in addresses. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}

/** Returns a name as it stands in an e-mail address, words joined by dots; empty if it has letters of other scripts. */
const addressPart = (name: string): string => {
  const plain = withoutAccents(name.toLowerCase())
    .replaceAll(/[ßæœøđðþłı]/g, (letter) => LETTERS[letter] ?? letter)
    .replaceAll(/['’`.,]/g, ' ')
    .trim()
  return /^[a-z0-9 -]+$/.test(plain) ? plain.split(/ +/).join('.') : ''
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Returns the name that an address suggests: `ann.lee@example.com` is Ann Lee. */
const nameOfAddress = (address: string): string =>
  address
    .slice(0, address.indexOf('@'))
    .split(/[._-]+/)
    .filter((word) => word !== '')
    .map(capitalize)
    .join(' ')

const fillPattern = (pattern: string, { first_name, last_name }: PersonName): string | Fault => {
  const [first, last] = [addressPart(first_name), addressPart(last_name ?? '')]
  const name = [first, last].filter((part) => part !== '').join('.')
  if (first === '' || (last_name !== null && last === '')) {
    return new Fault('has letters that an e-mail address cannot hold; give the address in the file instead of the name')
  }
  return pattern
    .replaceAll('{name}', name)
    .replaceAll('{first}', first)
    .replaceAll('{last}', last === '' ? first : last)
    .replaceAll('{initial}', first.charAt(0))
}

/** Returns the fault of a field that is too long, or not written as it must be; an address may stand for no value. */
const faultOfPerson = (person: Person): Fault | undefined => {
  for (const name of ['first_name', 'last_name', 'email'] as const) {
    const checked = checkText(user.fields[name], person[name] ?? '')
    if (!(checked instanceof Fault)) continue
    const isNone = name === 'email' && isNoName(person.email)
    return new Fault(
      isNone ? `e-mail address "${person.email}" ${whyNoName(person.email)}` : `${name} ${checked.message}`,
    )
  }
  return undefined
}

const NO_ADDRESS =
  "a new user needs an e-mail address: --map email=COLUMN takes it from a column, --email-pattern '{name}@example.com' makes one, --as items makes the names breakdown items"

/** Returns the address of a new user: what the file calls the user by, or says of the user, or what the pattern makes. */
const addressOf = (
  text: string,
  { email }: PersonDetails,
  name: PersonName,
  pattern: string | undefined,
): string | Fault | undefined => {
  if (isEmailAddress(text)) return text
  return email ?? (pattern === undefined ? undefined : fillPattern(pattern, name))
}

/**
 * Returns the person with a name, or with an e-mail address, who can be created as a user; a fault says what to do
 * about it.
 */
export const personOf = (
  text: string,
  emailPattern: string | undefined,
  details: PersonDetails = {},
): Person | Fault => {
  const name = details.name ?? splitName(isEmailAddress(text) ? nameOfAddress(text) || text : text)
  const email = addressOf(text, details, name, emailPattern)
  if (email === undefined) return new Fault(`there is no user "${text}", and ${NO_ADDRESS}`)
  if (email instanceof Fault) return new Fault(`"${text}" cannot become a user: it ${email.message}`)
  const person = { ...name, email }
  const fault = faultOfPerson(person)
  return fault ? new Fault(`"${text}" cannot become a user: its ${fault.message}`) : person
}
