import { Ambiguous } from '../../client/directory.ts'
import { listFirst } from '../../domain/count-text.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import type { Lookup } from '../directory/lookup.ts'
import { isPartOfYear, isWholeDate } from '../formats/known-formats.ts'
import type { NameRole } from '../options/options.ts'
import { foldName, labelAt, roleOf, unassignedColumns } from './header.ts'
import { createNameColumn } from './name-column.ts'
import { isItemWord } from './owners.ts'
import { type ColumnSearch, isGiven, isOwned } from './roles.ts'
import { keyOf, keyText, type OwnerRole, ownerRoleBy, type WideColumn, type WideColumns } from './wide.ts'

/** Describes columns below two heading rows of names: KPIs in one row, and whom their values belong to in the other. */
type NameRows = { readonly places: readonly number[]; readonly upper: readonly string[] }

/** Lists what columns hold that are no values. */
const NO_VALUES: ReadonlySet<string> = new Set(['texts', 'dates', 'units', 'addresses', 'nothing'])

/** Tells whether a label may be that of a KPI or of whom values belong to. */
const isName = (text: string): boolean =>
  text !== '' && roleOf(text) === undefined && !isPartOfYear(text) && !isWholeDate(text)

/** Returns those of some columns that have names in two heading rows, if labels of the lower one repeat, and the upper one tells them apart. */
const placesBelowNames = (
  header: readonly string[],
  upper: readonly string[],
  places: readonly number[],
): readonly number[] => {
  const labelsOf = (at: number): [lower: string, upper: string] => [header[at]?.trim() ?? '', upper[at]?.trim() ?? '']
  const named = places.filter((at) => {
    const [label, above] = labelsOf(at)
    return label !== above && isName(label) && isName(above)
  })
  const labels = named.map((at) => labelsOf(at).map(foldName))
  const countOf = (texts: readonly unknown[]): number => new Set(texts).size
  const isApart = countOf(labels.map((pair) => JSON.stringify(pair))) === labels.length
  const repeats = countOf(labels.map(([label]) => label)) < labels.length
  return isApart && repeats && countOf(labels.map(([, above]) => above)) > 1 ? named : []
}

/** Tells whether labels may be two heading rows of names, which say whom values belong to. */
export const mayBeNameRows = (header: readonly string[], upper: readonly string[] | undefined): boolean =>
  upper !== undefined && placesBelowNames(header, upper, [...header.keys()]).length > 0

/** Finds the columns below two heading rows of names; undefined if there are none, or something else says what they are of. */
const findNameRows = ({ found, options, heading, contents }: ColumnSearch): NameRows | undefined => {
  const upper = heading.upper ?? heading.above
  const { layout, kpi } = options
  if (!upper || layout === 'long' || layout === 'dates' || kpi !== undefined || isOwned(found, options))
    return undefined
  const isOfValues = (at: number): boolean => !NO_VALUES.has(contents.of(at))
  const named = placesBelowNames(found.header, upper, unassignedColumns(found))
  const places = placesBelowNames(found.header, upper, named.filter(isOfValues))
  return places.length > 0 ? { places, upper } : undefined
}

/** Returns the only column of dates beside those below two heading rows of names; its labels say what these rows name. */
const datesBeside = ({ found, contents }: ColumnSearch, { places }: NameRows): number | undefined => {
  const values = new Set(places)
  const dates = [...found.header.keys()].filter((at) => !values.has(at) && contents.peek(at) === 'dates')
  return dates.length === 1 ? dates[0] : undefined
}

/**
 * Takes the only column of dates beside such columns as the date: where it stands below two heading rows, its label may be
 * that of the rows, such as `Metric`.
 */
export const recognizeDateBeside = (search: ColumnSearch): void => {
  const { found, options } = search
  if (isGiven(found, options, 'date')) return
  const rows = findNameRows(search)
  const at = rows && datesBeside(search, rows)
  if (at === undefined || found.header.some((name, place) => place !== at && roleOf(name) === 'date')) return
  found.roles.set('date', at)
  found.ignored.delete(at)
}

/** Counts the texts that name something that exists. */
const countKnown = (texts: ReadonlySet<string>, lookup: Lookup | undefined): number =>
  lookup === undefined || lookup.unread !== undefined
    ? 0
    : [...texts].filter((text) => {
        const one = lookup.find(text)
        return !(one instanceof Fault) || one instanceof Ambiguous
      }).length

/** Names what a label beside a heading row says that the row names. */
const namedByLabel = (label: string): 'kpis' | 'owners' | undefined => {
  const role = roleOf(label)
  if (role === 'kpi') return 'kpis'
  return role === 'user' || role === 'source' || isItemWord(foldName(label)) ? 'owners' : undefined
}

