import { IDS } from './ids.ts'
import { isClassicPath, isOfPeople, isWrite, lineOf } from './line.ts'
import { NEWER_SHAPES, type Row } from './row.ts'
import { stringsOf } from './strings.ts'

/** What the newer variant tells where a row is concerned; undefined where it is not. */
export type Newer = (row: Row) => Row | undefined

/** A row that is refused: its question stays, of what was told only what is given. */
const refused = (row: Row, status: number, told: Pick<Row, 'faults' | 'sends'> = {}): Row => {
  const { of: _of, tells: _tells, count: _count, faults: _faults, says: _says, sends: _sends, after: _, ...asked } = row
  return { ...asked, status, ...told }
}

const sending = (row: Row, name: string, told: string): Row => ({ ...row, sends: { ...row.sends, [name]: told } })

const withoutLocation = ({ sends = {} }: Row): NonNullable<Row['sends']> => {
  const { location: _, ...rest } = sends
  return rest
}

/** Credentials, limits and sizes come before everything else, and so does what is wrong with the service. */
const isTurnedAway = ({ status, from }: Row): boolean =>
  [401, 413, 414].includes(status) || (from !== undefined && from !== 'counted')

/** What is refused for its path or its method is not looked at any further. */
const isRead = (row: Row): boolean => !isTurnedAway(row) && ![404, 405].includes(row.status)

/** A key instead of a login name and a token. `login` names the owner of the key. */
export const withKey: Newer = (row) => {
  if (row.status === 401) return sending(row, 'www-authenticate', 'Bearer')
  return row.login === undefined ? undefined : row
}

/** A host that names another account says nothing. */
export const onAnyHost: Newer = (row) =>
  row.headers?.['host'] === undefined || row.status !== 401 ? undefined : { ...row, status: 200, of: 'ArrayOfKPI' }

/** Paths that are not there. */
export const withoutClassicPaths: Newer = (row) =>
  isClassicPath(lineOf(row).path) && !isTurnedAway(row) ? refused(row, 404) : undefined

const READ_ONLY = 'GET, HEAD, OPTIONS'

/** Users are listed and shown. */
export const withUsersReadOnly: Newer = (row) => {
  if (!isOfPeople(lineOf(row).path) || isTurnedAway(row)) return undefined
  if (isWrite(row)) return refused(row, 405, { sends: { ...withoutLocation(row), allow: READ_ONLY } })
  return row.sends?.['allow'] === undefined ? undefined : sending(row, 'allow', READ_ONLY)
}

/** JSON is sent, and taken. */
export const inJson: Newer = (row) => {
  if (!isRead(row)) return undefined
  const { 'content-type': type = row.only === 'xml' ? 'application/xml' : '', accept = '' } = row.headers ?? {}
  if (accept !== '' && !/json|\*\/\*/.test(accept)) return refused(row, 406)
  return type.includes('xml') ? refused(row, 415) : undefined
}

/** Numbers and booleans are no text. */
export const withStrictTypes: Newer = (row) => {
  const strings = stringsOf(row)
  if (strings.length === 0 || !isRead(row) || row.status > 400) return undefined
  const faults = [...new Set([...strings, ...(row.faults ?? [])])]
  return faults.length === row.faults?.length ? undefined : refused(row, 422, { faults })
}

const MANDATORY = ['category_id', 'aggregate_function']

/** A KPI is made with a category and an aggregate function. */
export const withAllMandatory: Newer = (row) => {
  const { method, path } = lineOf(row)
  const { body, faults = [], status } = row
  const missing = MANDATORY.filter((field) => body && !(field in body))
  if (method !== 'POST' || path !== '/kpis' || missing.length === 0 || isTurnedAway(row)) return undefined
  return status === 201 || faults.length > 0 ? refused(row, 422, { faults: [...faults, ...missing] }) : undefined
}

/** Fields that fail their rules. */
export const withFieldFaults: Newer = (row) => (row.status === 400 && row.faults ? { ...row, status: 422 } : undefined)

/** An Idempotency-Key that came with another body: of those rows the one that is refused on account of the one before. */
export const withReusedKey: Newer = (row) => {
  const { status, headers, before, faults } = row
  const isReused = status === 400 && headers?.['idempotency-key'] !== undefined && before && !faults
  return isReused ? { ...row, status: 422 } : undefined
}

/** Too many requests, or too many wrong credentials. */
export const withLimitOfItsOwn: Newer = (row) =>
  row.from === 'limited' && row.status === 403 ? { ...row, status: 429 } : undefined

/** A POST that finds its entry there. */
export const withUpdatingPost: Newer = (row) => {
  const { method, path } = lineOf(row)
  const { id = NaN }: { id?: number } = row.tells ?? {}
  if (method !== 'POST' || path !== '/kpientries' || row.status !== 201 || id >= IDS.NEW_ENTRY) return undefined
  return { ...row, status: 200, sends: withoutLocation(row) }
}

const withItem = (told: object): object => ('user_id' in told ? { source_id: told.user_id, ...told } : told)

/** Entries show their breakdown item; that of a person has the id of the user. */
export const withSources: Newer = (row) => {
  const { of = '', tells, after } = row
  if (!of.endsWith('KPIEntry')) return undefined
  return {
    ...row,
    shape: NEWER_SHAPES.KPIEntry,
    ...(tells && { tells: Array.isArray(tells) ? tells.map(withItem) : withItem(tells) }),
    ...(after && typeof after[1] === 'object' && { after: [after[0], withItem(after[1])] as const }),
  }
}

/** Breakdown items are there: four people's, and those of the group. */
export const withBreakdownItems: Newer = (row) =>
  lineOf(row).path === '/breakdownitems' && row.status === 404
    ? { ...row, status: 200, of: 'ArrayOfBreakdownItem', count: 6 }
    : undefined

/** Paths begin with `/v1`. */
export const belowV1: Newer = (row) => {
  const location = row.sends?.['location']
  return typeof location === 'string' ? sending(row, 'location', location.replace('/api/', '/v1/')) : undefined
}

/** Refusals are problem details. */
export const withProblems: Newer = (row) => (row.status >= 400 ? { ...row, problem: true } : undefined)
