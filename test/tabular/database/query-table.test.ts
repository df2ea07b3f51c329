import { linkSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openQuery } from '../../../src/reading/open-table.ts'
import { temporaryFolder } from '../../support/folder.ts'

const SETUP = `
  CREATE TABLE sales (day TEXT, amount REAL, big INTEGER, picture BLOB);
  INSERT INTO sales VALUES
    ('2026-03-01', 0.1, 9007199254740993, NULL),
    ('2026-03-02', 1.234, -9223372036854775808, NULL),
    (NULL, 1e21, NULL, NULL),
    ('a;b', 0.30000000000000004, 3, x'00ff');
  CREATE TABLE none (a INTEGER);`

/** The rows of a query's result, or why there are none. */
const run = async (sql: string, setup = SETUP): Promise<readonly (readonly (number | string)[])[] | string> => {
  using folder = temporaryFolder()
  const path = folder.in('shop.sqlite')
  const database = new DatabaseSync(path)
  database.exec(setup)
  database.close()
  const before = readFileSync(path)
  try {
    const table = await openQuery({ path, name: 'shop.sqlite', sql, env: process.env }, {}, folder.path)
    const rows: (number | string)[][] = []
    for await (const some of table.rows()) for (const { line, cells } of some) rows.push([line, ...cells])
    table.close()
    return rows
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  } finally {
    expect(readFileSync(path).equals(before)).toBe(true)
  }
}

describe('the result of a query', () => {
  test.each<[what: string, sql: string, rows: readonly (readonly (number | string)[])[]]>([
    [
      'is exact, and NULL is an empty cell',
      'SELECT day, amount, big FROM sales',
      [
        [1, 'day', 'amount', 'big'],
        [2, '2026-03-01', '0.1', '9007199254740993'],
        [3, '2026-03-02', '1.2340', '-9223372036854775808'],
        [4, '', '1000000000000000000000'],
        [5, 'a;b', '0.30000000000000004', '3'],
      ],
    ],
    [
      'has columns of the same name',
      'select 1 as a, 2 as a',
      [
        [1, 'a', 'a'],
        [2, '1', '2'],
      ],
    ],
    [
      'may begin with a comment, and end with a semicolon',
      "-- ; 'x\n/* ; */ select ';' as \"a;b\", [big] from sales where big = 3 ; -- done",
      [
        [1, 'a;b', 'big'],
        [2, ';', '3'],
      ],
    ],
    [
      'may have parts of its own',
      'WITH one AS (SELECT 1 AS a) SELECT a FROM one',
      [
        [1, 'a'],
        [2, '1'],
      ],
    ],
    ['may have no rows', 'select a from none', [[1, 'a']]],
    [
      'keeps its lines where rows are blank',
      'select null as a union all select null union all select 7',
      [
        [1, 'a'],
        [4, '7'],
      ],
    ],
  ])('%s', async (_, sql, rows) => {
    expect(await run(sql)).toEqual(rows)
  })

  test('of many rows is read whole', async () => {
    const rows = await run(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT i, i * 2 AS j FROM n',
    )
    expect(rows).toHaveLength(50_001)
    expect(rows.at(-1)).toEqual([50_001, '50000', '100000'])
  })
})

describe('a query is refused', () => {
  test.each<[what: string, sql: string, message: string | RegExp]>([
    ['that changes something', 'DELETE FROM sales', '--sql has to begin with SELECT or WITH: it only reads'],
    [
      'that changes something after all',
      'WITH a AS (SELECT 1) DELETE FROM sales WHERE big = 3',
      /^cannot read shop\.sqlite: .*readonly/,
    ],
    ['of two statements', 'select 1; delete from sales', '--sql has several statements; give one SELECT'],
    [
      'of two statements behind a comment',
      "select 1 /* ' */; delete from sales",
      '--sql has several statements; give one SELECT',
    ],
    ['of nothing', '  ', '--sql has to begin with SELECT or WITH: it only reads'],
    ['of a setting', 'pragma journal_mode = wal', '--sql has to begin with SELECT or WITH: it only reads'],
    ['of a table that is not there', 'select * from salez', 'cannot read shop.sqlite: no such table: salez (--sql)'],
    ['that is no SQL', 'select from', /^cannot read shop\.sqlite: near "from": syntax error \(--sql\)$/],
    [
      'with a BLOB',
      'select day, picture from sales',
      'cannot read shop.sqlite: the column picture of row 4 of the result is a BLOB, which is no text; leave it out of --sql, or cast it: CAST(picture AS TEXT)',
    ],
    [
      'with a text longer than a cell may be',
      "select day, replace(hex(zeroblob(524289)), '0', 'a') as long from sales",
      'cannot read shop.sqlite: the column long of row 1 of the result has more than 1048576 characters; leave it out of --sql, or cut it: substr(long, 1, 1000)',
    ],
  ])('%s', async (_, sql, message) => {
    expect(await run(sql)).toMatch(message)
  })

  test.each([
    ['that is not there', undefined, 'cannot read shop.sqlite: there is no such file'],
    ['that is none', 'a,b\n1,2\n'.repeat(200), 'cannot read shop.sqlite: file is not a database (--sql)'],
  ])('of a database %s', async (_, content, message) => {
    using folder = temporaryFolder()
    if (content !== undefined) writeFileSync(folder.in('shop.sqlite'), content)
    const opened = openQuery(
      { path: folder.in('shop.sqlite'), name: 'shop.sqlite', sql: 'select 1', env: {} },
      {},
      folder.path,
    )
    await expect(opened).rejects.toThrow(message)
  })
})

