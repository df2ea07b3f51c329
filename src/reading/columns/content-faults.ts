import { countOf } from '../../domain/count-text.ts'
import { countedBy } from '../../domain/numbers/measure.ts'
import { stripWords } from '../../domain/numbers/worded-number.ts'
import { listFlag, listValue, mapFlag, shellWord } from '../options/flag-text.ts'
import type { Issue } from '../../domain/errors.ts'
import { showCell } from '../formats/evidence.ts'
import { SEVERAL_ROWS } from '../formats/time-of-day.ts'
import type { NameRole, Role } from '../options/options.ts'
import { columnsHolding, type Contents } from './contents.ts'
import { type HeaderFindings, labelAt } from './header.ts'
import { namesTarget } from './name-words.ts'

const LONGEST_WORD = 20

/** Returns the flag that takes the texts of a column as empty: which, if they are few and short. */
const missingFlag = ({ cells, areFew }: ReturnType<Contents['others']>, given: readonly string[]): string =>
  areFew && cells.every(({ text }) => text.length <= LONGEST_WORD)
    ? `${listFlag('--missing', [...given, ...cells.map(({ text }) => text)])} takes such cells as empty`
    : '--missing says which texts stand for no value'

/** Returns what is unclear about a column of numbers and other texts. */
const doubtOfMixed = (contents: Contents, at: number): string => {
  const others = contents.others(at)
  const [cell] = others.cells
  const number = others.areFew ? undefined : contents.firstNumber(at)
  return `has numbers${number ? `, such as ${showCell(number)},` : ','} and other texts such as ${cell ? showCell(cell) : '""'}: ${missingFlag(others, contents.missing)}`
}

/** Returns what is unclear about a column of texts that begin like numbers. */
const doubtOfQuantities = (contents: Contents, at: number): string => {
  const cell = contents.first(at, 'quantity') ?? contents.first(at, 'time')
  return `has numbers with other text, such as ${cell ? showCell(cell) : '""'}, which are not read as numbers: write plain numbers`
}

/** Returns what is unclear about such a column that may be a KPI: words known of units and scales are read of one that exists. */
const doubtOfNewKpi = (found: HeaderFindings, contents: Contents, at: number): string => {
  const cell = contents.first(at, 'quantity')
  const words = cell && stripWords(cell.text)?.words
  if (!cell || words === undefined || countedBy(words) === undefined) return doubtOfQuantities(contents, at)
  const create = `kpi kpis create --name ${shellWord(labelAt(found, at))} --frequency M; or D, W, Q, Y`
  return `has numbers with units or scales, such as ${showCell(cell)}, which are read of KPIs that exist: create it first (${create}), or write plain numbers`
}

/** Returns what is unclear about a column of times of day, and how it is read with the date. */
const doubtOfTimes = (found: HeaderFindings, contents: Contents, at: number): string => {
  const [cell, date] = [contents.first(at, 'time'), found.roles.get('date')]
  const joined = date === undefined ? '' : mapFlag('date', labelAt(found, date), labelAt(found, at))
  const withDate = joined === '' ? '' : `${joined} with --time drop reads it with the date, `
  return `has times of day, such as ${cell ? showCell(cell) : '""'}, and entries have only dates: ${withDate}`
}

/** Describes what columns of values are of, and whether another column says whose the values are. */
type Use = { readonly of: NameRole; readonly isOwned: boolean }

/** Returns how to leave out a row of units, if the first other text may be one: it stands right below the header. */
const orUnits = (contents: Contents, at: number): string => {
  const text = contents.others(at).cells[0]?.text ?? '*'
  return contents.rows[0]?.cells[at]?.trim() === text && !text.endsWith('*')
    ? `, --ignore-rows ${listValue(text)} its row`
    : ''
}

/** Returns what is unclear about a column that is not left out unasked, and the flags that settle it. */
const doubtOf = (found: HeaderFindings, contents: Contents, at: number, { of, isOwned }: Use): string => {
  const [content, name] = [contents.of(at), listValue(labelAt(found, at))]
  const leaveOut = `--ignore ${name} leaves the column out`
  if (content === 'times')
    return `${doubtOfTimes(found, contents, at)}${leaveOut}${SEVERAL_ROWS}; a duration has to be a plain number`
  const isMixed = content === 'mixed'
  const isOfKpi = of === 'kpi'
  const doubt = isMixed
    ? doubtOfMixed(contents, at)
    : isOfKpi
      ? doubtOfNewKpi(found, contents, at)
      : doubtOfQuantities(contents, at)
  const mapped = listValue(`${labelAt(found, at)}=${labelAt(found, at)}`)
  const reject = isMixed && isOfKpi ? `, --map-kpi ${mapped} rejects the rows of these texts` : ''
  return `${doubt}${reject}, ${leaveOut}${isMixed ? orUnits(contents, at) : ''}${isOwned ? '' : `, ${mapFlag('source', labelAt(found, at))} takes its cells as names`}`
}

