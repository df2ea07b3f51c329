import { KpiError } from '../../domain/errors.ts'
import { isLoopback } from './base-url.ts'

/** Matches the beginning of an address, of any kind: a letter and a colon are a drive of Windows. */
const SCHEME = /^\s*(?:https?:|[a-z][a-z\d+.-]+:\/\/)/i
/** Matches where an address begins within a text; one without its scheme is one where it has a user. */
const BEGINS = /https?:|[a-z][a-z\d+.-]{1,30}:\/\/|\/\/(?=[^\s/?#@"'`<>]{1,300}@)/gi
/** Matches an address within a text, up to a blank, a quote, or the sign of a sentence before a blank. */
const IN_TEXT = new RegExp(String.raw`(?:${BEGINS.source})(?:[^\s"'\`<>:;,.]|[:;,.](?!\s|$))*`, 'gi')
/** Matches a word of a text as far as an address goes; see `IN_TEXT`. */
const WORD = /(?:[^\s"'`<>:;,.]|[:;,.](?!\s|$))+/g
/**
 * Matches a host and the beginning of its path, in what is before a question mark: a name with a dot or a port, or what
 * is left of a scheme. In the middle of a path, it is a folder.
 */
const HOST = /(?:^|[^\w.:/-]|^\.\/)(?:https?[:;]?\/|\/\/|(?:[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d+)?\/)/i
/** Matches what may hold a secret in an address: a user and a password, and all behind a question mark, a # or `;name=`. */
const SECRET_PARTS = /(?<=\/\/)[^/?#]*@|[?#][^]*|;[\w.-]+=[^]*/g

/** Tells whether a text is meant as an address, and not as a file or a pattern of files. */
export const isAddress = (text: string): boolean => SCHEME.test(text)

const withoutSecrets = (address: string): string => address.replaceAll(SECRET_PARTS, '')

/** Returns an address as it may be shown: its query, its user and what is behind a # may hold secrets. */
export const shownAddress = ({ protocol, host, pathname }: URL): string =>
  withoutSecrets(`${protocol}//${host}${pathname}`)

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

/** Matches where a query of names and values begins, whatever is before it. */
const QUERY = /\?[\w.~%[\]-]+=/
/** Matches the extension of a data file: a question mark in its name begins no query. */
const FILE_END = /\.(?:csv|tsv|txt|xlsx?|xlsm|ods|json|ndjson|jsonl|db|sqlite|parquet|gz|bz2|zip|zst)$/i

/** Returns where a query of names and values begins; -1 if there is none. */
const queryAt = (text: string): number => (FILE_END.test(text) ? -1 : text.search(QUERY))

/** Matches where a query, or what may hold a secret like one, may begin. */
const QUERY_SIGN = /[?#;]/
/** Matches a query that is one word of some length, and not the rest of a pattern of files. */
const KEY_ALONE = /^\?[\w%+~-]{6,}$/
/** Matches the user and the password before a host, in an address without a scheme. */
const USER = /(?<![^\s/?#@"'`<>:])[^\s/?#@"'`<>:]{1,100}:[^\s/?#@"'`<>]{1,100}@(?=[\w.-]{1,100}(?::\d{1,5})?\/)/g

/** Returns the part of a word before the query of an address without a scheme; undefined if it is none. */
const beforeQuery = (word: string): string | undefined => {
  const before = word.slice(0, Math.max(0, word.search(QUERY_SIGN)))
  return HOST.test(before) ? before : undefined
}

/** Returns the index of what may be secret in an address without a scheme; -1 if there is nothing. */
const secretAt = (word: string): number => {
  const before = beforeQuery(word)
  const rest = before === undefined ? '' : word.slice(before.length)
  return rest.includes('=') || KEY_ALONE.test(rest) ? (before?.length ?? -1) : queryAt(word)
}

/** Returns a word as it may be shown: an address without its scheme may have a user, a query or another secret. */
const hideInWord = (word: string): string => {
  const at = secretAt(word)
  return (at === -1 ? word : word.slice(0, at)).replaceAll(USER, '')
}

/** Returns a text in which each address is as it may be shown. */
export const hideAddresses = (text: string): string =>
  text.replaceAll(IN_TEXT, withoutSecrets).replaceAll(WORD, hideInWord)

/** Tells whether a text seems to be an address that lacks its scheme, as it has what only addresses have. */
export const isBareAddress = (text: string): boolean => !isAddress(text) && hideAddresses(text) !== text

/** Returns the name of what is read as it may be shown: an address without its secrets, which may have blanks. */
export const shownSource = (text: string): string => {
  const at = queryAt(text)
  if (!isAddress(text)) return hideAddresses(at === -1 ? text : text.slice(0, at))
  const address = URL.parse(text)
  return address ? shownAddress(address) : withoutSecrets(text.trim())
}

/** Sets the shortest value of a query that is looked for by itself: shorter ones stand in messages by chance. */
const SHORTEST_VALUE = 12

/** Bounds how many addresses of a text are looked at. */
const MOST_ADDRESSES = 50

/** Returns the parts of an address that may be secrets; a user is one where there is no password. */
const secretsOfAddress = (text: string): readonly string[] => {
  const parts = (text.match(SECRET_PARTS) ?? []).map((part) => part.replaceAll(/^[?#;]|@$/g, ''))
  const address = URL.parse(isAddress(text) ? text : `https://${text.replace(/^\/+/, '')}`)
  if (!address) return parts
  const { username, password, search, hash, searchParams } = address
  const values = [...searchParams.values()].filter(({ length }) => length >= SHORTEST_VALUE)
  const named = parts.filter((part) => text.includes(`;${part}`))
  return [password || username, search.slice(1), hash.slice(1), ...values, ...named]
}

/** Yields where addresses may begin in a text, first those with a scheme. */
function* beginningsIn(text: string): Generator<number> {
  for (const { index } of text.matchAll(BEGINS)) yield index
  const end = text.lastIndexOf('=')
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const before = beforeQuery(word)
    const isCut = before !== undefined && index + before.length < end
    if (isCut || secretAt(word) !== -1 || word.search(USER) !== -1) yield index
  }
}

const firstBeginnings = (text: string): number[] => {
  const found: number[] = []
  for (const at of beginningsIn(text)) {
    if (found.length === MOST_ADDRESSES) break
    found.push(at)
  }
  return found
}

/** Sets how many characters of an address are looked at; services take no longer ones. */
const LONGEST_ADDRESS = 1 << 14

/** Returns the parts of the addresses in a text that may be secrets, up to the end of the text and of each address. */
export const secretsOf = (text: string): readonly string[] =>
  firstBeginnings(text).flatMap((index) => {
    const rest = text.slice(index, index + LONGEST_ADDRESS)
    const [address = rest] = rest.match(/^[^\s"'`<>,]+/) ?? []
    return [rest, address].flatMap(secretsOfAddress).filter((part) => part !== '')
  })
