import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, expect, inject, test } from 'vitest'
import { KpiError } from '../../src/domain/errors.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import type { Db, SqlRow } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/postgres/open-postgres.ts'
import { STORE_VERSION } from '../../src/store/schema/open-store.ts'
import { kpiUsing } from '../../src/store/tables/catalog.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { type Database, emptyPostgresDatabase } from '../support/databases.ts'
import { kpiRecord } from '../support/store.ts'

type Opened = { readonly db: Db; readonly database: Database } & AsyncDisposable

const open = async (): Promise<Opened> => {
  const database = await emptyPostgresDatabase()
  const db = await database.open()
  return {
    db,
    database,
    [Symbol.asyncDispose]: async () => {
      await db.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** A way to a port of this machine that can be frozen: what is sent then arrives when it is thawed. */
const proxyTo = async (target: number) => {
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    pairs.add([near, far])
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound ? bound.port : 0,
    freeze: () => {
      for (const [near, far] of pairs) near.unpipe(far)
    },
    thaw: () => {
      for (const [near, far] of pairs) if (!near.destroyed) near.pipe(far)
    },
    [Symbol.asyncDispose]: async () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A way to a port of this machine on which transactions that write fail to begin, once that is asked for. */
const spoilingTo = async (target: number) => {
  const [begin, spoilt] = [
    'begin transaction isolation level read committed',
    'bogus transaction isolation level read committed',
  ]
  const sockets = new Set<Socket>()
  let isSpoiling = false
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined))
    near.on('data', (data: Buffer) => {
      const at = isSpoiling ? data.indexOf(begin) : -1
      if (at >= 0) data.write(spoilt, at, 'latin1')
      far.write(data)
    })
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound ? bound.port : 0,
    spoil: () => {
      isSpoiling = true
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const ask = (db: Db, sql: string): Promise<SqlRow[]> => db.read((tx) => tx.all(sql))

/** The columns that lead keys of a kind, as `table: column`. A key of several columns leads with its first. */
const leaders = async (db: Db, sql: string): Promise<string[]> =>
  (await ask(db, sql)).map((row) => `${row['table']}: ${row['leader']}`).sort()

const HERE = 'n.nspname = current_schema()'
const UNIQUE = `select c.relname as table, a.attname as leader
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] where i.indisunique and ${HERE}`
const FOREIGN = `select c.relname as table, a.attname as leader, f.relname as target, b.attname as target_leader
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_class f on f.oid = k.confrelid
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
  join pg_attribute b on b.attrelid = f.oid and b.attnum = k.confkey[1] where k.contype = 'f' and ${HERE}`

/** Whether a column is the id of an account: `accounts.id` itself, or `account_id` anywhere else. */
const isAccount = (table: unknown, column: unknown): boolean => column === (table === 'accounts' ? 'id' : 'account_id')

describe('the catalogue', () => {
  test('has no primary or unique key that does not lead with the account', async () => {
    await using opened = await open()
    const keys = await ask(opened.db, UNIQUE)
    expect(keys.length).toBeGreaterThan(10)
    expect(keys.filter(({ table, leader }) => !isAccount(table, leader))).toEqual([])
  })

  test('has no foreign key that does not lead from an account to the same one', async () => {
    await using opened = await open()
    const keys = await ask(opened.db, FOREIGN)
    expect(keys.length).toBeGreaterThan(10)
    const wrong = keys.filter(
      (key) => !isAccount(key['table'], key['leader']) || !isAccount(key['target'], key['target_leader']),
    )
    expect(wrong).toEqual([])
  })

  test('has a primary key for every table of accounts, which alone names what it holds', async () => {
    await using opened = await open()
    const sql = `select c.relname as table, 'none' as leader from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and ${HERE} and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary)`
    const none = ['kpi_store', 'login_brakes', 'refused_logins'].map((name) => `${name}: none`)
    expect(await leaders(opened.db, sql)).toEqual(none)
  })
})

describe('opening', () => {
  test('by several instances at once makes one store, at this version', async () => {
    await using database = await emptyPostgresDatabase()
    const all = await Promise.all(Array.from({ length: 6 }, () => database.open()))
    const [first] = all
    if (!first) throw new Error('no instance')
    expect(await ask(first, 'select version from kpi_store')).toEqual([{ version: BigInt(STORE_VERSION) }])
    await Promise.all(all.map((db) => db.close()))
  })

  test('a store of a newer program is refused', async () => {
    await using opened = await open()
    await opened.db.write((tx) => tx.run('update kpi_store set version = ?', [STORE_VERSION + 1]))
    await expect(opened.database.open()).rejects.toThrow(/was written by a newer kpi; update this one/)
  })

  const at = (change: (url: URL) => void): string => {
    const url = new URL(inject('postgresUrl'))
    change(url)
    return url.href
  }
  test.each([
    [
      'a wrong password',
      (url: URL) => (url.password = 'mistaken'),
      'unauthorized',
      /refuses the user or the password: password authentication failed for user "kpi"; check both in KPI_POSTGRES_URL/,
    ],
    [
      'no such database',
      (url: URL) => (url.pathname = '/nowhere'),
      'unusable',
      /does not have that database: database "nowhere" does not exist; create it, or name another/,
    ],
    [
      'nobody there',
      (url: URL) => (url.port = '1'),
      'unavailable',
      /does not run, as nothing listens there; start it, or check the host and the port in KPI_POSTGRES_URL; try again$/,
    ],
    [
      'no socket there',
      (url: URL) => (url.search = '?host=/nowhere'),
      'unavailable',
      /does not run, as nothing listens there; start it, or check the host and the port in KPI_POSTGRES_URL; try again$/,
    ],
  ])('where there is %s, it says so and no secret', async (_, change, code, message) => {
    const url = at((one) => void change(one))
    const error: unknown = await openPostgres({ url }).catch((one: unknown) => one)
    if (!(error instanceof KpiError)) throw new Error('a refusal was expected', { cause: error })
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain(new URL(url).password)
  })
})

describe('transactions', () => {
  /** Two rows, and a transaction that adds to both of them in an order, meeting another one in between. */
  const prepare = async (db: Db): Promise<void> => {
    await db.write(async (tx) => {
      await tx.run('create table tallies (id bigint not null, tally bigint not null)')
      await tx.run('insert into tallies values (1, 0), (2, 0)')
    })
  }

  test('that the database gives up for each other are run again, until all are through', async () => {
    await using opened = await open()
    const { db } = opened
    await prepare(db)
    const one = await accounts.create(db, { name: 'one', login: 'a@one', plan: 'team' }, 0)
    const two = await accounts.create(db, { name: 'two', login: 'a@two', plan: 'team' }, 0)
    let attempts = 0
    const meeting = Promise.withResolvers<void>()
    const add = (account: number, order: readonly number[]): Promise<void> =>
      db.ofAccount(account).write(async (tx) => {
        attempts += 1
        for (const id of order) {
          await tx.run('update tallies set tally = tally + 1 where id = ?', [id])
          if (attempts >= 2) meeting.resolve()
          await meeting.promise
        }
      })
    await Promise.all([add(one.id, [1, 2]), add(two.id, [2, 1])])
    expect(attempts).toBeGreaterThan(2)
    expect(await ask(db, 'select tally from tallies order by id')).toEqual([{ tally: 2n }, { tally: 2n }])
  })

  test('of one account are alone, those of two are not kept waiting', async () => {
    await using opened = await open()
    const { db } = opened
    const one = await accounts.create(db, { name: 'one', login: 'a@one', plan: 'team' }, 0)
    const two = await accounts.create(db, { name: 'two', login: 'a@two', plan: 'team' }, 0)
    const events: string[] = []
    const go = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<void>()
    const first = db.ofAccount(one.id).write(async () => {
      inside.resolve()
      await go.promise
      events.push('first')
    })
    await inside.promise
    const second = db.ofAccount(one.id).write(async () => void events.push('second'))
    await db.ofAccount(two.id).write(async () => void events.push('other'))
    go.resolve()
    await Promise.all([first, second])
    expect(events).toEqual(['other', 'first', 'second'])
  })

  test('that throw leave nothing behind, and a reader sees one state', async () => {
    await using opened = await open()
    const { db } = opened
    await prepare(db)
    const failing = db.write(async (tx) => {
      await tx.run('update tallies set tally = 7')
      throw new KpiError('conflict', 'no')
    })
    await expect(failing).rejects.toThrow('no')
    await db.read(async (tx) => {
      const before = await tx.all('select tally from tallies where id = 1')
      await db.write((writer) => writer.run('update tallies set tally = 8'))
      expect(await tx.all('select tally from tallies where id = 1')).toEqual(before)
    })
    expect(await ask(db, 'select tally from tallies where id = 1')).toEqual([{ tally: 8n }])
  })

  test('that the database does not answer any more end as unavailable, and the next one works', async () => {
    await using opened = await open()
    const real = new URL(opened.database.env['KPI_POSTGRES_URL'] ?? '')
    await using between = await proxyTo(Number(real.port))
    const url = new URL(real)
    url.port = String(between.port)
    const db = await openPostgres({ url: url.href, patienceMs: 300 })
    between.freeze()
    await expect(ask(db, 'select 1 as one')).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 })
    between.thaw()
    expect(await ask(db, 'select 1 as one')).toEqual([{ one: 1n }])
    await db.close()
  })

  test('take one process of the database, however much they read', async () => {
    await using opened = await open()
    const shown = await opened.db.read((tx) => tx.all('show max_parallel_workers_per_gather'))
    expect(shown).toEqual([{ max_parallel_workers_per_gather: '0' }])
  })

  test('do nothing where they do not begin', async () => {
    await using opened = await open()
    const real = new URL(opened.database.env['KPI_POSTGRES_URL'] ?? '')
    await using between = await spoilingTo(Number(real.port))
    const url = new URL(real)
    url.port = String(between.port)
    const db = await openPostgres({ url: url.href })
    await db.write((tx) => tx.run('create table notes (text text)').then(() => undefined))
    between.spoil()
    for (const one of [db, db.ofAccount(1), db.selfLocking ?? db]) {
      const writing = one.write((tx) => tx.run("insert into notes values ('x')"))
      const message = 'the database refused a statement: syntax error at or near "bogus"'
      await expect(writing).rejects.toMatchObject({ message })
    }
    expect(await ask(db, 'select * from notes')).toEqual([])
    await db.close()
  })

  test('of an account that waits for another instance keep no connection from other accounts', async () => {
    await using opened = await open()
    const { db, database } = opened
    const one = await accounts.create(db, { name: 'one', login: 'a@one.example.com' }, 0)
    const two = await accounts.create(db, { name: 'two', login: 'a@two.example.com' }, 0)
    const elsewhere = await database.open()
    const go = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<void>()
    const holding = elsewhere.ofAccount(one.id).write(async () => {
      inside.resolve()
      await go.promise
    })
    await inside.promise
    const waiting = Array.from({ length: 30 }, () => db.ofAccount(one.id).write(() => Promise.resolve('written')))
    expect(await db.ofAccount(two.id).write(() => Promise.resolve('other'))).toBe('other')
    expect(await db.ofAccount(two.id).read((tx) => tx.all('select 1 as one'))).toEqual([{ one: 1n }])
    go.resolve()
    await holding
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['written']))
    await elsewhere.close()
  })

  test('whose connection is lost end as unavailable, and the next one works', async () => {
    await using opened = await open()
    const { db } = opened
    const lost = db.read(async (tx) => {
      const [own] = await tx.all('select pg_backend_pid() as pid')
      await db.write((writer) => writer.all('select pg_terminate_backend(?::int)', [own?.['pid'] ?? 0n]))
      await tx.all('select 1')
    })
    await expect(lost).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 })
    expect(await ask(db, 'select 1 as one')).toEqual([{ one: 1n }])
  })
})

