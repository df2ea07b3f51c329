import { nearest, didYouMeanName } from '../../client/nearest.ts'
import { countedText, countText, nounOf } from '../../domain/count-text.ts'
import { formatDay } from '../../domain/day.ts'
import type { CheckedFile } from './check.ts'
import { type ColumnFormats, formatRemarks } from '../detect/column-formats.ts'
import { COMPUTED, type ImportOptions } from '../options/options.ts'
import { notesOnFooters, notesOnLeftOut } from '../heading/left-out-rows.ts'
import type { Row, Table } from '../../tabular/source/table.ts'
import { mayNotRead } from '../directory/lookup.ts'
import type { Reference } from '../directory/reference.ts'

const firstText = (row: Row | undefined): string => row?.cells.find((cell) => cell.trim() !== '')?.trim() ?? ''

/** Returns notes on the lines around the header that are left out: those above it, and a row of units below it. */
export const notesOnHeading = ({ above, upper, units }: Table): string[] => {
  const titles = (upper ? above.slice(0, -1) : above).filter((row) => firstText(row) !== '')
  const [first, last] = [titles[0], titles.at(-1)]
  const which = first === last ? `line ${first?.line} is` : `lines ${first?.line} to ${last?.line} are`
  return [
    ...(first ? [`${which} above the header, and left out: "${firstText(first)}"${first === last ? '' : ', …'}`] : []),
    ...(units ? [`line ${units.line} holds units below the header, and no values: "${firstText(units)}"`] : []),
  ]
}

/** Returns notes on how a file is read: what is left out around its header, and what its lines are. */
export const notesOnTable = (table: Table): string[] => [
  ...notesOnHeading(table),
  ...(table.reading.note === undefined ? [] : [table.reading.note]),
]

/** Returns warnings about how a file is read, and about a file without rows, as its export may have failed. */
export const warningsOn = (
  { name, reading }: Table,
  formats: ColumnFormats | undefined,
  isEmpty: boolean,
): string[] => [
  ...(isEmpty ? [`${name} holds no rows`] : []),
  ...(reading.assumed === undefined ? [] : [reading.assumed]),
  ...(formats ? formatRemarks(formats) : []),
]

/** Returns a warning of entries that are dated more than a year after today, whose year may be a slip. */
export const warningsOnDistant = ({ distant: { count, line, day } }: CheckedFile): string[] => {
  if (count === 0) return []
  const [entries, are] = count === 1 ? ['1 entry, ', 'is'] : [`${countText(count)} entries, the first `, 'are']
  return [
    `${entries}on line ${line} (${formatDay(day)}), ${are} dated more than a year after today: check the year; if it is wrong, correct the file`,
  ]
}

/** Returns a warning of values that were rounded to 0, unless several rows may still make more of them. */
export const warningsOnVanished = ({ onDuplicate }: ImportOptions, { vanished }: CheckedFile): string[] => {
  const { count, line } = vanished
  if (count === 0 || COMPUTED.has(onDuplicate)) return []
  const [values, are] = count === 1 ? ['1 value', 'is'] : [`${countText(count)} values`, 'are']
  return [
    `${values}, ${count === 1 ? '' : 'the first '}on line ${line}, ${are} too small for four decimals, and became 0: count in smaller units, or reject such rows with --strict`,
  ]
}

/** Bounds the names of `--map-kpi` that have a warning of their own. */
const WARNED = 10

/** Returns warnings of texts that `--map-kpi` names and the file does not have. */
export const warningsOnMapKpi = ({ plan: { header }, reference: { unusedNames } }: CheckedFile): string[] => {
  const texts = [...unusedNames]
  const more = texts.length - WARNED
  return [
    ...texts.slice(0, WARNED).map((text) => {
      const near = nearest(text, header)
      return `--map-kpi ${JSON.stringify(text)}=… names nothing in this file${didYouMeanName(near?.trim())}`
    }),
    ...(more > 0
      ? [`and ${countedText(more, 'more name')} of --map-kpi that ${nounOf(more, 'is', 'are')} not in this file`]
      : []),
  ]
}

