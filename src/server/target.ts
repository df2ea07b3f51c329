const UNRESERVED = /^[A-Za-z0-9._~-]$/

/** A path in which letters and digits stand as themselves, however they were sent. An escaped slash stays one. */
const decodeUnreserved = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return UNRESERVED.test(character) ? character : escape
  })

/** What a request asks for: the path and query, and the host where the target names it. */
export type Target = { readonly target: string; readonly host: string | undefined }

/** Reads the target of a request line, which may be a whole URL (RFC 9112, section 3.2). */
export const readTarget = (text: string): Target => {
  const [origin, authority] = /^https?:\/\/([^/?#]*)/i.exec(text) ?? []
  const rest = text.slice(origin?.length ?? 0)
  const form = origin === undefined || rest.startsWith('/') ? rest : `/${rest}`
  const end = form.indexOf('?')
  const [path, query] = end < 0 ? [form, ''] : [form.slice(0, end), form.slice(end)]
  return { target: decodeUnreserved(path) + query, host: authority?.replace(/^.*@/, '') }
}

/** A host name or address, with a port or without. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/** Whether a text can stand in a Host header. */
export const isHost = (text: string): boolean => HOST.test(text)
