import { checkDatedTargets, parseDatedTargets } from './targets/dated-targets.ts'
import { FIRST_ENTRY_DAY, hasTimeOfDay, LAST_ENTRY_DAY, parseDay, parseInstant } from './day.ts'
import { fits, LARGEST, parseDecimal } from './decimal.ts'
import { Fault } from './errors.ts'
import { checkDecimal } from './numbers/check-decimal.ts'
import { NUMBER_LIMIT, TEXT_LIMIT } from './limits.ts'
import type { Field, FieldValue, FieldKind } from './schema.ts'

/** Sets the largest 16-bit integer, which is also the largest `sort_order`. */
export const INT16_MAX = 32_767
/**
 * Matches control characters except line feed and tab, lone surrogates, and two code points that are not characters.
 */
const REFUSED_CHARACTERS = /(?![\n\t])[\p{Cc}\p{Cs}\ufffe\uffff]/u

/**
 * Tells whether a text has only allowed characters. Others are never stored, and PostgreSQL rejects them in queries.
 */
export const isText = (text: string): boolean => !REFUSED_CHARACTERS.test(text)

const INTEGER = /^-?\d{1,15}$/

/** Maps each kind of field to its name after "must be". */
export const kindSays: Record<FieldKind, string> = {
  integer: 'a whole number',
  int16: `a whole number from ${-INT16_MAX - 1} to ${INT16_MAX}`,
  decimal: 'a number',
  boolean: 'true or false',
  text: 'text',
  choice: 'text',
  date: 'a date, YYYY-MM-DD',
  datetime: 'a time, YYYY-MM-DDTHH:MM:SS',
  targets: 'targets with their first days, such as 130000 from 2027-01-01',
}

/** Returns the name of the values of a field, after "must be". */
export const describeField = ({ kind, oneOf, least, most }: Field): string => {
  if (oneOf) return `one of ${oneOf.join(', ')}`
  return least === undefined || most === undefined ? kindSays[kind] : `a whole number from ${least} to ${most}`
}

/** Returns how a fault about a choice ends: with where else people find what is none. */
export const elsewhereIn = ({ elsewhere }: Field): string => (elsewhere === undefined ? '' : `; ${elsewhere}`)

/** Returns the choice that a text means: in any case, or by the word that people type for it. */
export const choiceOf = ({ oneOf = [], words = [] }: Field, text: string): string => {
  const typed = text.trim().toLowerCase()
  const at = words.indexOf(typed)
  return oneOf.find((one) => one.toLowerCase() === typed) ?? oneOf[at] ?? text
}

const expected = (field: Field): Fault => Fault.must(`be ${describeField(field)}`)

type Range = readonly [least: number | bigint, most: number | bigint]

const WHOLE: Range = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
const ranges: Readonly<Record<FieldKind, Range | undefined>> = {
  integer: WHOLE,
  int16: [-INT16_MAX - 1, INT16_MAX],
  decimal: [-LARGEST, LARGEST],
  boolean: [0, 1],
  text: undefined,
  choice: undefined,
  date: [FIRST_ENTRY_DAY, LAST_ENTRY_DAY],
  datetime: WHOLE,
  targets: undefined,
}

/** Returns the smallest and the largest number that a field may have, in its stored form; undefined for text. */
export const rangeOf = ({ kind, least, most }: Field): Range | undefined => {
  const range = ranges[kind]
  return range && [least ?? range[0], most ?? range[1]]
}

/** Checks a whole number against the range of its field. */
export const checkInteger = (field: Field, value: number): number | Fault => {
  const [least, most] = rangeOf(field) ?? WHOLE
  return Number.isInteger(value) && value >= least && value <= most ? value : expected(field)
}

const tooLong = (field: Field, characters: number | string): Fault =>
  new Fault(`has ${characters} characters${field.max === undefined ? '' : `, at most ${field.max} are allowed`}`)

/**
 * Trims a text, converts its line ends to LF, and checks its characters, length, form and choice. Blank text is null.
 */