/** Returns warnings of scales that the user gave to words that no number of the file has, nor a heading or cell of units. */
export const warningsOnScales = ({ reference: { words } }: CheckedFile): string[] =>
  words
    .unusedScales()
    .map(
      (word) =>
        `--scale ${JSON.stringify(word)}=… changes nothing: no number of this file has it beside it, in its heading or in a column or row of units`,
    )

/** Tells whether dates of a file had no year but the one that the user gave. */
const usesYear = ({ plan: { wide }, formats }: CheckedFile): boolean =>
  wide?.usesYear === true || formats.date?.column.usesYear() === true

/** Returns a note if the year that the user gave is that of no date of the file. */
export const notesOnYear = ({ year }: ImportOptions, checked: CheckedFile): string[] =>
  year === undefined || usesYear(checked)
    ? []
    : [`--year ${year} changes nothing: no date of this file is without a year`]

/** Returns a warning if the year that the user gave is none of those that the file names. */
export const warningsOnYear = ({ year }: ImportOptions, checked: CheckedFile): string[] => {
  const { years = [] } = checked.plan
  const [found] = years
  return year === undefined || !found || !usesYear(checked) || years.some((one) => one.year === year)
    ? []
    : [`dates without a year are of ${year}, as --year says, and ${found.where}`]
}

/** Returns a warning if `--percent fraction` changes no value. */
export const warningsOnPercent = ({ reference: { percentages } }: CheckedFile): string[] =>
  percentages.saysFraction && !percentages.hasFractions
    ? ['--percent fraction changes nothing: no KPI of this file is a percentage']
    : []

/** Returns notes on what cannot be checked because the key may not read it. */
export const notesOnUnread = ({ kpis, users, sources, unchecked }: Reference): string[] => {
  const unread = [
    unchecked.has('KPIs') ? kpis.unread : undefined,
    unchecked.has('users') ? users.unread : undefined,
    unchecked.has('breakdown items') ? sources?.unread : undefined,
  ].filter((one) => one !== undefined)
  return unread.length > 0
    ? [`${mayNotRead(unread.join(', '))}: only the service can check what the rows say about them`]
    : []
}

const NAMED = 3

/** Returns the KPIs without a target, and the command that gives the first of them one. */
const withoutTarget = (first: string, others: readonly string[]): string => {
  const names = [first, ...others].slice(0, NAMED).join(', ')
  const more = others.length < NAMED ? '' : ` and ${others.length + 1 - NAMED} more`
  return `${names}${more}; kpi kpis update ${JSON.stringify(first)} --target-default N gives it one`
}

/** Returns notes on KPIs without a default target, for which no targets are stored. */
const notesOnTargets = ({ reference: { kpis }, lostTargets }: CheckedFile): string[] => {
  const [first, ...others] = [...lostTargets.keys()].map((id) => kpis.byId.get(id)?.name ?? String(id))
  if (first === undefined) return []
  const count = [...lostTargets.values()].reduce((sum, one) => sum + one)
  const what =
    count === 1
      ? '1 target is not stored, because its KPI has'
      : `${count} targets are not stored, because their KPIs have`
  return [`${what} none: ${withoutTarget(first, others)}`]
}

/** Returns what to do about targets of KPIs without a default target; empty if there are none. */
export const adviceOnTargets = (kpis: Iterable<string>): string[] => {
  const [first, ...others] = kpis
  if (first === undefined) return []
  const what =
    others.length === 0
      ? '1 KPI has no target, so its users'
      : `${others.length + 1} KPIs have no target, so their users`
  return [`${what} cannot have one either: ${withoutTarget(first, others)}`]
}

/** Returns the notes on a file before it is sent. */
export const notesOn = (checked: CheckedFile): string[] => {
  const { unused, wide } = checked.plan
  const signed = wide?.signed ?? []
  return [
    ...(unused.length > 0 ? [`columns left out: ${unused.join(', ')}`] : []),
    ...(signed.length > 0
      ? [`headings read without the signs or brackets beside their dates: ${signed.join(', ')}`]
      : []),
    ...notesOnUnread(checked.reference),
    ...notesOnTargets(checked),
    ...notesOnFooters(checked.suspects),
    ...notesOnLeftOut(checked.leftOut),
  ]
}