describe.each(['delete', 'wal'])('a database of somebody else whose journal mode is %s', (mode) => {
  const made = (path: string): void => {
    using database = new DatabaseSync(path)
    database.exec(`pragma journal_mode = ${mode}; ${SETUP}`)
  }
  const ask = (path: string, sql: string) => openQuery({ path, name: 'shop.sqlite', sql, env: {} }, {}, dirname(path))

  test.each(['select day from sales', 'select salez from sales', 'select picture from sales'])(
    'gets no file beside it, and stays as it is: %s',
    async (sql) => {
      using folder = temporaryFolder()
      made(folder.in('shop.sqlite'))
      const before = readFileSync(folder.in('shop.sqlite'))
      await ask(folder.in('shop.sqlite'), sql).then(
        (table) => table.close(),
        () => undefined,
      )
      expect(readdirSync(folder.path)).toEqual(['shop.sqlite'])
      expect(readFileSync(folder.in('shop.sqlite')).equals(before)).toBe(true)
    },
  )

  test.each(['-journal', '-wal', '-shm'])('is not opened where its %s is another file, too', async (ending) => {
    using folder = temporaryFolder()
    made(folder.in('shop.sqlite'))
    symlinkSync('shop.sqlite', folder.in('link.sqlite'))
    writeFileSync(folder.in('foreign'), '')
    linkSync(folder.in('foreign'), folder.in(`shop.sqlite${ending}`))
    for (const name of ['shop.sqlite', 'link.sqlite']) {
      await expect(ask(folder.in(name), 'select day from sales')).rejects.toThrow(
        `cannot read shop.sqlite: it cannot be opened as an SQLite database: ${folder.in(`shop.sqlite${ending}`)} is in its way: it has a second name (a hard link)`,
      )
    }
    expect(readFileSync(folder.in('foreign'), 'utf8')).toBe('')
  })
})

test('a database that is changed while it is read without a lock is told of', async () => {
  using folder = temporaryFolder()
  const path = folder.in('shop.sqlite')
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; create table a (i)')
  database.close()
  const sql =
    'with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000000) select count(*) as c from n'
  let touched = 0
  const touching = setInterval(() => utimesSync(path, (touched += 1), touched), 5)
  const opened = openQuery({ path, name: 'shop.sqlite', sql, env: {} }, {}, folder.path)
  await expect(opened).rejects.toThrow('cannot read shop.sqlite: it was changed while it was read; try again')
  clearInterval(touching)
})

test('a database that another program writes is read as it was committed', async () => {
  using folder = temporaryFolder()
  using writer = new DatabaseSync(folder.in('live.sqlite'))
  writer.exec(
    'PRAGMA journal_mode = wal; CREATE TABLE a (i INTEGER); INSERT INTO a VALUES (1); BEGIN; INSERT INTO a VALUES (2)',
  )
  const query = { path: folder.in('live.sqlite'), name: 'live.sqlite', sql: 'select i from a', env: {} }
  const table = await openQuery(query, {}, folder.path)
  writer.exec('COMMIT')
  const lines: number[] = []
  for await (const rows of table.rows()) lines.push(...rows.map(({ line }) => line))
  table.close()
  expect(lines).toEqual([1, 2])
})
