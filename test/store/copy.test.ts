import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { calculated } from '../../src/service/definitions/calculated-kpis.ts'
import { checkStore } from '../../src/service/check-store.ts'
import type { Db } from '../../src/store/db.ts'
import { discardUnfinished } from '../../src/store/maintenance/copy-store.ts'
import { wholeTables } from '../../src/store/maintenance/table-digest.ts'
import { callerTables, limitTables } from '../../src/store/schema/limit-tables.ts'
import { postgresDialect } from '../../src/store/dialect.ts'
import {
  answersOf,
  copy,
  type CopySide,
  DIRECTIONS,
  type DrawnRequest,
  drawnRequests,
  openAccount,
  openSide,
  type Reached,
  rowsOf,
  runBetween,
  send,
  serviceOn,
} from '../support/copy.ts'
import type { TextResponse } from '../../src/server/wire.ts'
import { ask, askV1 } from '../support/service.ts'
import { kpiNamed } from '../support/import.ts'
import { KPI, USER } from '../support/classic.ts'
import { runs } from '../support/soak/tests.ts'

/** Returns the tables of a database and their columns, as its catalogue has them. */
const catalogueOf = async ({ kind, db }: CopySide): Promise<Record<string, string[]>> => {
  const sql =
    kind === 'sqlite'
      ? `select t.name as "table", c.name as "column" from pragma_table_list t join pragma_table_info(t.name) c
         where t.name not like 'sqlite%'`
      : `select table_name as "table", column_name as "column" from information_schema.columns
         where table_schema = current_schema()`
  const rows = await db.read((tx) => tx.all(sql))
  const tables = Map.groupBy(rows, (row) => String(row['table']))
  return Object.fromEntries(
    [...tables].map(([name, columns]) => [name, columns.map((row) => String(row['column'])).sort()]),
  )
}

/** The tables that are not copied: where limits are counted, and which version the store has. */
const LIMITS = [...limitTables(postgresDialect), ...callerTables(postgresDialect)].flatMap(
  (sql) => /create table (\w+)/.exec(sql)?.[1] ?? [],
)

test.each(['sqlite', 'postgres'] as const)('every column of every table in %s is copied', async (kind) => {
  await using side = await openSide(kind)
  const copied = (await wholeTables()).map(
    ({ name, columns }) => [name, columns.map((one) => one.name).sort()] as const,
  )
  const there = Object.entries(await catalogueOf(side)).filter(([name]) => ![...LIMITS, 'kpi_store'].includes(name))
  expect(Object.fromEntries(copied)).toEqual(Object.fromEntries(there))
})

/** What everybody may rely on: nobody gets in, and there is no account of that name. */
const requireHidden = async (db: Db, name: string, reached: Reached): Promise<void> => {
  expect((await accounts.list(db)).map((one) => one.name)).not.toContain(name)
  const service = serviceOn(db, reached)
  expect((await ask(service, { path: '/kpis' })).status).toBe(401)
  expect([401, 403]).toContain((await askV1(service, { path: '/kpis' })).status)
}

/** Fills an account with some of everything. */
const fill = async (db: Db, name: string, entries = 9): Promise<Reached> => {
  const reached = await openAccount(db, name)
  const service = serviceOn(db, reached)
  const post = async (path: string, body: unknown): Promise<void> => {
    expect([200, 201]).toContain((await send(service, { method: 'POST', path, body, key: path })).status)
  }
  await post('/kpis', { ...KPI, target_default: 10.5 })
  await post('/users', USER)
  await post('/groups', { name: 'Region' })
  await post('/groups/2/items', { name: 'North', sort_order: 1 })
  await post('/users/2/groupitems', { id: 3 })
  await post('/users/2/kpis', { id: 1, sort_order: 1, user_target: 7 })
  const batch = Array.from({ length: entries }, (_, at) => ({
    user_id: 2,
    kpi_id: 1,
    entry_date: `2026-03-${String(at + 1).padStart(2, '0')}`,
    actual: at + 0.1234,
    notes: 'naïve 🙂',
  }))
  await post('/kpientries/list', { entries: batch })
  const account = await accounts.get(db, name)
  const how = { formula: '[1] * 2', over: 'results', target_from: 'default' } as const
  await calculated.add({ db: db.ofAccount(account.id), account, now: 0 }, { ...kpiNamed('Twice'), ...how })
  return reached
}

