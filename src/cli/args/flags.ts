import { type Command, type CommandUnknownOpts, Option, type OptionValues } from '@commander-js/extra-typings'
import type { Client } from '../../client/client.ts'
import { Fault } from '../../domain/errors.ts'
import { parseDecimal } from '../../domain/decimal.ts'
import { choiceOf, INT16_MAX, valueOfText } from '../../domain/field-value.ts'
import {
  type AnyRecord,
  describeFallback,
  type Field,
  type FieldValue,
  type NamedField,
  type Resource,
  usualWith,
} from '../../domain/schema.ts'
import { UsageError } from '../exit.ts'
import { sayChoices } from './choices.ts'
import { findId, readDirectory } from './names.ts'
import { isListedKind } from '../../client/operations/kind-operations.ts'
import { listFirst, MOST_LISTED } from '../../domain/count-text.ts'
import { KINDS } from '../../domain/kinds.ts'

/** Holds parsed flags; flags that are made from fields are checked by their fields. */
export type FlagValues = Readonly<Record<string, unknown>>

/** Returns the flag of a field: `category_id` is `--category`. Secrets have none. */
export const flagName = (name: string): string =>
  // The interface's own filter has this name.
  name === 'is_archived' ? 'archived' : name.replace(/_id$/, '').replaceAll('_', '-')

/** Returns the name that commander gives a flag: `sort-order` is `sortOrder`. */
export const camelCase = (flag: string): string =>
  flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the flag to which commander gives a name. */
export const kebabCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Returns the placeholder for a field's value in help. */
const argumentName = (field: Field): string => {
  if (field.refers) return field.refers === 'user' ? 'id|name|email' : 'id|name'
  if (field.oneOf) return (field.words ?? field.oneOf).join('|')
  const words: Partial<Record<Field['kind'], string>> = {
    boolean: 'true|false',
    decimal: 'number',
    int16: 'n',
    integer: 'n',
    date: 'date',
  }
  return words[field.kind] ?? 'text'
}

const flaggedFields = (of: Resource): readonly NamedField[] => of.writable.filter(({ field }) => !field.secret)

type Purpose = 'add' | 'update'

/** Collects the values of a flag that may be given more than once. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** Declares the flag that says which names are meant, though they look like others. */
export const BY_NAME = [
  '--by-name <field,...>',
  'fields whose names are meant, though they look like others',
  collect,
] as const

/** Collects the values of a flag that may be given more than once, and without a value, which then means all of them. */
export const collectOrAll = (value: string, before: readonly string[] | true = []): string[] | true =>
  before === true ? before : [...before, value]

/** Describes a flag and the field that it sets. */
export type FieldFlag = NamedField & { readonly flag: string }

const describeUsual = ({ usual, unless }: Field): string =>
  unless ? `${usual}, or ${unless.usual} where ${unless.because}` : String(usual)

/** Adds flags that give fields. */
export const addFlags = <C extends CommandUnknownOpts>(command: C, of: readonly FieldFlag[], purpose: Purpose): C => {
  for (const { flag, field } of of) {
    const usual = purpose === 'add' && field.usual !== undefined ? ` (default: ${describeUsual(field)})` : ''
    const needed = purpose === 'add' && field.required && field.usual === undefined ? ' (required)' : ''
    const fallback = purpose === 'add' ? describeFallback(field) : undefined
    const about = fallback === undefined ? field.about : `${field.about}; ${fallback}`
    command.addOption(new Option(`--${flag} <${argumentName(field)}>`, about + usual + needed))
  }
  return command
}

/** Returns the flags of a resource's own fields. */
export const fieldFlags = (of: Resource): FieldFlag[] =>
  flaggedFields(of).map((one) => ({ ...one, flag: flagName(one.name) }))

/** Adds a flag for each field that may be sent. */
export const addFieldFlags = <C extends CommandUnknownOpts>(command: C, of: Resource, purpose: Purpose): C =>
  addFlags(command, fieldFlags(of), purpose)

