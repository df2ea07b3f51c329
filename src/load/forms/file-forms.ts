import type { DateColumn } from './date-column.ts'
import type { Named } from '../../client/directory.ts'
import { Fault } from '../../domain/errors.ts'
import type { NameColumn } from '../columns/name-column.ts'
import type { NameRole } from '../options.ts'
import { remember } from '../values.ts'
import type { NumberColumn } from './number-column.ts'

/** How the numbers, dates and names of a file are written, column by column. */
export type Forms = {
  readonly numbers: ReadonlyMap<number, NumberColumn>
  /** Those that a column or a constant gives. */
  readonly names: ReadonlyMap<NameRole, NameColumn>
  /** Not there where one date stands for all rows. */
  readonly date: { readonly at: number; readonly column: DateColumn } | undefined
}

/** Finds what the cells of a role name. */
export const finderIn = ({ names }: Forms, role: NameRole): ((text: string) => Named | Fault) =>
  remember(names.get(role)?.find ?? ((text) => new Fault(`there is no ${role} "${text}"`)))