test(
  'what clients have made goes there and back: rows, answers, secrets and repeated requests',
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(drawnRequests, async (requests) => {
        await using source = await openSide('sqlite')
        await using target = await openSide('postgres')
        await using back = await openSide('sqlite', 'back')
        const reached = [await fill(source.db, 'acme'), await openAccount(source.db, 'beta')] as const
        const service = serviceOn(source.db, reached[0])
        const answered: [DrawnRequest, TextResponse][] = []
        for (const request of requests) answered.push([request, await send(service, request)])
        const rows = await rowsOf(source.db)
        await copy(source, target, { rowsPerBlock: 3 })
        expect(await rowsOf(target.db)).toEqual(rows)
        await copy(target, back, { rowsPerBlock: 3 })
        expect(await rowsOf(back.db)).toEqual(rows)
        const expected = await answersOf(serviceOn(source.db, reached[0]))
        for (const side of [target, back]) {
          expect(await answersOf(serviceOn(side.db, reached[0]))).toEqual(expected)
          expect((await checkStore(side.db, undefined)).faults).toEqual((await checkStore(source.db, undefined)).faults)
          for (const [request, first] of answered.filter(([{ key }, { status }]) => key && status === 201)) {
            const again = await send(serviceOn(side.db, reached[0]), request)
            expect(again).toMatchObject({ status: first.status, body: first.body })
            expect(again.headers['idempotent-replayed']).toBe('true')
          }
          // New ids follow those that were copied.
          expect((await accounts.create(side.db, { name: 'gamma', login: 'a@b.example' }, 0)).id).toBe(3)
          const made = await send(serviceOn(side.db, reached[0]), {
            method: 'POST',
            path: '/kpis',
            body: { ...KPI, name: 'New' },
          })
          expect(made.status).toBe(201)
        }
      }),
      { numRuns: runs(1, 20) },
    )
  },
)

const STOP = new Error('stop')

