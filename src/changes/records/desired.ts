import type { DatedChange } from '../../domain/targets/dated-targets.ts'
import type { FieldValue } from '../../domain/schema.ts'
import { type Kind, nameIn } from './kind-fields.ts'

/**
 * Describes what should be there: a record of a kind, as an input says it. A field that it does not give is left alone,
 * and null clears it.
 */
export type Desired = {
  readonly kind: Kind
  /** Holds its line in a file, or its place in a list. */
  readonly line: number
  /** Holds the id of the record that is meant, to tell it from others of its name. */
  readonly id?: number | undefined
  /** Tells that the id alone says which record is meant, so that its name may change. */
  readonly isById?: true
  /** Tells that it should not be there. */
  readonly isAbsent?: true
  /** Tells that it is a new record, even if another one has its name. */
  readonly isNew?: true
  /** Holds the id that the record had before it was deleted, where it is created again. */
  readonly replaces?: number
  /** Holds the fields that are values. */
  readonly values: Readonly<Record<string, FieldValue>>
  /** Holds numbers with units or scales, such as `1.2M €`, which are read once it is known what they are of. */
  readonly written?: Readonly<Record<string, string>>
  /** Holds the fields that name other records: by name, or by id as `#7`. */
  readonly references: Readonly<Record<string, string>>
  /** Holds what becomes of the targets of some days, where those of other days stay. */
  readonly datedTargets?: readonly DatedChange[] | undefined
  /** Holds the lines of its fields, where they differ. */
  readonly lines?: Readonly<Record<string, number>>
}

/** Returns the name that an input gives what it is about; empty where that has none. */
export const desiredName = ({ kind, values }: Pick<Desired, 'kind' | 'values'>): string => nameIn(kind, values)
