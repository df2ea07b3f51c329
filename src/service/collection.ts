import { type Issue, invalid, KpiError } from '../domain/errors.ts'
import { completeRecord, type Draft, type Patch, type Reading, type Resource, type Stored } from '../domain/schema.ts'
import { type Counter, takeIds } from '../store/counters.ts'
import type { Reader } from '../store/db.ts'
import type { Extra, Table } from '../store/table.ts'
import { type Context, found, type Ids } from './context.ts'

/** What can be done with a resource; each call is one transaction. */
export type Collection<R extends Resource> = {
  readonly list?: (ctx: Context, ids: Ids) => Promise<readonly Stored<R>[]>
  readonly get?: (ctx: Context, ids: Ids) => Promise<Stored<R>>
  readonly add?: (ctx: Context, ids: Ids, sent: Reading<Draft<R>>) => Promise<Stored<R>>
  readonly update?: (ctx: Context, ids: Ids, sent: Reading<Patch<R>>) => Promise<Stored<R>>
  readonly remove?: (ctx: Context, ids: Ids) => Promise<void>
}

/** The rules of a resource, asked within the transaction. */
export type Rules<R extends Resource> = {
  /** Values for fields that were not given. */
  readonly fill?: (tx: Reader, account: number, given: Reading<Draft<R>>['values']) => Promise<object>
  /** Faults of what was sent that only the store can tell. */
  readonly faults?: (tx: Reader, account: number, sent: Partial<Stored<R>>) => Promise<Issue[]>
  /** What another one holds already. */
  readonly clashes?: (tx: Reader, account: number, sent: Partial<Stored<R>>, id?: number) => Promise<Issue[]>
  /** Columns that are kept and never shown. */
  readonly unshown?: (given: Reading<Draft<R>>['values']) => Promise<Extra>
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

/** Whether any value changed. */
export const differs = (before: object, after: object): boolean => {
  const values = new Map(Object.entries(before))
  return Object.entries(after).some(([name, value]) => values.get(name) !== value)
}

/** Faults of mandatory fields that may be left out of what is sent, where nothing could be found to stand in for them. */
const unfilled = (of: Resource, { values, issues }: Reading<object>, filled: object): Issue[] => {
  const known = new Set([...Object.keys(values), ...issues.map(({ field }) => field)])
  const given = new Map(Object.entries(filled))
  return of.writable
    .filter(({ name, field }) => field.required && !known.has(name) && given.get(name) === undefined)
    .map(({ name }) => ({ field: name, message: 'is required, as there is none to take instead' }))
}

/** The five operations on a resource whose records have an id of their own, by its rules. */
export const collection = <R extends Resource>(
  of: R,
  rows: Table<R>,
  counter: Counter,
  rules: Rules<R> = {},
): Required<Collection<R>> => {
  const check = async (tx: Reader, account: number, sent: Reading<object>, id?: number): Promise<void> => {
    const values = sent.values as Partial<Stored<R>>
    const issues = (await rules.faults?.(tx, account, values)) ?? []
    const clashes = (await rules.clashes?.(tx, account, values, id)) ?? []
    refuse([...sent.issues, ...issues], clashes)
  }
  const find = async (tx: Reader, account: number, id: number): Promise<Stored<R>> =>
    found(await rows.find(tx, account, id), of.title, id)

  return {
    list: ({ db, account }) => db.read((tx) => rows.list(tx, account.id)),

    get: ({ db, account }, { id }) => db.read((tx) => find(tx, account.id, id)),

    add: ({ db, account, now }, _ids, sent) =>
      db.write(async (tx) => {
        const filled = (await rules.fill?.(tx, account.id, sent.values)) ?? {}
        await check(tx, account.id, { ...sent, issues: [...sent.issues, ...unfilled(of, sent, filled)] })
        const id = await takeIds(tx, account.id, counter)
        const record = completeRecord(of, sent.values, { ...filled, id, created_at: now, updated_at: now })
        await rows.insert(tx, account.id, record, (await rules.unshown?.(sent.values)) ?? {})
        return record
      }),

    update: ({ db, account, now }, { id }, sent) =>
      db.write(async (tx) => {
        const before = await find(tx, account.id, id)
        await check(tx, account.id, sent, id)
        const after = completeRecord(of, sent.values, before)
        await rules.mayChange?.(tx, account.id, before, after)
        if (!differs(before, after)) return before
        const changed = { ...after, updated_at: now }
        await rows.update(tx, account.id, changed)
        return changed
      }),

    remove: ({ db, account }, { id }) =>
      db.write(async (tx) => {
        const record = await find(tx, account.id, id)
        await rules.mayRemove?.(tx, account.id, record)
        await rows.remove(tx, account.id, id)
      }),
  }
}
