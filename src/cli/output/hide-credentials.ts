const HIDDEN = '…'

/** Ends the names of fields and parameters whose values are credentials, and is part of the names of such headers. */
const SECRET_NAME = String.raw`(?:password|passwd|passphrase|secret|token|credentials?|authorization|cookie|api[-_]{0,2}key|private[-_]?key|signature|session)`

/** Matches names of headers whose values are credentials. */
const SECRET_HEADER = new RegExp(SECRET_NAME, 'i')

/** Matches such a field in JSON with its value; of a list or an object, all that follows. A cut text may end in it. */
const SECRET_FIELD = new RegExp(
  String.raw`("[\w-]{0,40}${SECRET_NAME}"\s{0,9}:\s{0,9})(?:"(?:[^"\\]|\\[^])*(?:"|$)|[{[][^]*|[^\s",}\]]+)`,
  'gi',
)
/** Matches a field `key` in JSON whose value is a text, as in the answer to the creation of an API key. */
const KEY_FIELD = /("key"\s{0,9}:\s{0,9})"(?:[^"\\]|\\[^])*(?:"|$)/gi
/** Matches such a parameter of a query or a form. */
const SECRET_PARAMETER = new RegExp(
  String.raw`((?:^|[?&;])[\w-]{0,40}(?:${SECRET_NAME}|\bkey|\bsig)=)[^&;\s"'<>]+`,
  'gi',
)
/** Matches the user and the password in an address. */
const USERINFO = /(\/\/)[^/\s@"'<>]{1,300}@/g

/** Removes the values of fields and parameters that hold credentials, by their names, and users from addresses. */
export const hideFields = (text: string): string =>
  text
    .replaceAll(SECRET_FIELD, `$1"${HIDDEN}"`)
    .replaceAll(KEY_FIELD, `$1"${HIDDEN}"`)
    .replaceAll(SECRET_PARAMETER, `$1${HIDDEN}`)
    .replaceAll(USERINFO, `$1${HIDDEN}@`)

/** Returns the value of a header that holds credentials: its scheme alone, where it has one. */
const schemeOf = (value: string): string => {
  const [, scheme] = /^(basic|bearer|digest|negotiate) /i.exec(value) ?? []
  return scheme === undefined ? HIDDEN : `${scheme} ${HIDDEN}`
}

/** Returns headers as they may be shown, several of one name in one line. */
export const hideHeaders = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  hide: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, given = '']) => {
      const value = [given].flat().join(', ')
      return [name, SECRET_HEADER.test(name) ? schemeOf(value) : hide(value)]
    }),
  )
