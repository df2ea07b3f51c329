/** Matches what looks like a token or key of this service. */
const SECRET = /kpi_[a-z]+_[0-9a-z]{16,}(?:_[0-9a-z]+)?/gi

/** Returns a text without tokens and keys. */
export const withoutSecrets = (text: string): string => text.replaceAll(SECRET, 'kpi_…')

const HIDDEN = '…'
/**
 * Matches words short enough to show: the limit is above the longest word of the interface, and below the shortest
 * secret.
 */
const WORD = /^[\w.~-]{0,24}$/
const HARMLESS_VALUE = /^[\d\s,-]{0,200}$/

const shownWord = (text: string): string => (WORD.test(text) && !/kpi_/i.test(text) ? text : HIDDEN)

/** Returns a path for logs and messages, with `…` for each word that may be a secret. */
export const shownPath = (path: string): string => path.split('/').map(shownWord).join('/')

const shownQuery = (query: string): string =>
  [...new URLSearchParams(query)]
    .map(([name, value]) => `${shownWord(name)}=${HARMLESS_VALUE.test(value) ? value : HIDDEN}`)
    .join('&')

/**
 * Returns a target for logs. Short words of the path, short names of parameters, and values of ids, dates or numbers
 * stay; anything else may be a misplaced secret, and becomes `…`.
 */
export const shownTarget = (target: string): { readonly path: string; readonly query: string | undefined } => {
  const end = target.indexOf('?')
  return end < 0
    ? { path: shownPath(target), query: undefined }
    : { path: shownPath(target.slice(0, end)), query: shownQuery(target.slice(end + 1)) }
}

const UNRESERVED = /^[A-Za-z0-9._~-]$/

/** Returns a path with unreserved characters decoded. An escaped slash stays escaped. */
const decodeUnreserved = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return UNRESERVED.test(character) ? character : escape
  })

/** Describes the target of a request: path and query, and the host if the target is a whole URL. */
type Target = { readonly target: string; readonly host: string | undefined }

/** Reads the target of a request line, which may be a whole URL (RFC 9112, section 3.2). */
export const readTarget = (text: string): Target => {
  const [origin, authority] = /^https?:\/\/([^/?#]*)/i.exec(text) ?? []
  const rest = text.slice(origin?.length ?? 0)
  const form = origin === undefined || rest.startsWith('/') ? rest : `/${rest}`
  const end = form.indexOf('?')
  const [path, query] = end < 0 ? [form, ''] : [form.slice(0, end), form.slice(end)]
  return { target: decodeUnreserved(path) + query, host: authority?.replace(/^.*@/, '') }
}

/** Matches a host name or address, with or without a port. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/** Tells whether a text can be a Host header. */
export const isHost = (text: string): boolean => HOST.test(text)
