import { formatDay, formatInstant, type Instant, parseDay, parseInstant } from '../domain/day.ts'
import { decimalOfNumber, type ParsedDecimal, parseDecimal } from '../domain/decimal.ts'
import { Fault, type Issue, KpiError } from '../domain/errors.ts'
import { checkDecimal } from '../domain/numbers/check-decimal.ts'
import { checkInteger, checkValue, kindSays, valueOfText } from '../domain/field-value.ts'
import { NUMBER_LIMIT } from '../domain/limits.ts'
import type { AnyRecord, Draft, Field, FieldValue, Patch, ParsedFields, Resource, Stored } from '../domain/schema.ts'
import { datedTargetsJson, readDatedTargets } from './dated-targets.ts'
import { membersOf } from './field-names.ts'
import { jsonOfDecimal, type RawNumber } from './json-number.ts'

/** Describes a value that `JSON.parse` returns, or that `JSON.stringify` accepts. */
export type Json = unknown

const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/

const doubleOf = (raw: number | RawNumber): number => (typeof raw === 'number' ? raw : Number(raw.rawJSON))

/** Replaces infinity by the largest double: JSON's numbers have no bound, so an infinite one is only too large. */
const finite = (number: number): number => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, number))

const decimalOf = (raw: number | RawNumber): ParsedDecimal | undefined =>
  typeof raw === 'number' ? decimalOfNumber(finite(raw)) : parseDecimal(raw.rawJSON)

const readNumber = (field: Field, raw: number | RawNumber): FieldValue | Fault => {
  if (field.kind === 'decimal') return checkDecimal(decimalOf(raw))
  if (field.kind === 'integer' || field.kind === 'int16') return checkInteger(field, doubleOf(raw))
  return Fault.must(`be ${kindSays[field.kind]}`)
}

const readString = (field: Field, raw: string): FieldValue | Fault => {
  const isNumber = field.kind === 'decimal' || field.kind === 'integer' || field.kind === 'int16'
  const text = raw.trim()
  if (isNumber && text !== '' && text.length <= NUMBER_LIMIT && !PLAIN_NUMBER.test(text))
    return Fault.must(`be ${kindSays[field.kind]}`)
  return valueOfText(field, raw)
}

/**
 * Reads one field from JSON. With `lenient`, as in the classic interface, numbers and booleans may be strings. Null and
 * blank text become null.
 */
export const readJson = (field: Field, raw: Json, lenient: boolean): FieldValue | Fault => {
  if (raw === null) return null
  if (field.kind === 'targets')
    return lenient && typeof raw === 'string' && raw.trim() === ''
      ? null
      : readDatedTargets(raw, (one, value) => readJson(one, value, lenient))
  if (typeof raw === 'number' || JSON.isRawJSON(raw)) return readNumber(field, raw)
  if (typeof raw === 'boolean') return field.kind === 'boolean' ? raw : Fault.must(`be ${kindSays[field.kind]}`)
  const takesString = lenient || !['decimal', 'integer', 'int16', 'boolean'].includes(field.kind)
  if (typeof raw === 'string' && takesString) return readString(field, raw)
  return Fault.must(`be ${kindSays[field.kind]}`)
}

type Purpose = 'add' | 'update'

/** Reads one value, or returns its fault. */
type Read = (field: Field, raw: Json) => FieldValue | Fault

const readField = (
  field: Field,
  raw: Json,
  purpose: Purpose,
  read: Read,
  lenient: boolean,
): FieldValue | Fault | undefined => {
  if (raw === undefined) {
    const wanted = purpose === 'add' && field.required && !(lenient && field.lenient)
    return wanted ? Fault.is('required') : undefined
  }
  if (purpose === 'update' && field.secret) return undefined
  const value = read(field, raw)
  if (value !== null || field.nullable) return value
  if (field.fallback !== undefined) return undefined
  return purpose === 'add' ? Fault.is('required') : Fault.must('not be blank')
}

/** Tells whether JSON is an object, not a list, null or a simple value. */
export const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

