import { type Issue, invalid, KpiError } from '../domain/errors.ts'
import type { Draft, Reading, Resource, Stored } from '../domain/schema.ts'
import type { Reader } from '../store/db.ts'
import type { Extra, Rows } from '../store/table.ts'
import { found, type Ids } from './context.ts'

/** What a resource lies below, such as the group of a group item. */
export type Above = {
  /** The field that holds its id; what a body says of that is ignored. */
  readonly field: string
  /** Throws where there is none of this id. */
  readonly mustExist: (tx: Reader, account: number, parent: number) => Promise<void>
  /** What there is none of, where one is not found there. */
  readonly missing: (id: number, parent: number) => string
}

/** The rules of a resource, asked within the transaction. */
export type Rules<R extends Resource> = {
  readonly above?: Above
  /** Throws where nothing may be done to this one, or to what is sent for one, whatever else is wrong with it. */
  readonly mustBeOpen?: (record: Partial<Stored<R>>) => void
  /** Values for fields that were not given. */
  readonly fill?: (tx: Reader, account: number, given: Reading<Draft<R>>['values']) => Promise<object>
  /** Faults of what was sent, for a new one or for the one that is there, that only the store can tell. */
  readonly faults?: (tx: Reader, account: number, sent: Partial<Stored<R>>, before?: Stored<R>) => Promise<Issue[]>
  /** What another one holds already. */
  readonly clashes?: (tx: Reader, account: number, sent: Partial<Stored<R>>, before?: Stored<R>) => Promise<Issue[]>
  /** Columns that are kept and never shown. */
  readonly unshown?: (given: Reading<Draft<R>>['values']) => Promise<Extra>
  /** Records as they are shown, where that is not as they are kept. */
  readonly shown?: (tx: Reader, account: number, records: readonly Stored<R>[]) => Promise<readonly Stored<R>[]>
  /** Throws where this one must not be changed so. */
  readonly mayChange?: (tx: Reader, account: number, before: Stored<R>, after: Stored<R>) => Promise<void>
  /** Throws where this one must not be removed. */
  readonly mayRemove?: (tx: Reader, account: number, record: Stored<R>) => Promise<void>
}

/** Throws all that is wrong at once; what only clashes with another one is a conflict. */
export const refuse = (issues: readonly Issue[], clashes: readonly Issue[]): void => {
  const [clash] = clashes
  if (issues.length > 0) throw invalid([...issues, ...clashes])
  if (clash) throw new KpiError('conflict', `${clash.field}: ${clash.message}`, { issues: clashes })
}

/** What was sent, but for fields whose values the path settles. */
export const without = <T extends object>(sent: Reading<T>, names: readonly string[]): Reading<T> => {
  const values = { ...sent.values }
  for (const name of names) Reflect.deleteProperty(values, name)
  return { values, issues: sent.issues.filter(({ field }) => !names.includes(field)) }
}

/** The rules of a resource as its operations ask them. */
export type Asking<R extends Resource> = {
  readonly mustBeAbove: (tx: Reader, account: number, parent: number) => Promise<void>
  readonly find: (tx: Reader, account: number, ids: Ids) => Promise<Stored<R>>
  /** Throws where nothing may be done to one of these. */
  readonly mustBeOpen: (...records: readonly object[]) => void
  /** What is sent for a new one, its place below another included. */
  readonly placed: (sent: Reading<Draft<R>>, parent: number) => Reading<Draft<R>>
  /** Values for what was not sent for a new one. */
  readonly fill: (tx: Reader, account: number, sent: Reading<Draft<R>>, parent: number) => Promise<object>
  /** Throws everything that is wrong with what was sent. */
  readonly check: (tx: Reader, account: number, sent: Reading<object>, before?: Stored<R>) => Promise<void>
  readonly show: (tx: Reader, account: number, records: readonly Stored<R>[]) => Promise<readonly Stored<R>[]>
}

const finding =
  <R extends Resource>(of: R, rows: Rows<R>, above: Above | undefined): Asking<R>['find'] =>
  async (tx, account, { id, parent }) => {
    await above?.mustExist(tx, account, parent)
    const record = await rows.find(tx, account, id, parent)
    if (record === undefined && above) throw new KpiError('not_found', `there is no ${above.missing(id, parent)}`)
    return found(record, of.title, id)
  }

/** Makes what the operations on a resource ask of its rules and rows. */
export const askingOf = <R extends Resource>(of: R, rows: Rows<R>, rules: Rules<R>): Asking<R> => {
  const { above } = rules
  const isPlaced = of.fields['sort_order']?.fallback === 'next'
  return {
    mustBeAbove: async (tx, account, parent) => above?.mustExist(tx, account, parent),
    find: finding(of, rows, above),
    mustBeOpen: (...records) => {
      for (const record of records) rules.mustBeOpen?.(record)
    },
    placed: (sent, parent) => {
      if (!above) return sent
      const { values, issues } = without(sent, [above.field])
      return { values: { ...values, [above.field]: parent }, issues }
    },
    fill: async (tx, account, { values }, parent) => ({
      ...(isPlaced && { sort_order: await rows.nextPlace?.(tx, account, parent) }),
      ...(await rules.fill?.(tx, account, values)),
    }),
    check: async (tx, account, sent, before) => {
      const values = sent.values as Partial<Stored<R>>
      const issues = (await rules.faults?.(tx, account, values, before)) ?? []
      const clashes = (await rules.clashes?.(tx, account, values, before)) ?? []
      refuse([...sent.issues, ...issues], clashes)
    },
    show: async (tx, account, records) => (await rules.shown?.(tx, account, records)) ?? records,
  }
}
