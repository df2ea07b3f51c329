import type { Command, OptionValues } from '@commander-js/extra-typings'
import { nearest } from '../../../client/directory.ts'
import { Fault } from '../../../domain/errors.ts'
import { valueOfText } from '../../../domain/field-value.ts'
import type { AnyRecord, FieldValue, NamedField, Resource } from '../../../domain/schema.ts'
import { collect } from '../../args/flags.ts'
import { UsageError } from '../../exit.ts'
import type { Format } from '../../output/print.ts'

/** Describes the options that filter and sort every list. */
export type ListOptions = {
  readonly columns?: string
  readonly sort?: string
  readonly filter?: readonly string[]
  readonly limit?: string
}

/** Adds the options of a list to a command. */
export const addListOptions = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
) =>
  command
    .option('--columns <names>', 'the fields to show, separated by commas')
    .option('--sort <field>', 'sort by this field; with a minus in front, in descending order')
    .option('--filter <field=value>', 'only those with this value; may be given more than once', collect)
    .option('--limit <n>', 'show at most this many')

const fieldNamed = (of: Resource, name: string): NamedField => {
  const found = of.shown.find((one) => one.name === name)
  if (found) return found
  const names = of.shown.map((one) => one.name)
  const near = nearest(name, names)
  const hint = near === undefined ? 'there are' : `did you mean ${near}? There are`
  throw new UsageError(`${of.plural} have no field "${name}"; ${hint} ${names.join(', ')}`)
}

/** Returns the fields to show: those that were asked for; else in a table the most telling ones, otherwise all. */
export const chooseColumns = (of: Resource, { columns }: ListOptions, format: Format): readonly NamedField[] => {
  if (columns !== undefined) return columns.split(',').map((name) => fieldNamed(of, name.trim()))
  return format === 'table' ? of.brief : of.shown
}

const inOneCase = (value: FieldValue): FieldValue => (typeof value === 'string' ? value.toLowerCase() : value)

type Keep = (record: AnyRecord) => boolean

const filterOf = (of: Resource, text: string): Keep => {
  const equals = text.indexOf('=')
  if (equals < 0) throw new UsageError(`--filter ${text} has no value; write field=value`)
  const { name, field } = fieldNamed(of, text.slice(0, equals))
  const wanted = text.slice(equals + 1).trim()
  const isText = field.kind === 'text' || field.kind === 'choice'
  const value = isText ? wanted || null : valueOfText(field, wanted)
  if (value instanceof Fault) throw new UsageError(`--filter ${name}: ${value.message}`)
  return (record) => inOneCase(record[name] ?? null) === inOneCase(value)
}

const compare = (left: FieldValue, right: FieldValue): number => {
  if (left === right) return 0
  // Missing values come last.
  if (left === null) return 1
  if (right === null) return -1
  return left < right ? -1 : 1
}

const orderOf = (of: Resource, text: string): ((left: AnyRecord, right: AnyRecord) => number) => {
  const descending = text.startsWith('-')
  const { name } = fieldNamed(of, descending ? text.slice(1) : text)
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
  of: Resource,
  records: readonly T[],
  options: ListOptions,
): T[] => {
  const filters = (options.filter ?? []).map((text) => filterOf(of, text))
  const kept = records.filter((record) => filters.every((keep) => keep(record)))
  if (options.sort !== undefined) kept.sort(orderOf(of, options.sort))
  return options.limit === undefined ? kept : kept.slice(0, limitOf(options.limit))
}