/** Returns a body that must be an object; throws `malformed` for anything else. */
export const expectObject = (body: Json): Readonly<Record<string, Json>> => {
  if (!isObject(body)) throw new KpiError('malformed', 'the body must be one JSON object')
  return body
}

const NO_ISSUES: readonly Issue[] = []

/**
 * Reads a body that creates or changes a resource. Names match without regard to case, unknown and read-only fields are
 * ignored, and all faults are collected.
 */
const readFields = (
  of: Resource,
  body: Json,
  purpose: Purpose,
  read: Read,
  lenient: boolean,
): ParsedFields<AnyRecord> => {
  const { source, issues: ofNames } = membersOf(of, expectObject(body))
  const values: Record<string, FieldValue> = {}
  let issues: Issue[] | undefined = ofNames.length > 0 ? [...ofNames] : undefined
  for (const { name, field } of of.writable) {
    const value = readField(field, source[name], purpose, read, lenient)
    if (value instanceof Fault) (issues ??= []).push({ field: name, message: value.message })
    else if (value !== undefined) values[name] = value
  }
  return { values, issues: issues ?? NO_ISSUES }
}

const readLenient: Read = (field, raw) => readJson(field, raw, true)
const readStrict: Read = (field, raw) => readJson(field, raw, false)

/** Reads the body that creates a resource. */
export const readDraft = <R extends Resource>(of: R, body: Json, lenient: boolean): ParsedFields<Draft<R>> =>
  readFields(of, body, 'add', lenient ? readLenient : readStrict, lenient) as ParsedFields<Draft<R>>

/** Reads the body that changes a resource; fields that it omits keep their values. */
export const readPatch = <R extends Resource>(of: R, body: Json, lenient: boolean): ParsedFields<Patch<R>> =>
  readFields(of, body, 'update', lenient ? readLenient : readStrict, lenient) as ParsedFields<Patch<R>>

/** Tells whether all values of a draft are valid, and already have the form in which they are stored. */
const isStorable = (of: Resource, draft: Readonly<Record<string, FieldValue | undefined>>): boolean => {
  for (const { name, field } of of.writable) {
    const value = draft[name]
    if (value === undefined ? field.required : value === null ? !field.nullable : checkValue(field, value) !== value) {
      return false
    }
  }
  return true
}

/** Checks a draft built in this process; returns a valid one itself, not a copy, so it must not be changed. */
export const checkDraft = <R extends Resource>(of: R, draft: Draft<R>, lenient: boolean): ParsedFields<Draft<R>> =>
  isStorable(of, draft)
    ? { values: draft, issues: NO_ISSUES }
    : (readFields(of, draft, 'add', checkValue as Read, lenient) as ParsedFields<Draft<R>>)

/** Returns one value as JSON: exact numbers, dates and times as text. */
const writeJson = (field: Field, value: FieldValue): Json => {
  if (typeof value === 'bigint') return jsonOfDecimal(value)
  if (field.kind === 'targets' && typeof value === 'string') return datedTargetsJson(value)
  if (typeof value !== 'number') return value
  if (field.kind === 'date') return formatDay(value)
  return field.kind === 'datetime' ? formatInstant(value) : value
}

/** Returns a record as a JSON object, its fields in the order of the resource. */
export const recordToJson = (of: Pick<Resource, 'shown'>, record: AnyRecord): Record<string, Json> => {
  const json: Record<string, Json> = {}
  for (const { name, field } of of.shown) json[name] = writeJson(field, record[name] ?? null)
  return json
}

/** Returns a draft or patch as the JSON object to send. */
export const draftToJson = <R extends Resource>(of: R, draft: Draft<R> | Patch<R>): Record<string, Json> => {
  const values = draft as Readonly<Record<string, FieldValue | undefined>>
  const json: Record<string, Json> = {}
  for (const { name, field } of of.writable) {
    const value = values[name]
    if (value !== undefined) json[name] = writeJson(field, value)
  }
  return json
}