/** Adds `--from-json`, which gives all fields instead of their flags. */
export const addFromJson = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
  of: Resource,
) =>
  command.addOption(
    new Option('--from-json <file>', 'read one object, or an array of them, from a file or - for standard input') //
      .conflicts(flaggedFields(of).map(({ name }) => camelCase(flagName(name)))),
  )

/** Describes the fields that the flags of a line set, and their faults, which are reported together. */
export type ParsedFlags = { readonly fields: Record<string, FieldValue>; readonly faults: string[] }

/** Returns the fault of a number with its text, and with a form that is understood if this one is not. */
const asNumberFault = ({ message, verb }: Fault, text: string): Fault =>
  new Fault(`"${text}" ${message}${parseDecimal(text) ? '' : '; write it like 1234.5'}`, verb)

/** Returns the value that a text means for a field, or its fault. */
export const readText = (field: Field, text: string): FieldValue | Fault => {
  const value = valueOfText(field, choiceOf(field, text))
  if (value instanceof Fault && field.oneOf) return Fault.must(`be ${sayChoices(field, text)}`)
  if (value instanceof Fault && field.kind === 'decimal') return asNumberFault(value, text)
  return value === null && !field.nullable ? Fault.must('not be empty') : value
}

/**
 * Lists references that are given by id alone, as the interface has no names for them, and the command that shows the
 * ids.
 */
const BY_ID: Readonly<Record<string, string>> = {
  breakdown_id:
    'be a whole number: breakdowns are given by id, which kpi service breakdowns list shows on the bundled service',
}

type Read = (field: Field, text: string, given: AnyRecord) => Promise<FieldValue | Fault> | FieldValue | Fault

const readFlag = (client: Client, field: Field, text: string): ReturnType<Read> =>
  field.refers !== undefined && isListedKind(field.refers) && text.trim() !== ''
    ? findId(client, field.refers, text)
    : readText(field, text)

/** Returns what is wrong with a flag, as a sentence. */
export const faultText = (flag: string, text: string, { message, verb }: Fault): string => {
  if (verb === 'must') return `--${flag} ${message}`
  return verb === 'is' ? `--${flag} ${text} ${message}` : `--${flag}: ${message}`
}

/** Says of which KPIs the numbers of flags are, which may be written with units, and where it is told how they are read. */
type NumbersOf = {
  readonly kpis: (given: AnyRecord) => readonly number[] | Promise<readonly number[]>
  readonly note: (text: string) => unknown
}

/** Reads a number that is written with its unit or scale, by the units of KPIs; returns the fault if it is none. */
const readWritten = async (
  client: Client,
  text: string,
  fault: Fault,
  { kpis, note }: NumbersOf,
  given: AnyRecord,
): Promise<FieldValue | Fault> => {
  const { mayBeWritten, readWrittenNumber } = await import('../../domain/numbers/written-number.ts')
  if (!mayBeWritten(text)) return fault
  const { measuresOfKpis } = await import('./measures-of-kpis.ts')
  const number = readWrittenNumber(text, await measuresOfKpis(client, await kpis(given), given))
  if (number === undefined || number instanceof Fault) return number ?? fault
  await note(number.shown)
  return number.value
}

const readEach = async (of: readonly FieldFlag[], flags: FlagValues, read: Read): Promise<ParsedFlags> => {
  const fields: Record<string, FieldValue> = {}
  const faults = new Map<FieldFlag, string>()
  // Numbers are read last, as another flag may give what they are of.
  const isNumber = ({ field }: FieldFlag): boolean => field.kind === 'decimal'
  for (const one of [...of.filter((other) => !isNumber(other)), ...of.filter(isNumber)]) {
    const { flag, name, field } = one
    const text = flags[camelCase(flag)]
    if (typeof text !== 'string') continue
    const value = await read(field, text, fields)
    if (value instanceof Fault)
      faults.set(one, faultText(flag, text, BY_ID[name] === undefined ? value : Fault.must(BY_ID[name])))
    else fields[name] = value
  }
  return { fields, faults: of.flatMap((one) => faults.get(one) ?? []) }
}

