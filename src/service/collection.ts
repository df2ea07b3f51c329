import type { Instant } from '../domain/day.ts'
import { invalid, type Issue, KpiError } from '../domain/errors.ts'
import {
  completeRecord,
  type Draft,
  type Patch,
  type ParsedFields,
  type Resource,
  type Stored,
} from '../domain/schema.ts'
import type { Reader, Writer } from '../store/db.ts'
import { type Counter, type Extra, type Rows, takeIds } from '../store/tables/table.ts'
import { type Context, requireFound, type Ids } from './context.ts'

/** Describes how to read a list, and whether it is long. */
type ListRead<T> = {
  readonly isLong: (tx: Reader) => Promise<boolean>
  readonly read: (tx: Reader) => Promise<readonly T[]>
}

/**
 * Reads a list: a short one at once; a long one in a slot for long work, and apart from short reads, which would wait
 * for it.
 */
export const readList = async <T>({ db, beginLong }: Context, { isLong, read }: ListRead<T>): Promise<readonly T[]> => {
  const short = await db.read(async (tx) => ((await isLong(tx)) ? undefined : read(tx)))
  if (short) return short
  await beginLong?.()
  return db.readLong(read)
}

/** Describes the parent of a resource, such as the group of a group item. */
type Above = {
  /** Names the field with the parent's id; a body's value for it is ignored. */
  readonly field: string
  /** Throws if there is no parent with this id. */
  readonly requireParent: (tx: Reader, account: number, parent: number) => Promise<void>
  /** Returns what to call a missing record in the error. */
  readonly missing: (id: number, parent: number) => string
}

/** Describes what a change is of: the stored record, none where it is new, and the time. */
export type Settling = { readonly before?: object; readonly now: Instant }

/** Describes the rules of a resource, which run in the transaction. */
export type Rules<R extends Resource> = {
  readonly above?: Above
  /** Throws if a record, stored or sent, must not be touched at all; runs before all other checks. */
  readonly requireOpen?: (record: Partial<Stored<R>>) => void
  /** Returns values for missing fields. */
  readonly fill?: (tx: Reader, account: number, given: ParsedFields<Draft<R>>['values']) => Promise<object>
  /** Returns the faults that only the store reveals, in values for a new record, or for the existing one `before`. */
  readonly faults?: (tx: Reader, account: number, sent: Partial<Stored<R>>, before?: Stored<R>) => Promise<Issue[]>
  /** Returns the conflicts with other records. */
  readonly clashes?: (tx: Reader, account: number, sent: Partial<Stored<R>>, before?: Stored<R>) => Promise<Issue[]>
  /** Returns the columns that are stored but never shown. */
  readonly unshown?: (given: ParsedFields<Draft<R>>['values']) => Promise<Extra>
  /** Returns records as they are shown at an instant, if they differ from the stored ones. */
  readonly shown?: (
    tx: Reader,
    account: number,
    records: readonly Stored<R>[],
    now: Instant,
  ) => Promise<readonly Stored<R>[]>
  /** Returns what those of the sent values that change something mean for the stored record, if they are not its fields. */
  readonly settled?: (changes: Partial<Stored<R>>, sent: object, on: Settling) => object
  /** Throws if a record must not be changed in this way. */
  readonly mayChange?: (tx: Reader, account: number, before: Stored<R>, after: Stored<R>) => Promise<void>
  /** Throws if a record must not be removed. */
  readonly mayRemove?: (tx: Reader, account: number, record: Stored<R>) => Promise<void>
  /** Keeps what would be lost with a record that is about to be removed. */
  readonly beforeRemoval?: (tx: Writer, account: number, record: Stored<R>) => Promise<void>
}

/** Throws all faults at once; clashes alone are a `conflict`. */
export const refuse = (issues: readonly Issue[], clashes: readonly Issue[]): void => {
  const [clash] = clashes
  if (issues.length > 0) throw invalid([...issues, ...clashes])
  if (clash) throw new KpiError('conflict', `${clash.field}: ${clash.message}`, { issues: clashes })
}