/** Matches midnight after a day in any form: third-party services may add a zone, or fractions of a second. */
const MIDNIGHT = /(?<=^\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/

const MOMENT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?$/

/** Reads an instant, in UTC if no zone is given; drops fractions of a second. */
const readMoment = (text: string): Instant | null => {
  const [, day, time, zone = 'Z'] = MOMENT.exec(text) ?? []
  const milliseconds = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(milliseconds) ? null : milliseconds / 1000
}

const YES = /^(?:true|1|yes|on)$/i
const NO = /^(?:false|0|no|off)$/i

/** Reads a field from a string in an answer; some services also send numbers as strings. */
const readAnswerText = ({ kind }: Field, text: string): FieldValue => {
  if (kind === 'date') return parseDay(text) ?? parseDay(text.replace(MIDNIGHT, '')) ?? null
  if (kind === 'datetime') return parseInstant(text) ?? readMoment(text)
  if (kind === 'decimal') return parseDecimal(text)?.value ?? null
  if (kind === 'integer' || kind === 'int16') return /^-?\d+$/.test(text) ? Number(text) : null
  if (kind === 'boolean') return YES.test(text) || (NO.test(text) ? false : null)
  return text
}

/**
 * Reads a field from a number in an answer. For a text field it returns the number as text, for a boolean whether it is
 * not 0.
 */
const readAnswerNumber = ({ kind }: Field, raw: number | RawNumber): FieldValue => {
  if (kind === 'decimal') return decimalOf(raw)?.value ?? null
  if (kind === 'boolean') return doubleOf(raw) !== 0
  if (kind === 'text' || kind === 'choice') return typeof raw === 'number' ? String(raw) : raw.rawJSON
  return doubleOf(raw)
}

/** Reads one field of an answer, without the limits on values that are sent to a service. */
const readAnswer = (field: Field, raw: Json): FieldValue => {
  const { kind, nullable } = field
  if (kind === 'targets') {
    const list = readDatedTargets(raw, readAnswer)
    return list instanceof Fault ? null : list
  }
  if (typeof raw === 'string') return readAnswerText(field, raw)
  if (typeof raw === 'number' || JSON.isRawJSON(raw)) return readAnswerNumber(field, raw)
  if (typeof raw === 'boolean' && kind !== 'text') return kind === 'boolean' ? raw : null
  // A missing name reads as empty.
  return kind === 'text' && !nullable ? '' : null
}

/** Returns a title with its article. Of the titles that begin with a vowel, only "user" and "unit" take "a". */
const withArticle = (title: string): string => `${/^[aeio]/.test(title) ? 'an' : 'a'} ${title}`

/** Reads a record from an answer. Unknown fields are ignored; missing ones become null. */
export const recordFromJson = <R extends Resource>(of: R, body: Json): Stored<R> => {
  if (!isObject(body))
    throw new KpiError('internal', `the service answered something that is not ${withArticle(of.title)}`)
  const record: Record<string, FieldValue> = {}
  for (const { name, field } of of.shown) record[name] = readAnswer(field, body[name])
  return record as Stored<R>
}

const parsedIn = (raw: Json): ParsedDecimal | undefined => {
  if (typeof raw === 'string') return parseDecimal(raw)
  return typeof raw === 'number' || JSON.isRawJSON(raw) ? decimalOf(raw) : undefined
}

/** Counts the values of an answered record with more than four decimals, which are rounded when they are read. */
export const countRounded = (of: Resource, body: Json): number =>
  isObject(body)
    ? of.shown.filter(({ name, field }) => field.kind === 'decimal' && parsedIn(body[name])?.rounded).length
    : 0

/** Tells whether a field may be unreadable: an unreadable time does not reject the record. */
const mayBeUnreadable = ({ kind }: Field): boolean => kind === 'datetime'

/**
 * Returns the first unreadable field of a listed record, or a missing id, with its raw value; undefined if there is
 * none. Without this check an unreadable value would count as absent.
 */
export const findUnreadable = (of: Resource, body: Json): { readonly name: string; readonly raw: Json } | undefined => {
  if (!isObject(body)) return undefined
  const found = of.shown.find(({ name, field }) => {
    const raw = body[name]
    const isGiven = raw !== undefined && raw !== null && raw !== ''
    return (isGiven || name === 'id') && !mayBeUnreadable(field) && readAnswer(field, raw) === null
  })
  return found && { name: found.name, raw: body[found.name] }
}
