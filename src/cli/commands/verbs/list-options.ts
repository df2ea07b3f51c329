import { nearestOrAll } from '../../../client/nearest.ts'
import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { Fault } from '../../../domain/errors.ts'
import { choiceOf, valueOfText } from '../../../domain/field-value.ts'
import {
  type AnyRecord,
  fieldsOnRequest,
  type FieldValue,
  type NamedField,
  type Printable,
} from '../../../domain/schema.ts'
import { sayChoices } from '../../args/choices.ts'
import { collect, flagName } from '../../args/flags.ts'
import { isId } from '../../args/names.ts'
import { UsageError } from '../../exit.ts'
import { type Format, isForPeople, type Printing } from '../../output/print.ts'
import { pluralOf } from '../../output/short-answer.ts'
import { createNames, type NameColumn, nameColumns, type Names } from './reference-names.ts'

/** Describes the options that filter and sort every list. */
export type ListOptions = {
  readonly columns?: string
  readonly sort?: string
  readonly filter?: readonly string[]
  readonly limit?: string
}

/** Describes how a command shows what ids refer to. */
type NameOptions = { readonly ids?: true; readonly names?: true }

/** Adds the options of a list to a command. */
export const addListOptions = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
) =>
  command
    .option('--columns <names>', 'the fields to show, separated by commas')
    .option('--sort <field>', 'sort by this field; with a minus in front, in descending order')
    .option('--filter <field=value>', 'only those with this value; may be given more than once', collect)
    .option('--limit <n>', 'show at most this many')

/** Adds the options that say whether names or ids are shown. */
export const addNameOptions = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
) =>
  command
    .option('--ids', 'show ids beside names')
    .option('--names', 'add names to the ids in csv and json, where tables have them anyway')

/** Returns the field of a name, which may be that of its flag: `frequency` is `frequency_id`. */
const fieldNamed = (of: Printable, name: string, fields: readonly NamedField[] = of.shown): NamedField => {
  const isFlag = (one: NamedField): boolean => flagName(one.name).replaceAll('-', '_') === name
  const found = fields.find((one) => one.name === name) ?? fields.find(isFlag)
  if (found) return found
  const isCalled = ({ field: { called } }: NamedField): boolean => called?.split(', ').includes(name) === true
  const names = (fields.some(isCalled) ? fields.filter(isCalled) : fields).map((one) => one.name)
  throw new UsageError(`${of.plural ?? pluralOf(of)} have no field "${name}"${nearestOrAll(name, names)}`)
}

/** Returns the fields to show: those that were asked for; else in a table the most telling ones, otherwise all. */
export const chooseColumns = (of: Printable, { columns }: ListOptions, format: Format): readonly NamedField[] => {
  if (columns !== undefined) return columns.split(',').map((name) => fieldNamed(of, name.trim()))
  return isForPeople(format) ? of.brief : of.shown
}

const inOneCase = (value: FieldValue): FieldValue => (typeof value === 'string' ? value.toLowerCase() : value)

type Keep = (record: AnyRecord) => boolean

const filterOf = (of: Printable, text: string): Keep => {
  const equals = text.indexOf('=')
  if (equals < 0) throw new UsageError(`--filter ${text} has no value; write field=value`)
  const typed = text.slice(0, equals)
  const { name, field } = fieldNamed(of, typed)
  const wanted = text.slice(equals + 1).trim()
  const isText = field.kind === 'text' || field.kind === 'choice'
  const value = isText ? choiceOf(field, wanted) || null : valueOfText(field, wanted)
  if (field.oneOf && value !== null && !field.oneOf.some((one) => one === value))
    throw new UsageError(`--filter ${typed} must be ${sayChoices(field, wanted)}`)
  if (value instanceof Fault) throw new UsageError(`--filter ${name}: ${value.message}`)
  return (record) => inOneCase(record[name] ?? null) === inOneCase(value)
}

/** Finds out what a filter keeps, for which it may need names. */
type Filter = (names: Names) => Promise<Keep>

/** Returns the filter by what an id refers to, which may be named; undefined if the text filters by another field. */
const referenceOf = (of: Printable, fields: readonly (NamedField | NameColumn)[], text: string): Filter | undefined => {
  const equals = text.indexOf('=')
  const wanted = text.slice(equals + 1).trim()
  if (equals < 0 || wanted === '') return undefined
  const { name } = fieldNamed(of, text.slice(0, equals), fields)
  const column = nameColumns(of).find((one) => one.name === name || (one.idField === name && !isId(wanted)))
  if (!column) return undefined
  return async (names) => {
    const id = await names.idOf(column.kind, wanted)
    return (record) => record[column.idField] === id
  }
}