/** Returns what was sent, without some fields. */
const without = <T extends object>(sent: ParsedFields<T>, names: readonly string[]): ParsedFields<T> => {
  const values = { ...sent.values }
  for (const name of names) Reflect.deleteProperty(values, name)
  return { values, issues: sent.issues.filter(({ field }) => !names.includes(field)) }
}

/** Describes the rules of a resource as its operations call them. */
type BoundRules<R extends Resource> = {
  readonly requireParent: (tx: Reader, account: number, parent: number) => Promise<void>
  readonly find: (tx: Reader, account: number, ids: Ids) => Promise<Stored<R>>
  /** Throws if any of the records must not be touched. */
  readonly requireOpen: (...records: readonly object[]) => void
  /** Returns what was sent for a new record, with the id of its parent. */
  readonly placed: (sent: ParsedFields<Draft<R>>, parent: number) => ParsedFields<Draft<R>>
  /** Returns values for the missing fields of a new record. */
  readonly fill: (tx: Reader, account: number, sent: ParsedFields<Draft<R>>, parent: number) => Promise<object>
  /** Throws all faults of what was sent. */
  readonly check: (tx: Reader, account: number, sent: ParsedFields<object>, before?: Stored<R>) => Promise<void>
  readonly show: (
    tx: Reader,
    account: number,
    records: readonly Stored<R>[],
    now: Instant,
  ) => Promise<readonly Stored<R>[]>
  readonly settle: (changes: object, sent: object, on: Settling) => object
}

const createFind =
  <R extends Resource>(of: R, rows: Rows<R>, above: Above | undefined): BoundRules<R>['find'] =>
  async (tx, account, { id, parent }) => {
    await above?.requireParent(tx, account, parent)
    const record = await rows.find(tx, account, id, parent)
    if (record === undefined && above) throw new KpiError('not_found', `there is no ${above.missing(id, parent)}`)
    return requireFound(record, of.title, id)
  }

/** Binds the rules of a resource to its rows. */
const bindRules = <R extends Resource>(of: R, rows: Rows<R>, rules: Rules<R>): BoundRules<R> => {
  const { above } = rules
  const isPlaced = of.fields['sort_order']?.fallback === 'next'
  return {
    requireParent: async (tx, account, parent) => above?.requireParent(tx, account, parent),
    find: createFind(of, rows, above),
    requireOpen: (...records) => {
      for (const record of records) rules.requireOpen?.(record)
    },
    placed: (sent, parent) => {
      if (!above) return sent
      const { values, issues } = without(sent, [above.field])
      return { values: { ...values, [above.field]: parent }, issues }
    },
    fill: async (tx, account, { values }, parent) => ({
      ...(isPlaced && !('sort_order' in values) && { sort_order: await rows.nextPlace?.(tx, account, parent) }),
      ...(await rules.fill?.(tx, account, values)),
    }),
    check: async (tx, account, sent, before) => {
      const values = sent.values as Partial<Stored<R>>
      const issues = (await rules.faults?.(tx, account, values, before)) ?? []
      const clashes = (await rules.clashes?.(tx, account, values, before)) ?? []
      refuse([...sent.issues, ...issues], clashes)
    },
    show: async (tx, account, records, now) => (await rules.shown?.(tx, account, records, now)) ?? records,
    settle: (changes, sent, on) => rules.settled?.(changes, sent, on) ?? changes,
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

/** Describes a collection with every operation, except `update` if records never change. */
type Made<R extends Resource> = Required<Omit<Collection<R>, 'update'>> & Pick<Collection<R>, 'update'>

/** Tells whether any value differs. */
export const differs = (before: object, after: object): boolean => {
  const values = new Map(Object.entries(before))
  return Object.entries(after).some(([name, value]) => values.get(name) !== value)
}

/** Returns the faults of missing mandatory fields without a default. */
const unfilled = (of: Resource, { values, issues }: ParsedFields<object>, filled: object): Issue[] => {
  const known = new Set([...Object.keys(values), ...issues.map(({ field }) => field)])
  const given = new Map(Object.entries(filled))
  return of.writable
    .filter(({ name, field }) => field.required && !known.has(name) && given.get(name) === undefined)
    .map(({ name }) => ({ field: name, message: 'is required: there is no default' }))
}

/** Returns the values that differ from the shown ones. So sending a record back as it was shown changes nothing. */
const changesIn = (sent: object, shown: object): object => {
  const known = new Map(Object.entries(shown))
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => known.get(name) !== value))
}

