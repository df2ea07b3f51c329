import { Ambiguous } from '../../client/directory.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { listFlag, mapFlag } from '../options/flag-text.ts'
import { type Evidence, showCell } from '../formats/evidence.ts'
import { type ImportOptions, titleOfRole } from '../options/options.ts'
import type { Lookup } from '../directory/permissions.ts'
import type { Contents } from './contents.ts'
import { type HeaderFindings, isExported } from './header.ts'
import { namesIds } from './name-words.ts'
import { isGiven } from './required-roles.ts'
import type { Directories } from './wide.ts'

type OwnerRole = 'user' | 'source'

/** Matches a name in one word for ids, such as `userid`. */
const ENDS_IN_ID = /id$/i

const ADDRESSES = "--map email=COLUMN or --email-pattern '{name}@example.com'"

/** Returns how to read a column of numbers as whom rows belong to. */
const wayAsOwner = (name: string, role: OwnerRole, { create, map }: ImportOptions): string => {
  const needsAddress = role === 'user' && create?.emailPattern === undefined && !map.has('email')
  const address = needsAddress ? ` (new ones need e-mail addresses: ${ADDRESSES})` : ''
  return `${mapFlag(role, name)} takes them as ids or names of ${titleOfRole(role)}s${address}`
}

/** Tells whether a number is the id or the name of something that exists. */
const isKnown = (text: string, { byId, find }: Lookup): boolean => {
  const found = find(text)
  return byId.has(Number(text)) || !(found instanceof Fault) || found instanceof Ambiguous
}

/** Tells whether only the name of a column says that its numbers are whom rows belong to, and none of them exists. */
const isDoubtful = (name: string, texts: readonly string[], lookup: Lookup): boolean =>
  !namesIds(name) &&
  !ENDS_IN_ID.test(name) &&
  lookup.unread === undefined &&
  !texts.some((text) => isKnown(text, lookup))

/** Tells whether a flag says what a column of a role is, or nothing is created that it may be. */
const isSettled = (role: OwnerRole, { map, numbersAs, create }: ImportOptions): boolean =>
  map.has(role) ||
  numbersAs?.has(role) === true ||
  !(['kpis', role === 'user' ? 'users' : 'items'] as const).some((kind) => create?.kinds.has(kind))

/** Returns the fault of a column of numbers, and the flags for its readings. */
const faultOf = (found: HeaderFindings, cell: Evidence | undefined, role: OwnerRole, options: ImportOptions): Issue => {
  const name = found.header[found.roles.get(role) ?? -1]?.trim() ?? ''
  const shown = cell ? `, such as ${showCell(cell)}, which name` : ' that name'
  const asKpi = isGiven(found, options, 'kpi')
    ? ''
    : `, ${listFlag('--map-kpi', [`${name}=${name}`])} imports them as the KPI of that name`
  return {
    field: role,
    message: `"${name}" holds numbers${shown} no ${titleOfRole(role)} that exists: ${wayAsOwner(name, role, options)}${asKpi}, ${listFlag('--ignore', [name])} leaves the column out`,
  }
}

/**
 * Returns the faults of columns of numbers that are whom rows belong to by their names alone: `Employee` may as well be
 * how many there are.
 */
export const faultsOfNumericOwners = (
  found: HeaderFindings,
  contents: Contents,
  options: ImportOptions,
  directories: Directories,
): Issue[] =>
  (['user', 'source'] as const).flatMap((role) => {
    const [at, lookup] = [found.roles.get(role), directories[role]]
    if (at === undefined || !lookup || isSettled(role, options) || isExported(found.header)) return []
    if (!['numbers', 'years', 'stamps'].includes(contents.of(at))) return []
    const texts = contents.rows.map(({ cells }) => cells[at]?.trim() ?? '').filter((text) => text !== '')
    const isAsked = isDoubtful(found.header[at]?.trim() ?? '', texts, lookup)
    return isAsked ? [faultOf(found, contents.firstNumber(at), role, options)] : []
  })
