import { invalid, type Issue, KpiError } from '../domain/errors.ts'
import {
  completeRecord,
  type Draft,
  type Patch,
  type ParsedFields,
  type Resource,
  type Stored,
} from '../domain/schema.ts'
import type { Reader } from '../store/db.ts'
import { type Counter, type Extra, type Rows, takeIds } from '../store/tables/table.ts'
import { type Context, requireFound, type Ids } from './context.ts'

/** Describes how a list is read, and whether it has very many records. */
type ListRead<T> = {
  readonly isLong: (tx: Reader) => Promise<boolean>
  readonly read: (tx: Reader) => Promise<readonly T[]>
}

/** Reads a list: a short one at once, a long one in its turn and beside the short reads of others, which would wait for it. */
export const readList = async <T>({ db, beginLong }: Context, { isLong, read }: ListRead<T>): Promise<readonly T[]> => {
  const short = await db.read(async (tx) => ((await isLong(tx)) ? undefined : read(tx)))
  if (short) return short
  await beginLong?.()
  return db.readLong(read)
}

/** Describes the parent of a resource, such as the group of a group item. */
type Above = {
  /** Names the field with the parent's id; what a body says of it is ignored. */
  readonly field: string
  /** Throws where there is none of this id. */
  readonly requireParent: (tx: Reader, account: number, parent: number) => Promise<void>
  /** Returns the name of a record that is missing below its parent, for the error. */
  readonly missing: (id: number, parent: number) => string
}

