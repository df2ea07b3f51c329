import type { Client } from '../../../client/client.ts'
import { cellText } from '../../../codec/cell-text.ts'
import { Fault } from '../../../domain/errors.ts'
import {
  formatByPattern,
  type NumberPattern,
  type NumberSigns,
  readNumberPattern,
  unrounded,
} from '../../../domain/number-pattern.ts'
import type { AnyRecord, Field, FieldValue, NamedField, Printable } from '../../../domain/schema.ts'
import type { Directory, Named } from '../../../client/directory.ts'
import { readDirectory } from '../../args/names.ts'
import { isListedKind, type ListedKind } from '../../../client/operations/kind-operations.ts'
import { UsageError } from '../../exit.ts'
import { isForPeople, type Printing } from '../../output/print.ts'

/** Describes the column that shows the name of what an id refers to: `category` beside `category_id`. */
export type NameColumn = NamedField & {
  readonly kind: ListedKind
  /** Names the field that holds the id. */
  readonly idField: string
}

/** Returns the column of names beside a field that refers to something with a name. */
const nameColumnOf = (of: Pick<Printable, 'fields'>, { name, field }: NamedField): NameColumn | undefined => {
  const { refers } = field
  if (refers === undefined || !isListedKind(refers)) return undefined
  // A link has the id of what it leads to, and may have its name, too.
  if (name === 'id' && 'name' in of.fields) return undefined
  const title = name === 'id' ? refers : name.replace(/_id$/, '')
  return { name: title, field: { kind: 'text', about: `Name of the ${title}` }, kind: refers, idField: name }
}

/** Returns the columns of names that a resource has, by the fields that they stand beside. */
export const nameColumns = (of: Pick<Printable, 'fields' | 'shown'>): NameColumn[] =>
  of.shown.flatMap((one) => nameColumnOf(of, one) ?? [])

/** Names things by their ids; each kind of things is read once, and only if it is asked for. */
export type Names = {
  /** Returns records with the names that columns show; `#7` is an id that nothing has a name for. */
  readonly addTo: (columns: readonly NameColumn[], records: readonly AnyRecord[]) => Promise<AnyRecord[]>
  /** Finds something by its id, name or e-mail address. */
  readonly find: (kind: ListedKind, text: string) => Promise<Named | Fault>
  /** Returns what is wrong with an id that nothing has; undefined where that cannot be told, as of other services. */
  readonly faultOfId: (kind: ListedKind, id: number) => Promise<Fault | undefined>
  /** Returns its id. */
  readonly idOf: (kind: ListedKind, text: string) => Promise<number>
  /**
   * Returns columns whose values people read by the pattern of their unit, with all decimals that are stored. What is in
   * no unit stays, as do all columns where programs read them.
   */
  readonly inUnits: (columns: readonly NamedField[], printing: Printing) => Promise<readonly NamedField[]>
  /** Returns a value of a KPI as people read it. */
  readonly valueOf: (kpi: FieldValue, value: FieldValue, printing: Printing) => Promise<string>
  /** Returns what an id is called. */
  readonly nameOf: (kind: ListedKind, id: FieldValue) => Promise<string>
}

const nameIn = (directory: Directory<Named> | undefined, id: FieldValue): string | null =>
  id === null ? null : (directory?.byId.get(Number(id))?.name ?? `#${String(id)}`)

/** Returns a value by a pattern; as it is, if there is none. */
const valueText = (
  field: Field,
  value: FieldValue,
  pattern: NumberPattern | undefined,
  signs: NumberSigns | undefined,
): string => (typeof value === 'bigint' && pattern ? formatByPattern(value, pattern, signs) : cellText(field, value))

type UnitOf = NonNullable<Field['inUnitOf']>

/** Returns the pattern of the unit of something, by its id; undefined if it cannot be told. */
type FindPattern = (kind: UnitOf['kind'], id: FieldValue) => NumberPattern | undefined

const patternsOf = (kpis: Directory<Named> | undefined, units: Directory<Named> | undefined): FindPattern => {
  const known = new Map<number, NumberPattern>()
  return (kind, id) => {
    const unitId = kind === 'unit' ? Number(id) : (kpis?.byId.get(Number(id))?.unit_id ?? 0)
    const format = units?.byId.get(unitId)?.display_format
    if (format === undefined) return undefined
    const pattern = known.get(unitId) ?? unrounded(readNumberPattern(format))
    known.set(unitId, pattern)
    return pattern
  }
}

/** Creates names that are read with a client. A key that may not read some things shows their ids. */
export const createNames = (client: Client): Names => {
  const known = new Map<ListedKind, Promise<Directory<Named> | undefined>>()
  const directoryOf = (kind: ListedKind): Promise<Directory<Named> | undefined> => {
    const reading = known.get(kind) ?? readDirectory(client, kind)
    known.set(kind, reading)
    return reading
  }
  const findPattern = async (ofKpis: boolean): Promise<FindPattern> =>
    patternsOf(...(await Promise.all([ofKpis ? directoryOf('kpi') : undefined, directoryOf('unit')])))
  const find = async (kind: ListedKind, text: string): Promise<Named | Fault> =>
    (await directoryOf(kind))?.find(text) ?? new Fault('names of this kind cannot be read with this key; give the id')
  return {
    addTo: async (columns, records) => {
      const directories = await Promise.all(records.length === 0 ? [] : columns.map(({ kind }) => directoryOf(kind)))
      const namesOf = (record: AnyRecord): AnyRecord =>
        Object.fromEntries(
          columns.map(({ name, idField }, at) => [name, nameIn(directories[at], record[idField] ?? null)]),
        )
      return columns.length === 0 ? [...records] : records.map((record) => ({ ...record, ...namesOf(record) }))
    },
    inUnits: async (columns, { format, signs }) => {
      if (!isForPeople(format) || !columns.some(({ field }) => field.inUnitOf)) return columns
      const patternOf = await findPattern(columns.some(({ field }) => field.inUnitOf?.kind === 'kpi'))
      return columns.map((column): NamedField => {
        const { name, field } = column
        const { inUnitOf } = field
        if (!inUnitOf) return column
        const textOf = (record: AnyRecord): string =>
          valueText(field, record[name] ?? null, patternOf(inUnitOf.kind, record[inUnitOf.idField] ?? null), signs)
        return { ...column, textOf }
      })
    },
    valueOf: async (kpi, value, { signs }) =>
      valueText({ kind: 'decimal', about: '' }, value, (await findPattern(true))('kpi', kpi), signs),
    find,
    faultOfId: async (kind, id) => {
      // Read first: whether the service is ours is known once it has answered.
      const found = (await directoryOf(kind))?.find(`#${id}`)
      return found instanceof Fault && client.isBundled() ? found : undefined
    },
    idOf: async (kind, text) => {
      const found = await find(kind, text)
      if (found instanceof Fault) throw new UsageError(found.message)
      return found.id
    },
    nameOf: async (kind, id) => nameIn(await directoryOf(kind), id) ?? '',
  }
}
