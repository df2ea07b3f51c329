import type { AnyRecord, FieldValue, Printable } from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'

/** Tells whether a person at a terminal reads a sentence about what was done, instead of the record that `-o` prints. */
export const isShort = ({ io, flags, printing }: Cli): boolean =>
  io.stdout.isTerminal && flags.output === undefined && printing().format === 'table'

/** Tells whether what was done is printed as data; where the format is a table, notes say it. */
export const isPrintedAsData = ({ printing }: Pick<Cli, 'printing'>): boolean => printing().format !== 'table'

const FULL_NAME = ['first_name', 'last_name']

/** Returns what a record is called: its name, or a person's first and last name. */
export const nameIn = (record: Readonly<Record<string, FieldValue | undefined>>): string => {
  const parts = [record['name'] ?? FULL_NAME.map((field) => record[field] ?? '')].flat()
  return parts.filter((part) => part !== '').join(' ')
}

/** Names a record: `KPI 3, Revenue`. */
export const recordLabel = ({ title }: Pick<Printable, 'title'>, record: AnyRecord): string =>
  [`${title} ${String(record['id'])}`, nameIn(record)].filter((part) => part !== '').join(', ')

/** Returns the word for several of a resource: `KPIs`, `breakdown items`. */
export const pluralOf = ({ title, plural = `${title}s` }: Pick<Printable, 'title' | 'plural'>): string =>
  title === 'KPI' ? 'KPIs' : plural.replaceAll('_', ' ')

/** Returns why a list may be empty although there are records: its filters, or its limit. */
export const emptyBecause = ({ filter, limit }: { readonly filter?: unknown; readonly limit?: unknown }): string => {
  if (limit !== undefined && Number(limit) === 0) return ' within --limit 0'
  return filter === undefined ? '' : ' that the filters select'
}

/**
 * Says in a note that a list is empty, and what it would list; `where` says among what was looked. A person at a terminal
 * reads how there comes to be one, unless something was only left out.
 */
export const tellEmpty = (
  { note, io }: Pick<Cli, 'note' | 'io'>,
  of: Pick<Printable, 'title' | 'plural'>,
  where = '',
  next?: string,
): Promise<void> => {
  const hint = next !== undefined && where === '' && io.stdout.isTerminal ? `; ${next}` : ''
  return note(`no ${pluralOf(of)}${where}${hint}`)
}

/** Says what was done to records: `created KPI 3, Revenue`, or how many they are. */
export const doneTo = (
  done: string,
  of: Pick<Printable, 'title' | 'plural'>,
  records: readonly AnyRecord[],
): string => {
  const [only] = records
  if (only && records.length === 1) return `${done} ${recordLabel(of, only)}`
  return `${done} ${records.length} ${pluralOf(of)}`
}
