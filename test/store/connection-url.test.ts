import { Client } from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { findPostgresUrl } from '../../src/cli/target/postgres-url.ts'
import { UsageError } from '../../src/cli/exit.ts'
import type { KpiError } from '../../src/domain/errors.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { parseConnectionUrl } from '../../src/store/postgres/connection-url.ts'
import { openPostgres } from '../../src/store/postgres/open-postgres.ts'
import { emptyPostgresDatabase } from '../support/databases.ts'
import { testIo } from '../support/io.ts'
import { startPooler } from '../support/pooler.ts'

/** Finds the URL as the command line does. */
const found = (url: string): string => findPostgresUrl(testIo({ home: '/', env: { KPI_POSTGRES_URL: url } }).io)

const at = (query: string): string => `postgres://kpi:secret@localhost/kpi?${query}`

test.each([
  ['', 'public'],
  ['schema=kpi', 'kpi'],
  ['schema=Odd%20Name,x%22y', 'Odd Name,x"y'],
  ['options=-c%20search_path%3DKpi', 'kpi'],
  ['options=-c%20search_path%3D%22Odd,%5C%20%22%22Name%22', 'Odd, "Name'],
])('?%s names the schema %s', (query, schema) => {
  expect(parseConnectionUrl(at(query))).toMatchObject({ schema, settings: new Map() })
})

test.each([
  ['schema=', 'its parameter schema is empty'],
  ['schema=%00', 'it has a NUL character'],
  ['schema=pg_temp', 'no store can be in the schema pg_temp'],
  ['schema=information_schema', 'no store can be in the schema information_schema'],
  ['schema=$user', 'no store can be in the schema $user'],
  ['schema=one&schema=two', 'its parameter schema is given twice'],
  ['schema=one&options=-c%20search_path%3Dtwo', 'its parameters schema and options both name a schema'],
  ['options=-c%20search_path%3Dpg_temp', 'no store can be in the schema pg_temp'],
  ['options=-c%20search_path%3D', 'its search_path must name the schema of the store, and no other'],
  ['options=-c%20search_path%3Dkpi,', 'its search_path must name the schema of the store, and no other'],
  ['options=-c%20search_path%3Dkpi,public', 'its search_path must name the schema of the store, and no other'],
  ['options=-c%20jit%3Doff%20-c%20JIT%3Don', 'its parameter options sets jit twice'],
  ['options=-c%20jit%3Doff&options=-c%20search_path%3Dkpi', 'its parameter options is given twice'],
  ['options=-c%20lock_timeout%3D1&lock_timeout=2', 'it sets lock_timeout twice'],
  ['host=localhost&host=db.example.com', 'its parameter host is given twice'],
  ['port=none', 'it cannot be read (its port is no number)'],
])('?%s is refused as a usage error', (query, message) => {
  const find = (): string => found(at(query))
  expect(find).toThrow(UsageError)
  expect(find).toThrow(`KPI_POSTGRES_URL cannot be used: ${message}`)
})

describe('the host that is connected to', () => {
  test.each([
    ['postgres://localhost/kpi', 'localhost/kpi'],
    ['postgres://[::1]:5433/kpi', '[::1]:5433/kpi'],
    ['postgres:///kpi?host=127.0.0.1&port=5433', '127.0.0.1:5433/kpi'],
    ['postgres:///kpi?host=/var/run/postgresql', '/var/run/postgresql/kpi'],
    ['postgres://db.example.com/kpi?host=/run', '/run/kpi'],
    ['postgres://db.example.com/kpi?sslmode=verify-full', 'db.example.com/kpi'],
    ['postgres://localhost/kpi?host=db.example.com&sslmode=disable', 'db.example.com/kpi'],
  ])('of %s is the one that messages name: %s', (url, name) => {
    expect(found(url)).toBe(url)
    expect(parseConnectionUrl(url).name).toBe(name)
  })

  test.each([
    'postgres://kpi:secret@db.example.com/kpi',
    'postgres://kpi:secret@localhost/kpi?host=db.example.com',
    'postgres:///kpi?host=db.example.com&user=kpi&password=secret',
    'postgres://kpi:secret@localhost/kpi?host=db.example.com&sslmode=&sslrootcert=',
  ])('of %s gets no password without TLS', (url) => {
    expect(() => found(url)).toThrow('KPI_POSTGRES_URL leads to db.example.com without TLS')
  })
})