/** Describes the rules of a resource, which run within the transaction. */
export type Rules<R extends Resource> = {
  readonly above?: Above
  /** Refuses any work on this record, or on what is sent for one, whatever else is wrong with it. */
  readonly requireOpen?: (record: Partial<Stored<R>>) => void
  /** Returns values for fields that were not given. */
  readonly fill?: (tx: Reader, account: number, given: ParsedFields<Draft<R>>['values']) => Promise<object>
  /** Returns faults of what was sent, for a new record or for the existing one, that only the store can find. */
  readonly faults?: (tx: Reader, account: number, sent: Partial<Stored<R>>, before?: Stored<R>) => Promise<Issue[]>
  /** Returns the conflicts with other records. */
  readonly clashes?: (tx: Reader, account: number, sent: Partial<Stored<R>>, before?: Stored<R>) => Promise<Issue[]>
  /** Returns columns that are stored and never shown. */
  readonly unshown?: (given: ParsedFields<Draft<R>>['values']) => Promise<Extra>
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

/** Returns what was sent without the fields that the path gives. */
const without = <T extends object>(sent: ParsedFields<T>, names: readonly string[]): ParsedFields<T> => {
  const values = { ...sent.values }
  for (const name of names) Reflect.deleteProperty(values, name)
  return { values, issues: sent.issues.filter(({ field }) => !names.includes(field)) }
}

/** Describes the rules of a resource in the form that its operations call. */
type Asking<R extends Resource> = {
  readonly requireParent: (tx: Reader, account: number, parent: number) => Promise<void>
  readonly find: (tx: Reader, account: number, ids: Ids) => Promise<Stored<R>>
  /** Throws where nothing may be done to one of these. */
  readonly requireOpen: (...records: readonly object[]) => void
  /** Returns what is sent for a new record, with its parent. */
  readonly placed: (sent: ParsedFields<Draft<R>>, parent: number) => ParsedFields<Draft<R>>
  /** Returns values for what was not sent for a new record. */
  readonly fill: (tx: Reader, account: number, sent: ParsedFields<Draft<R>>, parent: number) => Promise<object>
  /** Throws everything that is wrong with what was sent. */
  readonly check: (tx: Reader, account: number, sent: ParsedFields<object>, before?: Stored<R>) => Promise<void>
  readonly show: (tx: Reader, account: number, records: readonly Stored<R>[]) => Promise<readonly Stored<R>[]>
}

const finding =
  <R extends Resource>(of: R, rows: Rows<R>, above: Above | undefined): Asking<R>['find'] =>
  async (tx, account, { id, parent }) => {
    await above?.requireParent(tx, account, parent)
    const record = await rows.find(tx, account, id, parent)
    if (record === undefined && above) throw new KpiError('not_found', `there is no ${above.missing(id, parent)}`)
    return requireFound(record, of.title, id)
  }

/** Makes what the operations on a resource ask of its rules and rows. */
const askingOf = <R extends Resource>(of: R, rows: Rows<R>, rules: Rules<R>): Asking<R> => {
  const { above } = rules
  const isPlaced = of.fields['sort_order']?.fallback === 'next'
  return {
    requireParent: async (tx, account, parent) => above?.requireParent(tx, account, parent),
    find: finding(of, rows, above),
    requireOpen: (...records) => {
      for (const record of records) rules.requireOpen?.(record)
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

/** Describes the operations on a resource; each call is one transaction. */
export type Collection<R extends Resource> = {
  readonly list?: (ctx: Context, ids: Ids) => Promise<readonly Stored<R>[]>
  readonly get?: (ctx: Context, ids: Ids) => Promise<Stored<R>>
  readonly add?: (ctx: Context, ids: Ids, sent: ParsedFields<Draft<R>>) => Promise<Stored<R>>
  readonly update?: (ctx: Context, ids: Ids, sent: ParsedFields<Patch<R>>) => Promise<Stored<R>>
  readonly remove?: (ctx: Context, ids: Ids) => Promise<void>
}

/** Describes a collection with every operation, except `update` where records never change. */
type Made<R extends Resource> = Required<Omit<Collection<R>, 'update'>> & Pick<Collection<R>, 'update'>

/** Tells whether any value differs. */
export const differs = (before: object, after: object): boolean => {
  const values = new Map(Object.entries(before))
  return Object.entries(after).some(([name, value]) => values.get(name) !== value)
}

/** Returns the faults of mandatory fields that were left out, and for which no default was found. */
const unfilled = (of: Resource, { values, issues }: ParsedFields<object>, filled: object): Issue[] => {
  const known = new Set([...Object.keys(values), ...issues.map(({ field }) => field)])
  const given = new Map(Object.entries(filled))
  return of.writable
    .filter(({ name, field }) => field.required && !known.has(name) && given.get(name) === undefined)
    .map(({ name }) => ({ field: name, message: 'is required, as there is none to take instead' }))
}

/** Returns the values that differ from what is shown: sending a record back unchanged changes nothing. */
const changesIn = (sent: object, shown: object): object => {
  const known = new Map(Object.entries(shown))
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => known.get(name) !== value))
}

/**
 * Creates the five operations on a resource by its rules; none to update what never changes. Its ids are counted, or,
 * where it is a link to something, `sent` with it.
 */
export const collection = <R extends Resource>(
  of: R,
  rows: Rows<R>,
  ids: Counter | 'sent',
  rules: Rules<R> = {},
): Made<R> => {
  const { requireParent, find, requireOpen, placed, fill, check, show } = askingOf(of, rows, rules)
  const { update: write } = rows
  const settled = [...(rules.above ? [rules.above.field] : []), ...(ids === 'sent' ? ['id'] : [])]
  const showOne = async (tx: Reader, account: number, record: Stored<R>): Promise<Stored<R>> => {
    const [shown = record] = await show(tx, account, [record])
    return shown
  }

  return {
    list: (ctx, { parent }) => {
      const account = ctx.account.id
      return readList(ctx, {
        isLong: async (tx) => (await rows.hasMany?.(tx, account, parent)) === true,
        read: async (tx) => {
          await requireParent(tx, account, parent)
          return show(tx, account, await rows.list(tx, account, parent))
        },
      })
    },

    get: ({ db, account: { id: account } }, path) =>
      db.read(async (tx) => showOne(tx, account, await find(tx, account, path))),

    add: ({ db, account: { id: account }, now }, { parent }, body) =>
      db.write(async (tx) => {
        await requireParent(tx, account, parent)
        const sent = placed(body, parent)
        requireOpen(sent.values)
        const filled = await fill(tx, account, sent, parent)
        await check(tx, account, { ...sent, issues: [...sent.issues, ...unfilled(of, sent, filled)] })
        const id = ids === 'sent' ? {} : { id: await takeIds(tx, account, ids) }
        const record = completeRecord(of, sent.values, { ...filled, ...id, created_at: now, updated_at: now })
        await rows.insert(tx, account, record, (await rules.unshown?.(sent.values)) ?? {})
        return showOne(tx, account, record)
      }),

    ...(write && {
      update: ({ db, account: { id: account }, now }, path, body) =>
        db.write(async (tx) => {
          const before = await find(tx, account, path)
          const sent = without(body, settled)
          requireOpen(before, sent.values)
          await check(tx, account, sent, before)
          const shown = await showOne(tx, account, before)
          const after = completeRecord(of, changesIn(sent.values, shown), before)
          await rules.mayChange?.(tx, account, before, after)
          if (!differs(before, after)) return shown
          const changed = { ...after, updated_at: now }
          await write(tx, account, changed)
          return showOne(tx, account, changed)
        }),
    }),

    // With a record goes any number of others, such as the entries of a KPI.
    remove: ({ db, account: { id: account } }, path) =>
      (db.apart ?? db).write(async (tx) => {
        const record = await find(tx, account, path)
        requireOpen(record)
        await rules.mayRemove?.(tx, account, record)
        await rows.remove(tx, account, path.id, path.parent)
      }),
  }
}