/** Reads flags that give fields. An empty text clears a field that may be empty. */
export const readFlags = (
  client: Client,
  of: readonly FieldFlag[],
  flags: FlagValues,
  numbers?: NumbersOf,
): Promise<ParsedFlags> =>
  readEach(of, flags, async (field, text, given) => {
    const value = await readFlag(client, field, text)
    const isWritten = value instanceof Fault && field.kind === 'decimal' && numbers !== undefined
    return isWritten ? readWritten(client, text, value, numbers, given) : value
  })

/** Reads flags that give fields, where none of them names anything that would have to be looked up. */
export const readPlainFlags = (of: readonly FieldFlag[], flags: FlagValues): Promise<ParsedFlags> =>
  readEach(of, flags, readText)

/** Returns the given fields; throws when any of them is wrong. */
export const requireNoFaults = ({ fields, faults }: ParsedFlags): Record<string, FieldValue> => {
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  return fields
}

const nextPlace = async (list: () => Promise<readonly AnyRecord[]>): Promise<number> => {
  const places = (await list()).map(({ sort_order }) => Number(sort_order))
  return Math.min(Math.max(0, ...places) + 1, INT16_MAX)
}

/** Returns the thing on which the default of a field depends, if it was given. */
const referredBy = async (
  client: Client,
  of: Resource,
  { unless }: Field,
  given: AnyRecord,
): Promise<object | undefined> => {
  const { refers } = of.fields[unless?.field ?? ''] ?? {}
  const id = given[unless?.field ?? '']
  if (refers === undefined || !isListedKind(refers) || typeof id !== 'number') return undefined
  return (await readDirectory(client, refers))?.byId.get(id)
}

const usualValue = async (
  client: Client,
  field: Field,
  list: () => Promise<readonly AnyRecord[]>,
  referred: object | undefined,
): Promise<FieldValue | Fault> => {
  if (field.usual === 'next') return nextPlace(list)
  const usual = usualWith(field, referred)
  return typeof usual === 'string' ? readFlag(client, field, usual) : (usual ?? null)
}

/** Returns the flags that a line must give and does not, as help shows them. */
export const missingFlags = (needed: readonly FieldFlag[], flags: FlagValues): string[] =>
  needed
    .filter(({ flag, field }) => field.required && field.usual === undefined && flags[camelCase(flag)] === undefined)
    .map(({ flag, field }) => `--${flag} <${argumentName(field)}>`)

/** Returns what is wrong with a default that names something: what there is to take instead, or how to make it. */
const usualFault = async (client: Client, flag: string, { refers, usual }: Field, fault: Fault): Promise<string> => {
  const text = faultText(flag, String(usual), fault)
  if (refers === undefined || !isListedKind(refers)) return text
  const known = [...((await readDirectory(client, refers))?.byId.values() ?? [])].map(({ name }) => name)
  const makes = `kpi ${KINDS[refers].of.plural} create --name ${String(usual)} makes it`
  const others = listFirst(known, MOST_LISTED, (name) => name)
  return `${text}, which is the default: ${known.length === 0 ? '' : `--${flag} takes another, such as ${others}; `}${makes}`
}

/** Adds the usual values of mandatory fields that no flag of the line gives; what is still missing is a fault. */
export const addUsualFields = async (
  client: Client,
  of: Resource,
  flags: FlagValues,
  { fields, faults }: ParsedFlags,
  list: () => Promise<readonly AnyRecord[]>,
): Promise<void> => {
  const own = { ...fields }
  for (const { name, flag, field } of fieldFlags(of)) {
    if (flags[camelCase(flag)] !== undefined || !field.required || field.usual === undefined) continue
    const value = await usualValue(client, field, list, await referredBy(client, of, field, own))
    if (value instanceof Fault) faults.push(await usualFault(client, flag, field, value))
    else fields[name] = value
  }
  const missing = missingFlags(fieldFlags(of), flags)
  if (missing.length > 0) faults.push(`a ${of.title} needs ${missing.join(', ')}`)
}