const SHOWN = 3

/**
 * Returns the faults of columns that hold numbers in part, or texts that begin like numbers; these are not left out
 * unasked.
 */
export const faultsOfUnclear = (
  found: HeaderFindings,
  contents: Contents,
  places: readonly number[],
  use: Use,
): Issue[] => {
  const faults = places
    .slice(0, SHOWN)
    .map((at) => ({ field: labelAt(found, at), message: doubtOf(found, contents, at, use) }))
  const more = places.length - SHOWN
  if (more <= 0) return faults
  const message = `${countOf(more, 'more column has', 'more columns have')} numbers and other texts`
  return [...faults, { field: 'header', message }]
}

/** Returns the faults of columns of truth values, in a file that has no numbers. */
export const faultsOfTruths = (found: HeaderFindings, contents: Contents, places: readonly number[]): Issue[] =>
  places.slice(0, SHOWN).map((at) => {
    const cell = contents.first(at, 'truth')
    const name = labelAt(found, at)
    return {
      field: name,
      message: `holds truth values, such as ${cell ? showCell(cell) : '""'}, and no numbers: --booleans numbers imports them as 1 and 0, --ignore ${listValue(name)} leaves the column out`,
    }
  })

/** Returns what the cells of a column are, if they are hardly names of what values belong to. */
const unlikelyNames = (contents: Contents, at: number, role: Role): string | undefined => {
  const content = contents.of(at)
  if (content === 'units') return 'units'
  if (content === 'addresses') return role === 'user' ? undefined : 'addresses'
  return contents.isProse(at) ? 'long texts that are almost all different' : undefined
}

/** Returns the fault of a column that would say whom rows belong to, and whose cells are hardly names. */
export const faultOfOwner = (found: HeaderFindings, contents: Contents, at: number, role: Role): Issue | undefined => {
  const what = unlikelyNames(contents, at, role)
  return what === undefined
    ? undefined
    : {
        field: role,
        message: `may be "${labelAt(found, at)}", which holds ${what}: ${mapFlag(role, labelAt(found, at))} takes them as names, --map ${role}=COLUMN names another column, --${role} NAME is for all rows`,
      }
}

/** Returns the fault of the only column that may hold the actuals, and holds other texts, too. */
export const faultOfActual = (found: HeaderFindings, contents: Contents, at: number): Issue => {
  const doubt = contents.of(at) === 'mixed' ? doubtOfMixed(contents, at) : doubtOfQuantities(contents, at)
  return {
    field: 'actual',
    message: `may be "${labelAt(found, at)}", which ${doubt}, ${mapFlag('actual', labelAt(found, at))} rejects the rows of these texts`,
  }
}

/** Returns the fault of several columns that may have a role. */
export const faultOfSeveral = (found: HeaderFindings, role: Role, places: readonly number[], orElse = ''): Issue => {
  const names = places.map((at) => labelAt(found, at))
  const shown = names.slice(0, 4)
  const more = names.length > shown.length ? `, or one of ${names.length - shown.length} more columns` : ''
  return {
    field: role,
    message: `may be ${shown.map((name) => `"${name}"`).join(' or ')}${more}; say which: ${shown.map((name) => mapFlag(role, name)).join(' or ')}${orElse}`,
  }
}

/** Returns the faults of columns of numbers that are called like targets, and would be left out. */
export const faultsOfTargets = (found: HeaderFindings, contents: Contents): Issue[] => {
  const other = found.roles.get('target')
  const ignored = other === undefined ? '' : ` --ignore ${listValue(labelAt(found, other))}`
  return columnsHolding(found, contents, 'numbers', 'years', 'stamps', 'mixed')
    .map((at) => labelAt(found, at))
    .filter(namesTarget)
    .map((name) => ({
      field: name,
      message: `is called like the target, and would be left out: ${mapFlag('target', name)}${ignored} reads it so; --ignore ${listValue(name)} leaves the column out`,
    }))
}
