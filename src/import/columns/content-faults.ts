import type { Issue } from '../../domain/errors.ts'
import { showCell } from '../formats/evidence.ts'
import { shellList } from '../formats/missing-words.ts'
import type { Role } from '../options.ts'
import type { Contents } from './contents.ts'
import type { HeaderFindings } from './header.ts'

/** Returns the name of a column as a part of a flag's list. */
const flagName = (name: string): string => (/[, ]/.test(name) ? `"${name}"` : name)

const nameOf = ({ header }: HeaderFindings, at: number): string => header[at]?.trim() ?? ''

const SHOWN = 3
const LONGEST_WORD = 20

/** Returns the flag that takes the texts of a column as empty: which, if they are few and short. */
const missingFlag = ({ cells, areFew }: ReturnType<Contents['others']>): string =>
  areFew && cells.every(({ text }) => text.length <= LONGEST_WORD)
    ? `--missing ${shellList(cells.map(({ text }) => text))} takes such cells as empty`
    : '--missing says which texts stand for no value'

/** Returns what is unclear about a column of numbers and other texts. */
const doubtOfMixed = (contents: Contents, at: number): string => {
  const others = contents.others(at)
  const [cell] = others.cells
  return `has numbers, and other texts such as ${cell ? showCell(cell) : '""'}: ${missingFlag(others)}`
}

/** Returns what is unclear about a column of texts that begin like numbers. */
const doubtOfQuantities = (contents: Contents, at: number): string => {
  const cell = contents.first(at, 'quantity') ?? contents.first(at, 'time')
  return `has numbers with other text, such as ${cell ? showCell(cell) : '""'}, which are not read as numbers: write plain numbers`
}

const doubtOf = (contents: Contents, at: number): string =>
  contents.of(at) === 'mixed' ? doubtOfMixed(contents, at) : doubtOfQuantities(contents, at)

/**
 * Returns the faults of columns that hold numbers in part, or texts that begin like numbers; these are not left out
 * unasked. `isOwned` tells whether another column says whose the values are.
 */
export const faultsOfUnclear = (
  found: HeaderFindings,
  contents: Contents,
  places: readonly number[],
  isOwned: boolean,
): Issue[] => {
  const faults = places.slice(0, SHOWN).map((at) => {
    const name = flagName(nameOf(found, at))
    const asNames = isOwned ? '' : `, --map source=${name} takes its cells as names`
    return {
      field: nameOf(found, at),
      message: `${doubtOf(contents, at)}, --ignore ${name} leaves the column out${asNames}`,
    }
  })
  const more = places.length - SHOWN
  return more > 0
    ? [...faults, { field: 'header', message: `${more} more columns have numbers and other texts` }]
    : faults
}

/** Returns the fault of several columns that may have a role. */
export const faultOfSeveral = (found: HeaderFindings, role: Role, places: readonly number[], orElse = ''): Issue => {
  const names = places.map((at) => nameOf(found, at))
  const shown = names.slice(0, 4)
  const more = names.length > shown.length ? `, or one of ${names.length - shown.length} more columns` : ''
  return {
    field: role,
    message: `may be ${shown.map((name) => `"${name}"`).join(' or ')}${more}; say which: ${shown.map((name) => `--map ${role}=${flagName(name)}`).join(' or ')}${orElse}`,
  }
}