export const checkText = (field: Field, text: string): string | null | Fault => {
  const trimmed = text.trim()
  // A character has at most two UTF-16 units, and a line end two characters.
  if (trimmed.length > 4 * TEXT_LIMIT) return tooLong(field, `more than ${TEXT_LIMIT}`)
  const value = trimmed.includes('\r') ? trimmed.replace(/\r\n?/g, '\n') : trimmed
  if (value === '') return null
  if (field.oneOf) return field.oneOf.includes(value) ? value : expected(field)
  if (!isText(value)) return new Fault('has characters that text cannot hold, such as control characters')
  if (field.max !== undefined && value.length > field.max) {
    const characters = Array.from(value).length
    if (characters > field.max) return tooLong(field, characters)
  }
  if (field.form && !field.form.matches.test(value)) return Fault.must(`be ${field.form.says}`)
  return value
}

const DATE_FORM = /^\d{4}-\d{2}-\d{2}/
const DATE_LENGTH = 10
const outOfYears = (): Fault => Fault.must('be in the years 1900 to 2199')
const isEntryDay = (day: number): boolean => Number.isInteger(day) && day >= FIRST_ENTRY_DAY && day <= LAST_ENTRY_DAY

/** Reads the day of an entry: a date that exists, in the years 1900 to 2199. */
export const checkDay = (text: string): number | Fault => {
  const day = parseDay(text)
  if (day === undefined) {
    const isDate = DATE_FORM.test(text) && (text.length === DATE_LENGTH || hasTimeOfDay(text))
    if (!isDate) return Fault.must('be a date, YYYY-MM-DD')
    const exists = parseDay(text.slice(0, DATE_LENGTH)) !== undefined
    return exists
      ? new Fault('has a time of day other than midnight in UTC; send the date alone, YYYY-MM-DD')
      : Fault.is('a date that does not exist')
  }
  return isEntryDay(day) ? day : outOfYears()
}

/** Reads dated targets from a text, and returns them as they are stored; each must be one that an entry may have. */
const checkTargetsText = (text: string): string | null | Fault => {
  const list = parseDatedTargets(text)
  if (list instanceof Fault) return list
  for (const { from, target } of list) {
    if (!isEntryDay(from)) return outOfYears()
    const checked = checkDecimal({ value: target })
    if (checked instanceof Fault) return checked
  }
  return checkDatedTargets(list)
}

const checkBoolean = (text: string): boolean | Fault =>
  text === 'true' || text === 'false' ? text === 'true' : Fault.must('be true or false')

/**
 * Reads a field from text, such as a flag, a cell or an element. Blank text is null; the caller checks whether null is
 * allowed.
 */
export const valueOfText = (field: Field, text: string): FieldValue | Fault => {
  if (field.kind === 'text' || field.kind === 'choice') return checkText(field, text)
  const trimmed = text.trim()
  if (trimmed === '') return null
  if (field.kind === 'targets') return checkTargetsText(trimmed)
  if (trimmed.length > NUMBER_LIMIT) return expected(field)
  switch (field.kind) {
    case 'integer':
    case 'int16':
      return INTEGER.test(trimmed) ? checkInteger(field, Number(trimmed)) : expected(field)
    case 'decimal':
      return checkDecimal(parseDecimal(trimmed))
    case 'boolean':
      return checkBoolean(trimmed)
    case 'date':
      return checkDay(trimmed)
    case 'datetime':
      return parseInstant(trimmed) ?? expected(field)
  }
}

const isKind = (field: Field, value: FieldValue): boolean => {
  switch (field.kind) {
    case 'decimal':
      return typeof value === 'bigint'
    case 'boolean':
      return typeof value === 'boolean'
    case 'text':
    case 'choice':
    case 'targets':
      return typeof value === 'string'
    default:
      return typeof value === 'number'
  }
}

/** Checks a typed value, such as a number, not its text. */
export const checkValue = (field: Field, value: FieldValue): FieldValue | Fault => {
  if (value === null) return null
  if (!isKind(field, value)) return expected(field)
  if (typeof value === 'bigint') return fits(value) ? value : checkDecimal({ value })
  if (typeof value === 'string') return field.kind === 'targets' ? checkTargetsText(value) : checkText(field, value)
  if (typeof value === 'boolean') return value
  if (field.kind === 'date') return isEntryDay(value) ? value : outOfYears()
  return checkInteger(field, value)
}
