import type { Command } from 'commander'
import { Option } from 'commander'
import type { Client } from '../client/client.ts'
import { Fault } from '../domain/errors.ts'
import { valueOfText } from '../domain/field-value.ts'
import type { AnyRecord, Field, FieldValue, NamedField, Resource } from '../domain/schema.ts'
import { UsageError } from './exit.ts'
import { isNamedKind, resolveId } from './names.ts'

/** The flags of a line as commander has them. */
export type FlagValues = Readonly<Record<string, unknown>>

/** The flag of a field: `category_id` is `--category`. Secrets have none. */
export const flagName = (name: string): string => name.replace(/_id$/, '').replaceAll('_', '-')

const camelCase = (flag: string): string => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

const placeholder = (field: Field): string => {
  if (field.refers) return field.refers === 'user' ? 'id|name|email' : 'id|name'
  if (field.oneOf) return field.oneOf.join('|')
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

/** Adds a flag for each field that may be sent. */
export const addFieldFlags = (command: Command, of: Resource, purpose: 'add' | 'update'): Command => {
  for (const { name, field } of flaggedFields(of)) {
    const usual = purpose === 'add' && field.usual !== undefined ? ` (default: ${field.usual})` : ''
    const needed = purpose === 'add' && field.required && field.usual === undefined ? ' (required)' : ''
    command.addOption(new Option(`--${flagName(name)} <${placeholder(field)}>`, field.about + usual + needed))
  }
  return command
}

const readFlag = async (client: Client, { name, field }: NamedField, text: string): Promise<FieldValue> => {
  if (field.refers !== undefined && isNamedKind(field.refers) && text.trim() !== '') {
    return resolveId(client, field.refers, text)
  }
  const value = valueOfText(field, text)
  if (value instanceof Fault) throw new UsageError(`--${flagName(name)} ${value.message}`)
  if (value === null && !field.nullable) throw new UsageError(`--${flagName(name)} must not be empty`)
  return value
}

/** The fields that the flags of a line give. An empty text clears a field that may be empty. */
export const fieldsFromFlags = async (
  client: Client,
  of: Resource,
  flags: FlagValues,
): Promise<Record<string, FieldValue>> => {
  const fields: Record<string, FieldValue> = {}
  for (const one of flaggedFields(of)) {
    const text = flags[camelCase(flagName(one.name))]
    if (typeof text === 'string') fields[one.name] = await readFlag(client, one, text)
  }
  return fields
}

const nextPlace = async (list: () => Promise<readonly AnyRecord[]>): Promise<number> => {
  const places = (await list()).map(({ sort_order }) => Number(sort_order))
  return Math.min(Math.max(0, ...places) + 1, 32_767)
}

/** Adds the usual values of mandatory fields that were not given; what is still missing is wrong usage. */
export const addUsualFields = async (
  client: Client,
  of: Resource,
  fields: Record<string, FieldValue>,
  list: () => Promise<readonly AnyRecord[]>,
): Promise<void> => {
  const missing: string[] = []
  for (const { name, field } of flaggedFields(of)) {
    if (fields[name] !== undefined || !field.required) continue
    if (field.usual === undefined) missing.push(`--${flagName(name)} <${placeholder(field)}>`)
    else if (field.usual === 'next') fields[name] = await nextPlace(list)
    else if (typeof field.usual === 'string') fields[name] = await readFlag(client, { name, field }, field.usual)
    else fields[name] = field.usual
  }
  if (missing.length > 0) throw new UsageError(`a ${of.title} needs ${missing.join(', ')}`)
}