describe.each(DIRECTIONS)('a copy from %s to %s', (from, to) => {
  test('that stops at any step is hidden, and is continued', { timeout: 120_000 }, async () => {
    await using source = await openSide(from)
    const acme = await fill(source.db, 'acme')
    const rows = await rowsOf(source.db)
    // Other steps in each run of the suite; a soak stops at every third.
    for (let stopAt = randomInt(1, 20), isDone = false; !isDone; stopAt += runs(20, 3)) {
      await using target = await openSide(to)
      let [steps, copied] = [0, 0]
      const onRows = (): void => {
        if ((steps += 1) >= stopAt) throw STOP
      }
      isDone = await copy(source, target, { rowsPerBlock: 2, onRows }).then(
        () => true,
        (error: unknown) => {
          expect(error).toBe(STOP)
          return false
        },
      )
      if (isDone) break
      await requireHidden(target.db, 'acme', acme)
      const before = Object.values(await rowsOf(target.db)).reduce((sum, some) => sum + some.length, 0)
      const count = (doing: string, some: number): void => void (copied += doing === 'copied' ? some : 0)
      const warned: string[] = []
      await copy(source, target, { rowsPerBlock: 2, onRows: count, warned })
      expect(warned).toEqual([])
      expect(before).toBeLessThanOrEqual(copied + 1)
      expect(await rowsOf(target.db)).toEqual(rows)
      // A finished copy is known again.
      await copy(source, target)
      expect(await rowsOf(target.db)).toEqual(rows)
    }
  })

  test('leaves the other accounts of both stores alone, and takes only those that are named', async () => {
    await using source = await openSide(from)
    await using target = await openSide(to)
    await fill(source.db, 'acme')
    await fill(source.db, 'beta')
    // Takes the ids 1 and 2, of which the second becomes free for beta.
    const gamma = await fill(target.db, 'gamma')
    const [theirs, ours] = [await answersOf(serviceOn(target.db, gamma)), await rowsOf(source.db)]
    await copy(source, target, { names: ['beta'] })
    expect((await accounts.list(target.db)).map(({ id, name }) => [id, name])).toEqual([
      [1, 'gamma'],
      [2, 'beta'],
    ])
    expect(await answersOf(serviceOn(target.db, gamma))).toEqual(theirs)
    expect(await rowsOf(source.db)).toEqual(ours)
  })

  test('is refused, before anything is written, where it would meet something else', async () => {
    await using source = await openSide(from)
    await fill(source.db, 'acme')
    await fill(source.db, 'beta')
    type Case = readonly [prepare: (target: CopySide) => Promise<unknown>, message: RegExp]
    const cases: readonly Case[] = [
      [(target) => fill(target.db, 'gamma'), /the id 1 of account acme belongs to account gamma there/],
      [
        async (target) => {
          for (const name of ['c', 'd', 'beta']) await openAccount(target.db, name)
        },
        /the id 1 of account acme belongs to account c there.*an account beta already, with the id 3 instead of 2/,
      ],
      [(target) => openAccount(target.db, 'acme'), /there is an account acme already, and it differs \(accounts, /],
      [
        async (target) => {
          await copy(source, target, { names: ['acme'] })
          await openAccount(target.db, 'free')
          await target.db.write((tx) => tx.run('update entries set actual = 5 where account_id = 1 and id = 1'))
        },
        /there is an account acme already, and it differs \(entries\); the id 2 of account beta belongs to account free/,
      ],
      [
        async (target) => {
          const elsewhere = { ...source, name: '/elsewhere/kpi.db' }
          let steps = 0
          const onRows = (): void => {
            if ((steps += 1) > 5) throw STOP
          }
          await copy(elsewhere, target, { rowsPerBlock: 2, onRows }).catch(() => undefined)
        },
        /an unfinished copy of account acme from \/elsewhere\/kpi.db; finish that, or remove it with --discard/,
      ],
    ]
    for (const [prepare, message] of cases) {
      await using target = await openSide(to)
      await prepare(target)
      const before = await rowsOf(target.db)
      await expect(copy(source, target)).rejects.toThrow(message)
      expect(await rowsOf(target.db)).toEqual(before)
    }
    await using target = await openSide(to)
    await expect(copy(source, target, { names: ['nobody'] })).rejects.toThrow('there is no account nobody in')
  })

  test('begins anew if the source has changed since it was stopped, and says so', async () => {
    const changes = [
      'update entries set actual = 77 where account_id = 1 and id = 1',
      'delete from entries where account_id = 1 and id = 1',
      `update users set email = 'x@y.example', email_key = 'x@y.example' where account_id = 1 and id = 2`,
      'delete from idempotent_requests where account_id = 1',
    ]
    for (const change of changes) {
      await using source = await openSide(from)
      await using target = await openSide(to)
      await fill(source.db, 'acme')
      const onRows = (doing: string): void => {
        if (doing === 'compared') throw STOP
      }
      await expect(copy(source, target, { rowsPerBlock: 2, onRows })).rejects.toBe(STOP)
      await source.db.write((tx) => tx.run(change))
      const warned: string[] = []
      await copy(source, target, { rowsPerBlock: 2, warned })
      expect(warned).toEqual(['acme'])
      expect(await rowsOf(target.db)).toEqual(await rowsOf(source.db))
    }
  })

  test('is not used if the source changes while it is copied', async () => {
    await using source = await openSide(from)
    await using target = await openSide(to)
    const acme = await fill(source.db, 'acme')
    let writing: Promise<unknown> | undefined
    // What is copied is read from one snapshot, which is older than this; what is compared afterwards is read anew.
    const onRows = (doing: string): void => {
      if (doing === 'copied')
        writing ??= source.db.write((tx) => tx.run('update entries set actual = 99 where account_id = 1 and id = 2'))
    }
    await expect(copy(source, target, { onRows })).rejects.toThrow(
      /account acme changed in \w+ while it was copied \(entries\)/,
    )
    await writing
    await requireHidden(target.db, 'acme', acme)
    await copy(source, target)
    expect(await rowsOf(target.db)).toEqual(await rowsOf(source.db))
  })

  test('is found out if what was written is not what was read', async () => {
    await using source = await openSide(from)
    await using target = await openSide(to)
    const acme = await fill(source.db, 'acme')
    let writing: Promise<unknown> | undefined
    const onRows = (doing: string, count: number): void => {
      if (doing === 'copied' && count === 9)
        writing ??= target.db.write((tx) => tx.run('update entries set actual = 99 where account_id = 1 and id = 2'))
    }
    await expect(copy(source, target, { onRows })).rejects.toThrow(/differs from what was read, in the table entries/)
    await writing
    await requireHidden(target.db, 'acme', acme)
  })

  test('gives way to another run of the same: one of them finishes, or the next one does', async () => {
    await using source = await openSide(from)
    await using target = await openSide(to)
    await fill(source.db, 'acme')
    let later: Promise<PromiseSettledResult<void>[]> | undefined
    const onRows = (): void => {
      later ??= Promise.allSettled([copy(source, target, { rowsPerBlock: 2 })])
    }
    const results = await Promise.allSettled([copy(source, target, { rowsPerBlock: 1, onRows })])
    const reasons = [...results, ...((await later) ?? [])].flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    )
    const others = /another run is copying account acme|has got an account acme/
    expect(reasons.filter((reason) => !others.test(reason))).toEqual([])
    await copy(source, target)
    expect(await rowsOf(target.db)).toEqual(await rowsOf(source.db))
  })

  test('that is not finished can be removed, and is what a check finds', async () => {
    await using source = await openSide(from)
    await using target = await openSide(to)
    await fill(source.db, 'acme')
    const onRows = (doing: string): void => {
      if (doing === 'compared') throw STOP
    }
    await openAccount(target.db, 'other')
    await fill(source.db, 'beta')
    const before = await rowsOf(target.db)
    await expect(copy(source, target, { names: ['beta'], onRows })).rejects.toBe(STOP)
    const { faults } = await checkStore(target.db, undefined)
    expect(faults).toEqual([
      expect.objectContaining({ table: 'accounts', account: 'beta', fault: `is an unfinished copy from ${from}` }),
    ])
    const { source: _, sourceName: __, ...run } = await runBetween(source, target, { rowsPerBlock: 2 })
    expect(await discardUnfinished(run, ['acme'])).toEqual([])
    expect(await discardUnfinished(run, undefined)).toEqual(['beta'])
    expect(await rowsOf(target.db)).toEqual(before)
  })
})