/** Tells whether the upper row names KPIs: a flag says so, else what exists, else the labels beside the rows. */
const isUpperOfKpis = (search: ColumnSearch, rows: NameRows, texts: Texts): boolean | undefined => {
  const { found, options, directories } = search
  if (options.upperRow !== undefined) return options.upperRow === 'kpis'
  const known = (of: 'upper' | 'lower', ...roles: readonly NameRole[]): number =>
    Math.max(...roles.map((role) => countKnown(texts[of], directories[role])))
  const [kpisAbove, kpisBelow] = [known('upper', 'kpi'), known('lower', 'kpi')]
  const [ownersAbove, ownersBelow] = [known('upper', 'user', 'source'), known('lower', 'user', 'source')]
  const [above, below] = [kpisAbove + ownersBelow, kpisBelow + ownersAbove]
  if (above + below > 0) return above > 0 && below > 0 ? undefined : above > 0
  const at = datesBeside(search, rows)
  const [upper, lower] = [rows.upper[at ?? -1]?.trim() ?? '', labelAt(found, at)]
  const [ofUpper, ofLower] = [namedByLabel(upper), upper === lower ? undefined : namedByLabel(lower)]
  if (ofUpper === undefined && ofLower === undefined) return undefined
  if (ofUpper === ofLower) return undefined
  return ofUpper === 'kpis' || ofLower === 'owners'
}

type Texts = { readonly upper: ReadonlySet<string>; readonly lower: ReadonlySet<string> }

const SHOWN = 3

const showTexts = (texts: ReadonlySet<string>): string => listFirst([...texts], SHOWN, (text) => `"${text}"`)

/** Asks which of two heading rows names the KPIs. */
const askWhich = ({ upper, lower }: Texts, owner: OwnerRole): Issue => ({
  field: 'header',
  message: `two rows name the columns: ${showTexts(upper)} above ${showTexts(lower)}, and nothing says which are the KPIs: --upper-row ${owner === 'source' ? 'items' : 'users'} takes the upper row as whom the values belong to, --upper-row kpis as the KPIs`,
})

/** Returns the role of the row that names whom values belong to. */
const ownerRoleOf = ({ options, directories }: ColumnSearch, { upper, lower }: Texts): OwnerRole => {
  if (options.upperRow === 'items') return 'source'
  if (options.upperRow === 'users') return 'user'
  const count = (role: OwnerRole): number =>
    Math.max(countKnown(upper, directories[role]), countKnown(lower, directories[role]))
  return ownerRoleBy(options, directories, { users: count('user'), items: count('source') })
}

/** Reads both names above columns; a name that is none of its kind, or two columns of the same, are faults. */
const readNames = (
  { found, options, directories }: ColumnSearch,
  { places, upper }: NameRows,
  [above, below]: readonly [NameRole, NameRole],
): WideColumn[] => {
  const columnOf = (role: NameRole) => {
    const lookup = directories[role]
    return lookup && createNameColumn({ role, header: 'header', as: options.numbersAs?.get(role) }, lookup)
  }
  const [ofUpper, ofLower] = [columnOf(above), columnOf(below)]
  if (!ofUpper || !ofLower) return []
  const told = new Set<string>()
  const blame = (message: string): void => {
    if (!told.has(message)) found.issues.push({ field: 'header', message })
    told.add(message)
  }
  const made = new Map<string, WideColumn>()
  for (const at of places) {
    const [one, other] = [ofUpper.find(upper[at] ?? ''), ofLower.find(labelAt(found, at))]
    for (const fault of [one, other])
      if (fault instanceof Fault) blame(`${fault.message} (to leave the column out: --ignore "#${at + 1}")`)
    if (one instanceof Fault || other instanceof Fault) continue
    const column = { at, ...keyOf(above, one, directories), ...keyOf(below, other, directories) }
    const before = made.get(keyText(column))
    if (before)
      blame(
        `columns ${before.at + 1} and ${at + 1} are both ${other.name} of ${one.name}; leave one out (--ignore "#${at + 1}")`,
      )
    else made.set(keyText(column), column)
  }
  for (const doubt of [ofUpper.doubt(), ofLower.doubt()]) if (doubt !== undefined) blame(doubt)
  return [...made.values()]
}

/** Reads the columns below two heading rows of names; undefined if there are none. */
export const readNameRows = (search: ColumnSearch): WideColumns | undefined => {
  const rows = findNameRows(search)
  if (!rows) return undefined
  const { found } = search
  const texts = {
    upper: new Set(rows.places.map((at) => rows.upper[at]?.trim() ?? '')),
    lower: new Set(rows.places.map((at) => labelAt(found, at))),
  }
  const owner = ownerRoleOf(search, texts)
  const isOfKpis = isUpperOfKpis(search, rows, texts)
  const [over, of] = isOfKpis === true ? (['kpi', owner] as const) : ([owner, 'kpi'] as const)
  // Read columns in doubt as if owners were in the upper row, so that nothing else is asked.
  if (isOfKpis !== undefined) return { of, over, columns: readNames(search, rows, [over, of]) }
  found.issues.push(askWhich(texts, owner))
  return { of, over, columns: rows.places.map((at) => ({ at })) }
}