/**
 * Creates the five operations on a resource by its rules; without `update` if its rows have none. `ids` names the
 * counter of its ids; it is `sent` for a link, whose id is that of the linked record.
 */
export const collection = <R extends Resource>(
  of: R,
  rows: Rows<R>,
  ids: Counter | 'sent',
  rules: Rules<R> = {},
): Made<R> => {
  const { requireParent, find, requireOpen, placed, fill, check, show, settle } = bindRules(of, rows, rules)
  const { update: write } = rows
  const fixedFields = [...(rules.above ? [rules.above.field] : []), ...(ids === 'sent' ? ['id'] : [])]
  const showOne = async (tx: Reader, { account, now }: Context, record: Stored<R>): Promise<Stored<R>> => {
    const [shown = record] = await show(tx, account.id, [record], now)
    return shown
  }

  return {
    list: (ctx, { parent }) => {
      const account = ctx.account.id
      return readList(ctx, {
        isLong: async (tx) => (await rows.hasMany?.(tx, account, parent)) === true,
        read: async (tx) => {
          await requireParent(tx, account, parent)
          return show(tx, account, await rows.list(tx, account, parent), ctx.now)
        },
      })
    },

    get: (ctx, path) => ctx.db.read(async (tx) => showOne(tx, ctx, await find(tx, ctx.account.id, path))),

    add: (ctx, { parent }, body) =>
      ctx.db.write(async (tx) => {
        const {
          account: { id: account },
          now,
        } = ctx
        await requireParent(tx, account, parent)
        const sent = placed(body, parent)
        requireOpen(sent.values)
        const filled = await fill(tx, account, sent, parent)
        await check(tx, account, { ...sent, issues: [...sent.issues, ...unfilled(of, sent, filled)] })
        const id = ids === 'sent' ? {} : { id: await takeIds(tx, account, ids) }
        const record = completeRecord(of, settle(sent.values, sent.values, { now }), {
          ...filled,
          ...id,
          created_at: now,
          updated_at: now,
        })
        await rows.insert(tx, account, record, (await rules.unshown?.(sent.values)) ?? {})
        return showOne(tx, ctx, record)
      }),

    ...(write && {
      update: (ctx, path, body) =>
        ctx.db.write(async (tx) => {
          const {
            account: { id: account },
            now,
          } = ctx
          const before = await find(tx, account, path)
          const sent = without(body, fixedFields)
          requireOpen(before, sent.values)
          await check(tx, account, sent, before)
          const shown = await showOne(tx, ctx, before)
          const after = completeRecord(of, settle(changesIn(sent.values, shown), sent.values, { before, now }), before)
          await rules.mayChange?.(tx, account, before, after)
          if (!differs(before, after)) return shown
          // Two changes in a second have two times, so that a caller can tell whether something changed meanwhile.
          const changed = { ...after, updated_at: Math.max(now, (before['updated_at'] ?? 0) + 1) }
          await write(tx, account, changed)
          return showOne(tx, ctx, changed)
        }),
    }),

    // Removing a record may remove very many others, such as the entries of a KPI: so use the connection for long work.
    remove: ({ db, account: { id: account } }, path) =>
      (db.apart ?? db).write(async (tx) => {
        const record = await find(tx, account, path)
        requireOpen(record)
        await rules.mayRemove?.(tx, account, record)
        await rules.beforeRemoval?.(tx, account, record)
        await rows.remove(tx, account, path.id, path.parent)
      }),
  }
}
