import { KpiError } from '../../domain/errors.ts'
import { isLoopback } from './base-url.ts'

/** Matches the beginning of an address, of any kind: a letter and a colon are a drive of Windows. */
const SCHEME = /^\s*(?:https?:|[a-z][a-z\d+.-]+:\/\/)/i
/** Matches what may hold a secret in an address: a user and a password, and all behind a question mark or a #. */
const SECRET_PARTS = /(?<=\/\/)[^/?#]*@|[?#][^]*/g

/** Tells whether a text is meant as an address, and not as a file or a pattern of files. */
export const isAddress = (text: string): boolean => SCHEME.test(text)

/** Returns an address as it may be shown: its query, its user and what is behind a # may hold secrets. */
export const shownAddress = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`

/** Says which program reads what this one does not. */
export const ELSEWHERE = 'download the file with another program, and name that'

const PLAIN = 'it is not HTTPS, so anybody on the way could change the file; name an https: address'

/** Refuses addresses that are not safe to read from. */
export const requireSafeAddress = (address: URL): void => {
  const isSafe = address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address))
  if (!isSafe) throw new KpiError('malformed', `cannot read ${shownAddress(address)}: ${PLAIN}`)
  if (address.username !== '' || address.password !== '') {
    throw new KpiError(
      'malformed',
      `cannot read ${shownAddress(address)}: an address with a user and a password is not read, as others can see it; ${ELSEWHERE}`,
    )
  }
}

/** Returns the name of what is read as it may be shown: an address without its secrets, a file as it is. */
export const shownSource = (text: string): string => {
  if (!isAddress(text)) return text
  const address = URL.parse(text)
  return address ? shownAddress(address) : text.trim().replaceAll(SECRET_PARTS, '')
}

/** Sets the shortest value of a query that is looked for by itself: shorter ones stand in messages by chance. */
const SHORTEST_VALUE = 12

/** Returns the parts of an address that may be secrets; a user is one where there is no password. */
export const secretsOf = (text: string): readonly string[] => {
  if (!isAddress(text)) return []
  const address = URL.parse(text)
  if (!address) return (text.match(SECRET_PARTS) ?? []).map((part) => part.replaceAll(/^[?#]|@$/g, ''))
  const { username, password, search, hash, searchParams } = address
  const values = [...searchParams.values()].filter(({ length }) => length >= SHORTEST_VALUE)
  return [password || username, search.slice(1), hash.slice(1), ...values]
}