describe('a store', () => {
  test('is in the schema that the URL names, whatever its name', async () => {
    await using database = await emptyPostgresDatabase()
    const own = new Client(database.env['KPI_POSTGRES_URL'])
    await own.connect()
    const schema = `${inject('postgresSchemas')}Odd Name,x"y`
    await own.query(`create schema ${own.escapeIdentifier(schema)}`)
    const url = new URL(inject('postgresUrl'))
    url.searchParams.set('schema', schema)
    const db = await openPostgres({ url: url.href })
    await db.close()
    const stores = await own.query('select 1 from pg_tables where tablename = $1 and schemaname = $2', [
      'kpi_store',
      schema,
    ])
    await own.query(`drop schema ${own.escapeIdentifier(schema)} cascade`)
    await own.end()
    expect(stores.rowCount).toBe(1)
  })

  test('is not made in a schema that is not there', async () => {
    const url = new URL(inject('postgresUrl'))
    url.searchParams.set('schema', 'nowhere')
    const error = await openPostgres({ url: url.href }).catch((one: KpiError) => one)
    expect(error).toMatchObject({
      code: 'unusable',
      message: expect.stringContaining(
        `PostgreSQL at ${url.host}${url.pathname} does not have the schema nowhere`,
      ) as string,
    })
  })

  test('is in public where the URL names no schema, though the database has another for the user', async () => {
    const server = new Client(inject('postgresUrl'))
    await server.connect()
    const name = `${inject('postgresSchemas')}own`
    await server.query(`create database ${name}`)
    const url = new URL(inject('postgresUrl'))
    url.pathname = `/${name}`
    const own = new Client(url.href)
    await own.connect()
    const schemas = async (): Promise<string[]> => {
      const sql = "select schemaname from pg_tables where tablename = 'kpi_store'"
      return (await own.query<{ schemaname: string }>(sql)).rows.map(({ schemaname }) => schemaname)
    }
    const first = await openPostgres({ url: url.href })
    await accounts.create(first, { name: 'acme', login: 'ann@acme.example.com' }, 0)
    await own.query('create schema authorization current_user')
    const second = await openPostgres({ url: url.href })
    const seen = await Promise.all([first, second].map((db) => accounts.list(db)))
    await Promise.all([first.close(), second.close()])
    expect(await schemas()).toEqual(['public'])
    await own.end()
    await server.query(`drop database ${name}`)
    await server.end()
    expect(seen.map((all) => all.map((account) => account.name))).toEqual([['acme'], ['acme']])
  })
})

describe('behind a pooler, whose sessions have the schema, the mode and the tables of others', () => {
  test('a store is made, written and read, in few round trips', async () => {
    await using database = await emptyPostgresDatabase()
    await using pooler = await startPooler(database.env['KPI_POSTGRES_URL'] ?? '', { sessions: 1 })
    const db = await openPostgres({ url: pooler.url })
    const { id } = await accounts.create(db, { name: 'acme', login: 'ann@acme.example.com' }, 0)
    const before = pooler.counts()
    await accounts.list(db)
    await db.ofAccount(id).write((tx) => tx.run('update accounts set created_at = 1 where id = ?', [id]))
    const after = pooler.counts()
    expect(await accounts.list(db)).toMatchObject([{ name: 'acme', created_at: 1 }])
    await db.close()
    // A transaction begins together with its first statement; the end of the one that reads is not waited for.
    expect({
      roundTrips: after.roundTrips - before.roundTrips,
      statements: after.statements - before.statements,
    }).toEqual({ roundTrips: 2 + 3, statements: 3 + 4 })
  })
})