describe('rows that are visited one by one', () => {
  const countTo = (last: number): string =>
    `select n, 10 / (n - ${last + 1}) from generate_series(1, 100000) n order by n`
  const visited = async (db: Db, sql: string): Promise<number> => {
    let rows = 0
    await db.read((tx) => tx.each(sql, [], () => void (rows += 1)))
    return rows
  }

  test('end with the error that the statement ends with, and the connection goes on', async () => {
    await using opened = await open()
    // More often than there are connections: none is lost.
    for (let time = 0; time < 12; time += 1) {
      await expect(visited(opened.db, countTo(50_000))).rejects.toMatchObject({ cause: { code: '22012' } })
    }
    expect(await visited(opened.db, countTo(100_000))).toBe(100_000)
  })

  test('end with the refusal of a statement that is cancelled while it runs', async () => {
    await using opened = await open()
    const ended = visited(opened.db, 'select pg_sleep(20)').catch((error: unknown) => error)
    // Rows come through a cursor: it is a fetch that runs.
    const running = `query like 'fetch%' and wait_event = 'PgSleep'`
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where ${running}`
    while ((await ask(opened.db, cancel)).length === 0);
    expect(await ended).toMatchObject({ cause: { code: '57014' } })
  })

  test('end with what their visitor throws', async () => {
    await using opened = await open()
    const visit = (): void => {
      throw new Error('enough')
    }
    await expect(opened.db.read((tx) => tx.each('select 1', [], visit))).rejects.toThrow('enough')
  })
})

test('what KPIs use is said to be used by the first of them, in whatever order the rows lie', async () => {
  await using database = await emptyPostgresDatabase()
  const url = new URL(database.env['KPI_POSTGRES_URL'] ?? '')
  const inRowOrder = '-c enable_indexscan=off -c enable_bitmapscan=off'
  url.searchParams.set('options', `${url.searchParams.get('options')} ${inRowOrder}`)
  const db = await openPostgres({ url: url.href })
  const { id } = await accounts.create(db, { name: 'acme', login: 'ann@acme.example.com', plan: 'team' }, 0)
  await db.write(async (tx) => {
    for (const [at, name] of ['Heating', 'Rent'].entries()) await kpis.insert(tx, id, kpiRecord({ id: 2 - at, name }))
  })
  const name = await db.read((tx) => kpiUsing(tx, id, 'unit_id', 1))
  await db.close()
  expect(name).toBe('Rent')
})
