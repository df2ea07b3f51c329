import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import pg from 'pg'
import { parseAst } from 'rolldown/parseAst'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { postgresDialect } from '../../src/store/dialect.ts'
import { accountTables } from '../../src/store/schema/migrations.ts'
import { LIMITS_OF_ACCOUNTS, LIMITS_OF_LOGINS } from '../../src/store/schema/limit-tables.ts'
import { loadParser, readAccountUse, type StoreTables } from '../support/account-rule.ts'
import { type Database, postgresDatabase } from '../support/databases.ts'
import { ROOT } from '../support/documents.ts'
import { useEverything } from '../support/use-everything.ts'
import { runs } from '../support/soak/tests.ts'

const TABLES: StoreTables = {
  ofAccounts: new Set(['accounts', ...accountTables(postgresDialect).map(({ name }) => name), ...LIMITS_OF_ACCOUNTS]),
  local: new Set(['kpi_store', ...LIMITS_OF_LOGINS]),
}

/** Statements that may touch more than one account, and why; docs/scaling.md lists the same. */
const ALL_MACHINES: readonly (readonly [reason: string, statement: RegExp])[] = [
  ['finding an account by its name', /^select [\w, ]+ from accounts where name = \$1$/],
  ['finding an account by its token', /^select [\w, ]+ from accounts where token_hash = \$1$/],
  ['finding an API key', /^select [\w, ]+ from keys where key_hash = \$1$/],
  ['listing accounts', /^select [\w, ]+ from accounts(?: order by id)?$/],
  ['creating an account', /^insert into accounts \(.*\) values \(.*\) returning id$/],
  ['kpi service copy', /^insert into accounts \(.*\) select \* from unnest\(/],
  [
    'kpi service copy',
    /^select setval\(pg_get_serial_sequence\('accounts', 'id'\), max\(id\)\) as last from accounts$/,
  ],
  ['kpi service status', /^select max\(stored\.at\) as at from \(/],
  ['kpi service status', /^select \(select count\(\*\) from accounts\) as accounts,/],
  ['kpi service check', /^select distinct account_id from formulas order by account_id$/],
  ['kpi service check', /^select x\.(?:account_id|id), [^]* from \w+ x\b/],
]

/** Statements of the check that compare rows of all accounts, which they collect from each machine first. */
const COMPARING = / in \(select (?:name|key_hash) from \w+ group by \w+ having count\(\*\) > 1\)/

/** Files whose statements do not read a store in PostgreSQL as it is used, and why. */
const OTHER_FILES: readonly (readonly [reason: string, file: RegExp])[] = [
  [
    'SQLite alone runs them',
    /^(?:sqlite\/|schema\/open-store|maintenance\/(?:backup|restore|sqlite-file)|rate-limits\/open-limits)/,
  ],
  ['they run when a store is created or migrated', /^(?:schema\/|postgres\/open-postgres)/],
  ['they arrange the tables on the machines', /^postgres\/citus/],
]

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Returns the pieces of text of a string in the source; undefined for anything else. */
const piecesOf = (node: Node): string[] | undefined => {
  if (node['type'] === 'Literal' && typeof node['value'] === 'string') return [node['value']]
  if (node['type'] !== 'TemplateLiteral' || !Array.isArray(node['quasis'])) return undefined
  return (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
}

const BEGINS_STATEMENT = /^\s*(?:select|insert into|update|delete from|with)\s/

/** Returns what matches a statement with this text in it. */
const patternOf = (pieces: readonly string[]): RegExp => {
  const escape = (text: string): string => text.replaceAll(/[$()*+.[\\\]^{|}]/g, String.raw`\$&`)
  const source = pieces.map((piece, at) =>
    escape(at === 0 ? piece.trimStart() : piece).replaceAll(/\?1?/g, String.raw`(?:\$\d+|list\.p\d+)`),
  )
  return new RegExp(source.join('[^]*').replaceAll(/\s+/g, String.raw`\s+`))
}

/** Returns every text of a file that begins a statement, with what matches it. */
const statementsIn = (text: string): { readonly text: string; readonly pattern: RegExp }[] => {
  const found: { text: string; pattern: RegExp }[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (!isNode(value)) return
    const pieces = piecesOf(value)
    if (pieces && BEGINS_STATEMENT.test(pieces[0] ?? '')) {
      found.push({ text: pieces.join('…').trim(), pattern: patternOf(pieces) })
    }
    Object.values(value).forEach(visit)
  }
  visit(parseAst(text, { lang: 'ts' }))
  return found
}

let statements: readonly string[] = []
let database: Database
beforeAll(async () => {
  await loadParser()
  database = await postgresDatabase()
  // Looks on; every statement is sent as it is.
  const query = vi.spyOn(pg.Client.prototype, 'query')
  await useEverything(database)
  const sent = query.mock.calls.map(([first]: readonly unknown[]) =>
    isNode(first) ? String(first['text']) : String(first),
  )
  query.mockRestore()
  statements = [...new Set(sent.map((text) => text.replace(/^declare \w+ no scroll cursor for /, '').trim()))]
}, 300_000)
afterAll(() => database[Symbol.asyncDispose]())

const ofAccounts = (): string[] => statements.filter((sql) => readAccountUse(sql, TABLES).tables.length > 0)
const isException = (sql: string): boolean =>
  ALL_MACHINES.some(([, pattern]) => pattern.test(sql.replaceAll(/\s+/g, ' ')))

describe('a statement', () => {
  test('has a condition on the account for each of its tables, by the same parameter', () => {
    const wrong = ofAccounts().filter((sql) => !isException(sql) && readAccountUse(sql, TABLES).unbound.length > 0)
    expect(wrong).toEqual([])
  })

  test('gives no row to another account', () => {
    expect(ofAccounts().filter((sql) => readAccountUse(sql, TABLES).moved.length > 0)).toEqual([])
  })

  test('names no table of accounts beside one that stays on one machine', () => {
    expect(ofAccounts().filter((sql) => readAccountUse(sql, TABLES).local.length > 0)).toEqual([])
  })

  test('that asks all machines joins rows of the same account only', () => {
    const asking = ofAccounts().filter((sql) => isException(sql) && !COMPARING.test(sql))
    const counting = /^select (?:max\(stored|\(select count)/
    expect(asking.filter((sql) => !counting.test(sql) && !readAccountUse(sql, TABLES).isColocated)).toEqual([])
  })
})

test('every exception is used', () => {
  const plain = statements.map((sql) => sql.replaceAll(/\s+/g, ' '))
  expect(ALL_MACHINES.filter(([, pattern]) => !plain.some((sql) => pattern.test(sql)))).toEqual([])
})

test('no statement is missed: each that the sources hold was sent', () => {
  const folder = join(ROOT, 'src/store')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const missed = files
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => !OTHER_FILES.some(([, pattern]) => pattern.test(name)))
    .flatMap((name) =>
      statementsIn(readFileSync(join(folder, name), 'utf8'))
        .filter(({ pattern }) => !statements.some((sql) => pattern.test(sql)))
        .map(({ text }) => `${name}: ${text}`),
    )
  expect(missed).toEqual([])
})

describe('the rule', () => {
  /** A table of a statement, with or without a condition on the account. */
  type Part = { readonly form: string; readonly isBound: boolean }
  const bound = (name: string, isBound: boolean): string => (isBound ? `${name}.account_id = $1` : `${name}.id = $1`)
  const FORMS: Readonly<Record<string, (name: string, isBound: boolean) => { from?: string; where?: string }>> = {
    join: (name, isBound) => ({ from: ` join kpis ${name} on ${bound(name, isBound)}` }),
    leftJoin: (name, isBound) => ({
      from: ` left join users ${name} on ${bound(name, isBound)} and ${name}.id = e.item_id`,
    }),
    crossJoin: (name, isBound) => ({ from: ` cross join items ${name}`, where: bound(name, isBound) }),
    comparedOnly: (name, isBound) => ({
      from: ` join kpis ${name} on ${name}.account_id = e.account_id`,
      where: isBound ? bound(name, true) : 'true',
    }),
    exists: (name, isBound) => ({ where: `exists (select 1 from keys ${name} where ${bound(name, isBound)})` }),
    list: (name, isBound) => ({
      where: `e.id in (select ${name}.id from units ${name} where ${bound(name, isBound)} limit 1)`,
    }),
    fromSubquery: (name, isBound) => ({
      from: ` cross join (select q${name}.id from items q${name} where ${bound(`q${name}`, isBound)}) ${name}`,
    }),
    negated: (name, isBound) => ({
      where: `not exists (select 1 from users ${name} where ${isBound ? bound(name, true) : `(${name}.account_id = $1 or ${name}.id = 2)`})`,
    }),
  }
  const part = fc.record({ form: fc.constantFrom(...Object.keys(FORMS)), isBound: fc.boolean() })
  const frame = fc.constantFrom<(from: string, where: string) => string>(
    (from, where) => `select 1 from entries e${from} where e.account_id = $1 and ${where}`,
    (from, where) => `with x as (select 1 from entries e${from} where e.account_id = $1 and ${where}) select * from x`,
    (from, where) => `select 1 union all (select 1 from entries e${from} where e.account_id = $1 and ${where} limit 1)`,
    (from, where) =>
      `delete from counters where account_id = $1 and last in (select 1 from entries e${from} where e.account_id = $1 and ${where})`,
    (from, where) =>
      `update counters set last = 1 from entries e${from} where counters.account_id = $1 and e.account_id = $1 and ${where}`,
    (from, where) =>
      `insert into counters (account_id, name, last) select $1::bigint, 'x', 1 from entries e${from} where e.account_id = $1 and ${where}`,
  )

  test('finds each table without a condition of its own, wherever that is in a statement', () => {
    const property = fc.property(frame, fc.array(part, { maxLength: 5 }), (write, parts: readonly Part[]) => {
      const written = parts.map(({ form, isBound }, at) => FORMS[form]?.(`t${at}`, isBound) ?? {})
      const sql = write(
        written.map(({ from = '' }) => from).join(''),
        ['true', ...written.map(({ where = 'true' }) => where)].join(' and '),
      )
      expect(readAccountUse(sql, TABLES).unbound.length).toBe(parts.filter(({ isBound }) => !isBound).length)
    })
    fc.assert(property, { numRuns: runs(80, 3000) })
  })

  test.each([
    ['update kpis set account_id = 2 where account_id = 1', ['kpis']],
    ['update accounts set id = $1, name = $2 where id = $1', ['accounts']],
    ['update kpis set id = 2 where account_id = 1', []],
    ['select account_id from kpis where account_id = $1', []],
  ])('finds what gives rows to another account: %s', (sql, moved) => {
    expect(readAccountUse(sql, TABLES).moved).toEqual(moved)
  })

  test.each([
    ['insert into counters (name, last) values ($1, $2)', ['counters']],
    ['insert into counters (account_id, name, last) values ($1, $2, 1), ($3, $4, 1)', ['counters']],
    ['insert into counters (account_id) select account_id from kpis where account_id = $1', ['counters']],
    ['update kpis set account_id = $1', ['kpis']],
    ['select 1 from kpis k join users u on u.account_id = $2 where k.account_id = $1', ['users']],
    ['select 1 from kpis k left join users u on k.account_id = $1 and u.account_id = $1', ['kpis']],
    ['select 1 from accounts where id = $1', []],
  ])('of %s', (sql, unbound) => {
    expect(readAccountUse(sql, TABLES).unbound).toEqual(unbound)
  })
})
