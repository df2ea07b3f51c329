import { type Issue, invalid, KpiError } from '../domain/errors.ts'
import { completeRecord, type Draft, type Patch, type Reading, type Resource, type Stored } from '../domain/schema.ts'
import { type Counter, takeIds } from '../store/counters.ts'
import type { Reader } from '../store/db.ts'
import type { Extra, Rows } from '../store/table.ts'
import { type Context, found, type Ids } from './context.ts'

/** What can be done with a resource; each call is one transaction. */
export type Collection<R extends Resource> = {
  readonly list?: (ctx: Context, ids: Ids) => Promise<readonly Stored<R>[]>
  readonly get?: (ctx: Context, ids: Ids) => Promise<Stored<R>>
  readonly add?: (ctx: Context, ids: Ids, sent: Reading<Draft<R>>) => Promise<Stored<R>>
  readonly update?: (ctx: Context, ids: Ids, sent: Reading<Patch<R>>) => Promise<Stored<R>>
  readonly remove?: (ctx: Context, ids: Ids) => Promise<void>
}

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
const refuse = (issues: readonly Issue[], clashes: readonly Issue[]): void => {
  const [clash] = clashes
  if (issues.length > 0) throw invalid([...issues, ...clashes])
  if (clash) throw new KpiError('conflict', `${clash.field}: ${clash.message}`, { issues: clashes })
}

/** Whether any value changed. */
const differs = (before: object, after: object): boolean => {
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

/** What was sent, but for fields whose values the path settles. */
const without = <T extends object>(sent: Reading<T>, names: readonly string[]): Reading<T> => {
  const values = { ...sent.values }
  for (const name of names) Reflect.deleteProperty(values, name)
  return { values, issues: sent.issues.filter(({ field }) => !names.includes(field)) }
}

/** The values that are not as they are shown: what is only sent back changes nothing. */
const changesIn = (sent: object, shown: object): object => {
  const known = new Map(Object.entries(shown))
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => known.get(name) !== value))
}

/**
 * The five operations on a resource, by its rules; none to update what never changes. Its ids are counted, or, where the resource is a link to something,
 * `sent` with it.
 */
export const collection = <R extends Resource>(
  of: R,
  rows: Rows<R>,
  ids: Counter | 'sent',
  rules: Rules<R> = {},
): Collection<R> => {
  const { above } = rules
  const { update: write } = rows
  const settled = above ? [above.field] : []
  const check = async (
    tx: Reader,
    account: number,
    sent: Reading<object>,
    before: Stored<R> | undefined,
  ): Promise<void> => {
    const values = sent.values as Partial<Stored<R>>
    const issues = (await rules.faults?.(tx, account, values, before)) ?? []
    const clashes = (await rules.clashes?.(tx, account, values, before)) ?? []
    refuse([...sent.issues, ...issues], clashes)
  }
  const find = async (tx: Reader, account: number, { id, parent }: Ids): Promise<Stored<R>> => {
    await above?.mustExist(tx, account, parent)
    const record = await rows.find(tx, account, id, parent)
    if (record === undefined && above) throw new KpiError('not_found', `there is no ${above.missing(id, parent)}`)
    return found(record, of.title, id)
  }
  const show = async (tx: Reader, account: number, record: Stored<R>): Promise<Stored<R>> => {
    const [shown] = (await rules.shown?.(tx, account, [record])) ?? []
    return shown ?? record
  }
  /** What is sent for a new one, its place below another included. */
  const placed = (sent: Reading<Draft<R>>, parent: number): Reading<Draft<R>> => {
    if (!above) return sent
    const { values, issues } = without(sent, settled)
    return { values: { ...values, [above.field]: parent }, issues }
  }
  const fill = async (
    tx: Reader,
    account: number,
    values: Reading<Draft<R>>['values'],
    parent: number,
  ): Promise<object> => ({
    ...(of.fields['sort_order']?.fallback === 'next' && {
      sort_order: await rows.nextPlace?.(tx, account, parent),
    }),
    ...(await rules.fill?.(tx, account, values)),
  })

  return {
    list: ({ db, account: { id: account } }, { parent }) =>
      db.read(async (tx) => {
        await above?.mustExist(tx, account, parent)
        const records = await rows.list(tx, account, parent)
        return (await rules.shown?.(tx, account, records)) ?? records
      }),

    get: ({ db, account: { id: account } }, path) =>
      db.read(async (tx) => show(tx, account, await find(tx, account, path))),

    add: ({ db, account: { id: account }, now }, { parent }, body) =>
      db.write(async (tx) => {
        await above?.mustExist(tx, account, parent)
        const sent = placed(body, parent)
        const filled = await fill(tx, account, sent.values, parent)
        await check(tx, account, { ...sent, issues: [...sent.issues, ...unfilled(of, sent, filled)] }, undefined)
        const id = ids === 'sent' ? {} : { id: await takeIds(tx, account, ids) }
        const record = completeRecord(of, sent.values, { ...filled, ...id, created_at: now, updated_at: now })
        await rows.insert(tx, account, record, (await rules.unshown?.(sent.values)) ?? {})
        return show(tx, account, record)
      }),

    ...(write && {
      update: ({ db, account: { id: account }, now }, path, body) =>
        db.write(async (tx) => {
          const before = await find(tx, account, path)
          const sent = without(body, ids === 'sent' ? [...settled, 'id'] : settled)
          await check(tx, account, sent, before)
          const shown = await show(tx, account, before)
          const after = completeRecord(of, changesIn(sent.values, shown), before)
          await rules.mayChange?.(tx, account, before, after)
          if (!differs(before, after)) return shown
          const changed = { ...after, updated_at: now }
          await write(tx, account, changed)
          return show(tx, account, changed)
        }),
    }),

    remove: ({ db, account: { id: account } }, path) =>
      db.write(async (tx) => {
        const record = await find(tx, account, path)
        await rules.mayRemove?.(tx, account, record)
        await rows.remove(tx, account, path.id, path.parent)
      }),
  }
}
