import type { Issue } from '../domain/errors.ts'
import { completeRecord, type Draft, type Patch, type Reading, type Resource, type Stored } from '../domain/schema.ts'
import { type Counter, takeIds } from '../store/counters.ts'
import type { Reader } from '../store/db.ts'
import type { Rows } from '../store/table.ts'
import { askingOf, type Rules, without } from './collection-rules.ts'
import type { Context, Ids } from './context.ts'
import { readList } from './long-list.ts'

/** What can be done with a resource; each call is one transaction. */
export type Collection<R extends Resource> = {
  readonly list?: (ctx: Context, ids: Ids) => Promise<readonly Stored<R>[]>
  readonly get?: (ctx: Context, ids: Ids) => Promise<Stored<R>>
  readonly add?: (ctx: Context, ids: Ids, sent: Reading<Draft<R>>) => Promise<Stored<R>>
  readonly update?: (ctx: Context, ids: Ids, sent: Reading<Patch<R>>) => Promise<Stored<R>>
  readonly remove?: (ctx: Context, ids: Ids) => Promise<void>
}

/** A collection with every operation, but for `update` where what it holds never changes. */
type Made<R extends Resource> = Required<Omit<Collection<R>, 'update'>> & Pick<Collection<R>, 'update'>

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

/** The values that are not as they are shown: what is only sent back changes nothing. */
const changesIn = (sent: object, shown: object): object => {
  const known = new Map(Object.entries(shown))
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => known.get(name) !== value))
}

/**
 * The five operations on a resource, by its rules; none to update what never changes. Its ids are counted, or, where it
 * is a link to something, `sent` with it.
 */
export const collection = <R extends Resource>(
  of: R,
  rows: Rows<R>,
  ids: Counter | 'sent',
  rules: Rules<R> = {},
): Made<R> => {
  const { mustBeAbove, find, mustBeOpen, placed, fill, check, show } = askingOf(of, rows, rules)
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
          await mustBeAbove(tx, account, parent)
          return show(tx, account, await rows.list(tx, account, parent))
        },
      })
    },

    get: ({ db, account: { id: account } }, path) =>
      db.read(async (tx) => showOne(tx, account, await find(tx, account, path))),

    add: ({ db, account: { id: account }, now }, { parent }, body) =>
      db.write(async (tx) => {
        await mustBeAbove(tx, account, parent)
        const sent = placed(body, parent)
        mustBeOpen(sent.values)
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
          mustBeOpen(before, sent.values)
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
        mustBeOpen(record)
        await rules.mayRemove?.(tx, account, record)
        await rows.remove(tx, account, path.id, path.parent)
      }),
  }
}
