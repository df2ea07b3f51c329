import { nearest } from '../../../client/directory.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import { Fault, type Issue, KpiError } from '../../../domain/errors.ts'
import type { Field, NamedField, Resource } from '../../../domain/schema.ts'
import { foldName, REJECT_COLUMNS } from '../../../import/columns/header.ts'
import { type DecimalSign, readAffixedNumber, stripAffixes } from '../../../import/formats/number.ts'
import { UsageError } from '../../exit.ts'
import { nameColumns } from '../verbs/reference-names.ts'

/** Describes the columns of a file of definitions: the field of each, and what is left out. */
export type DefinitionColumns = {
  /** Maps places of columns to the names of fields. */
  readonly fields: ReadonlyMap<number, string>
  /** Lists columns that hold no field, for a note. */
  readonly unused: readonly string[]
}

/** Holds what the user says about columns. */
export type ColumnFlags = {
  readonly map?: readonly string[] | undefined
  readonly ignore?: readonly string[] | undefined
}

/** Returns the names by which a column may say that it holds a field. */
const namesOf = ({ name, field }: NamedField): string[] => [name, name.replace(/_id$/, ''), ...(field.alsoCalled ?? [])]

/** Returns the field of each name that a column may have: fields, and the names of what ids refer to. */
const knownNames = (of: Resource, newer: readonly NamedField[]): ReadonlyMap<string, string> => {
  const fields = [...of.shown, ...of.writable, ...newer]
  return new Map([
    ...nameColumns(of).map(({ name }) => [foldName(name), name] as const),
    ...fields.flatMap((one) => namesOf(one).map((name) => [foldName(name), one.name] as const)),
  ])
}

/** Returns the fields that `--map field=Column` names, by column; all faults at once. */
const mappedColumns = (
  of: Resource,
  known: ReadonlyMap<string, string>,
  map: readonly string[],
): Map<string, string> => {
  const mapped = new Map<string, string>()
  for (const pair of map.flatMap((one) => one.split(','))) {
    const [name = '', column] = pair.split('=', 2)
    const field = known.get(foldName(name))
    if (column === undefined) throw new UsageError(`--map ${pair} names no column; write field=Column`)
    if (field === undefined)
      throw new UsageError(
        `--map ${pair}: a ${of.title} has no field ${name}; there are ${of.writable.map((one) => one.name).join(', ')}`,
      )
    mapped.set(foldName(column), field)
  }
  return mapped
}

/** Lists columns that import writes or that only the service sets: they are left out without a word. */
const isSilent = (of: Resource, field: string | undefined, name: string): boolean =>
  REJECT_COLUMNS.some((one) => one === name.trim()) ||
  (field !== undefined && field !== 'id' && of.fields[field]?.readOnly === true)

/** Finds out what each column holds; everything that is unclear is one error. */
export const planColumns = (
  of: Resource,
  header: readonly string[],
  { map = [], ignore = [] }: ColumnFlags,
): DefinitionColumns => {
  const newer = Object.entries<Field>(of.fields).map(([name, field]) => ({ name, field }))
  const known = knownNames(of, newer)
  const mapped = mappedColumns(of, known, map)
  const ignored = new Set(ignore.flatMap((one) => one.split(',')).map(foldName))
  const [fields, unused, issues] = [new Map<number, string>(), [] as string[], [] as Issue[]]
  for (const [at, name] of header.entries()) {
    const folded = foldName(name)
    const field =
      mapped.get(folded) ?? (new Set(mapped.values()).has(known.get(folded) ?? '') ? undefined : known.get(folded))
    const isParent = field === 'group_id'
    if (ignored.has(folded) || (isSilent(of, field, name) && !isParent)) continue
    const before = [...fields].find(([, one]) => one === field)
    if (field === undefined) unused.push(name.trim() === '' ? `no. ${at + 1}` : name.trim())
    else if (before) {
      const message = `is both "${header[before[0]]}" and "${name}"; leave one out: --ignore "${name.trim()}"`
      issues.push({ field, message })
    } else fields.set(at, field)
  }
  for (const column of mapped.keys()) {
    if (header.some((name) => foldName(name) === column)) continue
    const near = nearest(column, header)
    issues.push({
      field: column,
      message: `is no column of the file${near === undefined ? '' : `; did you mean "${near}"?`}`,
    })
  }
  if (issues.length > 0) throw new KpiError('malformed', 'the header does not say what each column is', { issues })
  return { fields, unused }
}

const TRUE = new Set(['true', 'yes', 'y', '1', 'x', 'wahr', 'ja', 'oui', 'si', 'vrai'])
const FALSE = new Set(['false', 'no', 'n', '0', 'falsch', 'nein', 'non', 'faux'])

/** Matches a number whose only sign may separate decimals or thousands. */
const AMBIGUOUS = /^-?[1-9]\d{0,2}[.,]\d{3}$/

/** Returns the sign with which the numbers of a column are read: the given one, or the one that all cells fit. */
export const findDecimalSign = (cells: readonly string[], given: DecimalSign | undefined): DecimalSign | Fault => {
  if (given) return given
  const numbers = cells.flatMap((text) => stripAffixes(text) ?? [])
  const fits = (sign: DecimalSign): boolean => numbers.every((one) => readAffixedNumber(one, sign) !== undefined)
  const [point, comma] = [fits('.'), fits(',')]
  const ambiguous = cells.find((text) => AMBIGUOUS.test(text.trim()))
  if (point && comma && ambiguous !== undefined)
    return new Fault(
      `"${ambiguous.trim()}" may have decimals or thousands; say which sign decimals have: --decimal . or --decimal ,`,
    )
  return comma && !point ? ',' : '.'
}

/** Returns a cell in the form in which fields are read from text: a number with a point, true or false. */
export const plainText = ({ kind }: Field, text: string, sign: DecimalSign): string | Fault => {
  const trimmed = text.trim()
  const folded = trimmed.toLowerCase()
  if (kind === 'boolean') return TRUE.has(folded) ? 'true' : FALSE.has(folded) ? 'false' : trimmed
  if (kind !== 'decimal') return trimmed
  const affixed = stripAffixes(trimmed)
  const number = affixed && readAffixedNumber(affixed, sign)
  if (number === undefined || number instanceof Fault)
    return new Fault(`"${trimmed}" is no number with ${sign === '.' ? 'a decimal point' : 'a decimal comma'}`)
  return formatDecimal(number.value)
}