test('of several accounts takes the ids of all before it copies one, so that no new account gets them', async () => {
  await using source = await openSide('postgres')
  await using target = await openSide('sqlite')
  for (const name of ['acme', 'beta']) await openAccount(source.db, name)
  const onRows = (doing: string): void => {
    if (doing === 'copied') throw STOP
  }
  await expect(copy(source, target, { onRows })).rejects.toBe(STOP)
  const { faults } = await checkStore(target.db, undefined)
  expect(faults.map(({ account }) => account)).toEqual(['acme', 'beta'])
  await copy(source, target)
  expect(await rowsOf(target.db)).toEqual(await rowsOf(source.db))
})

test('from a place with a line break is continued, or removed', async () => {
  await using source = await openSide('sqlite', 'a\nb/kpi.db')
  await using target = await openSide('sqlite', 'target')
  await fill(source.db, 'acme')
  const onRows = (doing: string): void => {
    if (doing === 'compared') throw STOP
  }
  await expect(copy(source, target, { onRows })).rejects.toBe(STOP)
  const { source: _, sourceName: __, ...run } = await runBetween(source, target, {})
  expect(await discardUnfinished(run, undefined)).toEqual(['acme'])
  await expect(copy(source, target, { onRows })).rejects.toBe(STOP)
  await copy(source, target)
  expect(await rowsOf(target.db)).toEqual(await rowsOf(source.db))
})

test('keys of text are read in one order by both, whatever the locale of PostgreSQL', async () => {
  await using source = await openSide('sqlite')
  await using target = await openSide('postgres')
  await using back = await openSide('sqlite', 'back')
  const sorted = await target.db.read((tx) => tx.all(`select 1 as one from pg_collation where collname = 'en-x-icu'`))
  expect(sorted).not.toEqual([])
  await target.db.write((tx) =>
    tx.run('alter table idempotent_requests alter column request_key type text collate "en-x-icu"'),
  )
  const service = serviceOn(source.db, await openAccount(source.db, 'acme'))
  for (const key of ['b', 'B', 'a', 'A', '_', '-', 'aa', 'a-b', 'ab', '1', 'Z'])
    await send(service, { method: 'POST', path: '/kpicategories', body: { name: key }, key })
  await copy(source, target, { rowsPerBlock: 2 })
  await copy(target, back, { rowsPerBlock: 2 })
  expect(await rowsOf(back.db)).toEqual(await rowsOf(source.db))
})

test('a text that PostgreSQL cannot hold is named, and nothing is in use', async () => {
  await using source = await openSide('sqlite')
  await using target = await openSide('postgres')
  const acme = await fill(source.db, 'acme')
  await source.db.write((tx) => tx.run(`update entries set notes = 'a' || char(0) || 'b' where id = 3`))
  await expect(copy(source, target)).rejects.toThrow(/the row of entries with item_id 2, kpi_id 1, .* NUL character/)
  await requireHidden(target.db, 'acme', acme)
})