const compare = (left: FieldValue, right: FieldValue): number => {
  if (left === right) return 0
  // Missing values come last.
  if (left === null) return 1
  if (right === null) return -1
  return left < right ? -1 : 1
}

const orderOf = (of: Printable, text: string, fields = of.shown): ((left: AnyRecord, right: AnyRecord) => number) => {
  const descending = text.startsWith('-')
  const { name } = fieldNamed(of, descending ? text.slice(1) : text, fields)
  return (left, right) => {
    const [one, other] = [left[name] ?? null, right[name] ?? null]
    if (one === null || other === null) return compare(one, other)
    return descending ? compare(other, one) : compare(one, other)
  }
}

const limitOf = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`--limit ${text} is not a number of rows`)
}

/** Returns the records that the options select, in their order. */
export const applyListOptions = <T extends AnyRecord>(
  of: Printable,
  records: readonly T[],
  options: ListOptions,
): T[] => {
  const filters = (options.filter ?? []).map((text) => filterOf(of, text))
  const kept = records.filter((record) => filters.every((keep) => keep(record)))
  if (options.sort !== undefined) kept.sort(orderOf(of, options.sort))
  return options.limit === undefined ? kept : kept.slice(0, limitOf(options.limit))
}

/** Tells whether a column shows names of what ids refer to. */
export const isNameColumn = (one: NamedField | NameColumn): one is NameColumn => 'idField' in one

/**
 * Returns the fields to show where ids have names: in a table the names, with `--ids` the ids as well; elsewhere the ids,
 * with `--names` the names as well.
 */
export const namedFields = (
  of: Printable,
  { ids, names }: NameOptions,
  isTable: boolean,
  fields = isTable ? of.brief : of.shown,
): readonly (NamedField | NameColumn)[] => {
  const named = nameColumns(of)
  return fields.flatMap((one): (NamedField | NameColumn)[] => {
    const name = named.find(({ idField }) => idField === one.name)
    if (!name) return [one]
    if (isTable) return ids ? [one, name] : [name]
    return names ? [one, name] : [one]
  })
}

/** Describes records with the names that they are shown with. */
export type NamedRecords = { readonly shown: readonly NamedField[]; readonly records: readonly AnyRecord[] }

/** Says how records are shown: with which names, and which of their fields, if not the usual ones. */
type ShownOptions = NameOptions & { readonly fields?: readonly NamedField[] }

/** Reads the names that records are shown with, in a table of their own fields or of other ones. */
export const nameRecords = async (
  client: Client,
  of: Printable,
  records: readonly AnyRecord[],
  options: ShownOptions,
  printing: Printing,
): Promise<NamedRecords> => {
  const shown = namedFields(of, options, isForPeople(printing.format), options.fields)
  const names = createNames(client)
  const named = await names.addTo(shown.filter(isNameColumn), records)
  return { shown: records.length === 0 ? shown : await names.inUnits(shown, printing), records: named }
}

/** Describes a list as its options ask for it. */
export type ListView = {
  readonly columns: readonly NamedField[]
  /** Returns the records that are asked for, in their order, with the names that are shown. */
  readonly select: (records: readonly AnyRecord[], names: Names) => Promise<AnyRecord[]>
}

/** Creates the view of a list whose ids have names. Throws what is wrong with its options before anything is read. */
export const listView = (of: Printable, options: ListOptions & NameOptions, format: Format): ListView => {
  const others = of.brief.filter(({ name }) => !of.shown.some((one) => one.name === name))
  const all = [...of.shown, ...fieldsOnRequest(of), ...others, ...nameColumns(of)]
  const columns =
    options.columns === undefined
      ? namedFields(of, options, isForPeople(format))
      : options.columns.split(',').map((name) => fieldNamed(of, name.trim(), all))
  const filters = (options.filter ?? []).map((text): Filter => {
    const byReference = referenceOf(of, all, text)
    if (byReference) return byReference
    const keep = filterOf(of, text)
    return async () => keep
  })
  const order = options.sort === undefined ? undefined : orderOf(of, options.sort, all)
  const limit = options.limit === undefined ? undefined : limitOf(options.limit)
  const sortedBy = all.find(({ name }) => name === options.sort?.replace(/^-/, ''))
  const named = [...new Set([...columns, ...(sortedBy ? [sortedBy] : [])])].filter(isNameColumn)
  return {
    columns,
    select: async (records, names) => {
      const keeps = await Promise.all(filters.map((filter) => filter(names)))
      const kept = await names.addTo(
        named,
        records.filter((record) => keeps.every((keep) => keep(record))),
      )
      if (order) kept.sort(order)
      return limit === undefined ? kept : kept.slice(0, limit)
    },
  }
}
