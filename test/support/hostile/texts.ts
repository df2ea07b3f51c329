import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '../folder.ts'
import { type HostileFile, range } from './hostile-file.ts'
import { gzipParts, type Parts } from './packed.ts'

const HEADER = 'user,kpi,date,actual\n'
const ROW = 'admin@localhost,Sales,2026-01-05,7\n'

const text = (name: string, content: () => string | Buffer, args: readonly string[] = []): HostileFile => ({
  name: `text: ${name}`,
  file: 'data.csv',
  make: () => Buffer.from(content()),
  args,
})

/** A text that is far longer than its file. */
const packed = (name: string, parts: () => Parts, args: readonly string[] = []): HostileFile => ({
  name: `text: ${name}`,
  file: 'data.csv.gz',
  make: () => gzipParts(parts()),
  args,
})

const CREATING = ['--create-missing', '--frequency', 'D', '--unit', 'x']
const wide = (count: number, nameOf: (at: number) => string): string =>
  `user,date${range(count - 2, (at) => `,${nameOf(at)}`)}\nadmin@localhost,2026-01-05${range(count - 2, (at) => `,${at}`)}\n`
const dayAt = (at: number): string => new Date(86_400_000 * at).toISOString().slice(0, 10)
const byDates = (count: number, nameOf: (at: number) => string): string =>
  `user,kpi${range(count - 2, (at) => `,${nameOf(at)}`)}\nadmin@localhost,Sales${range(count - 2, (at) => `,${at}`)}\n`
const rows = (count: number, rowOf: (at: number) => string): string => HEADER + range(count, rowOf)
const dated = (count: number, dateOf: (at: number) => string): string =>
  rows(count, (at) => `admin@localhost,Sales,${dateOf(at)},${at}\n`)
const valued = (count: number, valueOf: (at: number) => string): string =>
  rows(count, (at) => `admin@localhost,Sales,${dayAt(at)},${valueOf(at)}\n`)

export const TEXTS: readonly HostileFile[] = [
  text('a quote that is never closed in 5 MB', () => `${HEADER}${ROW}"${'a,b\n'.repeat(1_200_000)}`),
  text('5 MB of quotes', () => '"'.repeat(5_000_000)),
  packed('200 MB of quotes', () => [['"'.repeat(100_000), 2000]]),
  packed('200 MB of pairs of quotes in cells', () => [
    [HEADER, 1],
    ['"","",'.repeat(10_000), 3300],
  ]),
  packed('200 MB of quotes below a header', () => [
    [HEADER + ROW + 'a,"', 1],
    ['""'.repeat(50_000), 2000],
  ]),
  packed('200 MB of quotes in lines', () => [
    [HEADER, 1],
    ['""""""""\n'.repeat(10_000), 2200],
  ]),
  packed('a quote in each line of 200 MB', () => [
    [HEADER, 1],
    ['a,"b,c"\n'.repeat(10_000), 2500],
  ]),
  packed('a line of 100 MB', () => [['a'.repeat(100_000), 1000]]),
  packed('a line of 100 MB of separators', () => [[','.repeat(100_000), 1000]]),
  packed('a line of 15 MB in a table', () => [
    [HEADER + ROW, 1],
    ['a'.repeat(100_000), 150],
    [`\n${ROW}`, 1],
  ]),
  packed('sixty rows of fifteen cells of 1 MB', () => [
    [`${HEADER.trim()}${range(15, (at) => `,n${at}`)}\n`, 1],
    [`${ROW.trim()}${`,${'a'.repeat(1_000_000)}`.repeat(15)}\n`, 60],
  ]),
  packed('twenty lines of 15 MB', () => [
    [HEADER + ROW, 1],
    ['a'.repeat(15_000_000), 1],
    ['\n', 1],
    ['a'.repeat(15_000_000) + '\n', 19],
  ]),
  packed('3 GB of line ends', () => [['\n'.repeat(1_000_000), 3000]]),
  packed('3 GB of blanks', () => [[' '.repeat(1_000_000), 3000]]),
  packed('1 GB of lines of blanks', () => [
    [HEADER, 1],
    [`${' '.repeat(100)}\n`.repeat(10_000), 1000],
  ]),
  packed('1 GB of rows that are the same', () => [
    [HEADER, 1],
    [ROW.repeat(2000), 15_000],
  ]),
  packed(
    '1 GB of bad rows',
    () => [
      [HEADER, 1],
      ['admin@localhost,Sales,2026-01-05,x\n'.repeat(2000), 15_000],
    ],
    ['--max-errors', '100%'],
  ),
  packed(
    '30,000 rows of 16,000 values',
    () => [
      [`user,date${range(16_000, (at) => `,N${at}`)}\n`, 1],
      [`admin@localhost,2026-01-05${',1'.repeat(16_000)}\n`, 30_000],
    ],
    CREATING,
  ),
  text('only separators', () => ','.repeat(5_000_000)),
  text('only separators of all kinds', () => ',;\t|'.repeat(1_200_000)),
  text('separators in 5,000 lines', () => `${','.repeat(1000)}\n`.repeat(4900)),
  text('1,000 columns in 2,500 lines of separators', () => HEADER + `${','.repeat(2000)}\n`.repeat(2400)),
  text('NUL bytes', () => Buffer.alloc(5_000_000)),
  text('NUL bytes in lines', () => HEADER + 'a\0,b\0\n'.repeat(800_000)),
  text('byte order marks', () => '\ufeff'.repeat(1_600_000)),
  text('byte order marks in cells', () => HEADER + '\ufeff,\ufeff\n'.repeat(500_000)),
  text('UTF-16 without its last byte', () =>
    Buffer.concat([
      Buffer.from('\ufeff', 'utf16le'),
      Buffer.from(HEADER + ROW.repeat(60_000), 'utf16le').subarray(0, -1),
    ]),
  ),
  text('UTF-16 of lone surrogates', () =>
    Buffer.concat([Buffer.from('\ufeff', 'utf16le'), Buffer.alloc(4_000_000, Buffer.from('00d8', 'hex'))]),
  ),
  text('bytes that are not UTF-8', () => Buffer.concat([Buffer.from(HEADER), Buffer.alloc(4_900_000, 0xff)])),
  text('a wrong byte at the end', () =>
    Buffer.concat([Buffer.from(HEADER + ROW.repeat(140_000)), Buffer.from([0xff])]),
  ),
  text('several encodings', () =>
    Buffer.concat([
      Buffer.from(HEADER),
      Buffer.from('Zürich,Größe,2026-01-05,7\n'.repeat(60_000)),
      Buffer.from('Zürich,Größe,2026-01-05,7\n'.repeat(60_000), 'latin1'),
    ]),
  ),
  text('4,000,000 different high bytes', () =>
    Buffer.concat([
      Buffer.from(HEADER),
      Buffer.from(Array.from({ length: 4_000_000 }, (_, at) => (at % 40 === 39 ? 10 : 128 + ((at * 7919) % 128)))),
    ]),
  ),
  text('one word of 5 MB of high bytes', () =>
    Buffer.concat([
      Buffer.from(HEADER),
      Buffer.from(Array.from({ length: 4_900_000 }, (_, at) => 192 + ((at * 7919) % 63))),
    ]),
  ),
  text('100,000 columns', () => wide(100_000, (at) => `N${at}`)),
  text('100,000 columns, to be created', () => wide(100_000, (at) => `N${at}`), CREATING),
  text('16,384 columns', () => wide(16_384, (at) => `N${at}`)),
  text('16,384 columns, to be created', () => wide(16_384, (at) => `N${at}`), CREATING),
  text(
    '16,384 columns, for users',
    () =>
      wide(16_384, (at) => `User N${at}`)
        .replace('user,', 'kpi,')
        .replace('admin@localhost', 'Sales'),
    CREATING,
  ),
  text('16,384 columns of the same name', () => wide(16_384, () => 'Sales')),
  text('16,384 columns of the same name, to be added up', () => wide(16_384, () => 'Sales'), ['--on-duplicate', 'sum']),
  text('16,384 columns without names', () => wide(16_384, () => '')),
  text('16,384 columns called actual', () => wide(16_384, () => 'actual')),
  text('16,384 columns that are nearly user', () => wide(16_384, (at) => `usr ${at}`).replace('user,', 'x,')),
  text(
    '16,384 columns of texts, to be created',
    () =>
      `user,date${range(16_382, (at) => `,N${at}`)}\n${`admin@localhost,2026-01-05${range(16_382, (at) => `,t${at}`)}\n`.repeat(5)}`,
    CREATING,
  ),
  text(
    '16,384 columns of numbers and texts, to be created',
    () =>
      `user,date${range(16_382, (at) => `,N${at}`)}\n${`admin@localhost,2026-01-05${range(16_382, (at) => `,${at}`)}\n`.repeat(10)}admin@localhost,2026-01-06${range(16_382, () => ',x')}\n`,
    CREATING,
  ),
  text('16,384 columns named for ids, to be created', () => wide(16_384, (at) => `id ${at}`), CREATING),
  text('16,384 columns named for parts of dates, to be created', () => wide(16_384, (at) => `month ${at}`), CREATING),
  text(
    '16,384 columns of different currencies, to be created',
    () =>
      `user,date${range(16_382, (at) => `,N${at}`)}\nadmin@localhost,2026-01-05${range(16_382, (at) => `,${at % 2 ? '$' : 'EUR '}${at}.5%`)}\n`,
    CREATING,
  ),
  text('16,384 dates', () => byDates(16_384, dayAt)),
  text('16,384 dates that are the same', () => byDates(16_384, () => '2026-01-05')),
  text('16,384 dates in different forms', () =>
    byDates(16_384, (at) =>
      at % 3 === 0
        ? dayAt(at)
        : at % 3 === 1
          ? dayAt(at).split('-').toReversed().join('.')
          : dayAt(at).replaceAll('-', '/'),
    ),
  ),
  text('16,384 dates with marks', () => byDates(16_384, (at) => `${dayAt(at)} est`)),
  text('16,384 dates that are none', () => byDates(16_384, (at) => `2026-02-${30 + (at % 60)}`)),
  text('16,384 parts of years', () => byDates(16_384, (at) => `Q${(at % 4) + 1}`).replace('user,', 'year,')),
  text('16,384 numbers as names', () => wide(16_384, (at) => String(at + 1))),
  text(
    'two header rows of 8,192 KPIs over dates',
    () =>
      `,,${range(16_382, (at) => `${at % 2 === 0 ? `K${at}` : ''},`)}\nuser,note${range(16_382, (at) => `,2026-01-0${(at % 2) + 1}`)}\nadmin@localhost,x${range(16_382, (at) => `,${at}`)}\n`,
  ),
  text('16,384 names of 250 letters', () => wide(16_384, (at) => `${'n'.repeat(245)}${at}`)),
  text('a header of 1 MB in one name', () => `user,kpi,date,${'actual '.repeat(150_000)}\n${ROW}`),
  text('100,000 title rows', () => `${range(100_000, (at) => `Title ${at}\n`)}${HEADER}${ROW}`),
  text(
    '50 title rows of 16,384 cells',
    () => `${`${range(16_384, (at) => `t${at % 7},`)}\n`.repeat(50)}${HEADER}${ROW}`,
  ),
  text(
    '80 rows of 16,384 numbers',
    () => `${range(16_384, (at) => `N${at},`)}\n${`${'1,'.repeat(16_384)}\n`.repeat(80)}`,
  ),
  text('dates in thousands of forms', () =>
    dated(
      100_000,
      (at) =>
        [
          dayAt(at % 30_000),
          `${(at % 28) + 1}.${(at % 12) + 1}.20${10 + (at % 17)}`,
          `${(at % 12) + 1}/${(at % 28) + 1}/20${10 + (at % 17)}`,
          `${(at % 28) + 1} Mai 20${10 + (at % 17)}`,
          `Q${(at % 4) + 1} 20${10 + (at % 17)}`,
          `W${at % 60} 2026`,
        ][at % 6] ?? '',
    ),
  ),
  text('dates of 1 MB', () => dated(4, () => '2026-01-05'.repeat(100_000))),
  text('dates with 1 MB of blanks', () => dated(4, () => `2026-01-05${' '.repeat(1_000_000)}T`)),
  text('numbers of 1 MB digits', () => valued(4, () => '9'.repeat(1_000_000))),
  text('numbers of 1 MB in groups', () => valued(4, () => '1.000'.repeat(200_000))),
  text('numbers of 1 MB of currency signs', () => valued(4, () => `${'$€'.repeat(200_000)}7`)),
  text('numbers of 1 MB of percent signs', () => valued(4, () => `7${'% '.repeat(400_000)}`)),
  text('numbers of 1 MB of blanks', () => valued(4, () => `7${' '.repeat(1_000_000)}7`)),
  text('exponents', () => valued(100_000, (at) => `1e${at}`)),
  text('percentages and currencies in turn', () => valued(100_000, (at) => (at % 2 === 0 ? `${at}%` : `$${at}`))),
  text('100,000 different units', () => valued(100_000, (at) => `${at} u${at}`)),
  text(
    '100,000 different units, to be created',
    () => rows(90_000, (at) => `admin@localhost,Sales ${at},2026-01-05,${at} u${at}\n`),
    CREATING,
  ),
  text('cells of 1,000,000 letters', () => rows(4, () => `${'x'.repeat(1_000_000)},Sales,2026-01-05,7\n`)),
  text(
    '100,000 users that are nearly the same',
    () => rows(100_000, (at) => `admin${at}@localhost,Sales,2026-01-05,7\n`),
    ['--max-errors', '100%'],
  ),
  text(
    '100,000 KPIs to be created',
    () => rows(100_000, (at) => `admin@localhost,Sales ${at},2026-01-05,7\n`),
    CREATING,
  ),
  text('100,000 users to be created', () => rows(100_000, (at) => `Ann ${at},Sales,2026-01-05,7\n`), [
    ...CREATING,
    '--email-pattern',
    '{name}@example.com',
    '--as',
    'users',
  ]),
  text('names of combining marks', () => rows(10, () => `a${'\u0301'.repeat(200_000)},Sales,2026-01-05,7\n`)),
  text('names of 500,000 marks of two kinds', () =>
    rows(2, () => `a${'\u0301\u0327'.repeat(500_000)},Sales,2026-01-05,7\n`),
  ),
  text('6,000 names of 390 marks', () => rows(6000, (at) => `${at}${'\u0301\u0327'.repeat(190)},Sales,2026-01-05,7\n`)),
  text(
    'a heading of 1,000,000 marks',
    () => `user,${'\u0301\u0327'.repeat(500_000)},date\nadmin@localhost,7,2026-01-05\n`,
  ),
  text(
    'a name of 1,040,000 ligatures, to be created',
    () => rows(1, () => `${'\ufdfa'.repeat(1_040_000)},Sales,2026-01-05,7\n`),
    [...CREATING, '--email-pattern', '{name}@example.com'],
  ),
  text('names of 200,000 zero-width joiners', () =>
    rows(8, () => `${'\u{1f468}\u200d'.repeat(80_000)},Sales,2026-01-05,7\n`),
  ),
  text('one key 140,000 times', () => HEADER + ROW.repeat(140_000)),
  text('totals and footers in turn', () => rows(100_000, (at) => (at % 2 === 0 ? `Total ${at}\n` : ROW))),
  text('lines that end in CR', () => (HEADER + ROW.repeat(140_000)).replaceAll('\n', '\r')),
  text('2,400,000 lines of one letter', () => 'a\n'.repeat(2_400_000)),
  text('rows that grow by a cell each', () => range(2200, (at) => `${'1,'.repeat(at)}\n`)),
]

const json = (name: string, content: () => string, command: readonly string[]): HostileFile => ({
  name: `document: ${name}`,
  file: 'data.json',
  make: () => Buffer.from(content()),
  command,
})

const FROM_JSON = ['kpis', 'create', '--from-json', 'FILE', '--dry-run']
const kpi = (at: number): string => `{"name":"K${at}","category":"General","unit":"#","frequency":"D"}`
const DOCUMENTS: readonly (readonly [name: string, content: () => string])[] = [
  ['lists 2,000,000 deep', () => '['.repeat(2_000_000)],
  ['objects 800,000 deep', () => '{"a":'.repeat(800_000)],
  ['a key of 5 MB', () => `{"${'k'.repeat(4_900_000)}":1}`],
  ['300,000 keys', () => `{${range(300_000, (at) => `"k${at}":1,`)}"z":1}`],
  ['600,000 keys that are the same', () => `{${'"k":1,'.repeat(600_000)}"z":1}`],
  ['a number of 5 MB', () => `{"name":"K","sort_order":${'9'.repeat(4_900_000)}}`],
  ['a string of 5 MB of escapes', () => `{"name":"${'\\u0041'.repeat(800_000)}"}`],
  ['a string that does not end', () => `{"name":"${'a'.repeat(4_900_000)}`],
  [
    '__proto__ and constructor',
    () => `[${'{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}},'.repeat(50_000)}{}]`,
  ],
  ['60,000 objects', () => `[${range(60_000, (at) => `${kpi(at)},`)}${kpi(60_000)}]`],
  ['60,000 objects of one name', () => `[${range(60_000, () => `${kpi(1)},`)}${kpi(1)}]`],
  ['2,400,000 numbers', () => `[${'1,'.repeat(2_400_000)}1]`],
  ['1,600,000 objects without a field', () => `[${'{},'.repeat(1_600_000)}{}]`],
  ['lists 2,400,000 deep that end', () => `${'['.repeat(2_400_000)}${']'.repeat(2_400_000)}`],
  ['a long number before lists 4,900,000 deep', () => `[12345678901234567890,${'['.repeat(4_900_000)}`],
]

const RECORD = '{"user":"admin@localhost","kpi":"Sales","date":"2026-01-05","actual":7}\n'

const yaml = (name: string, content: () => string): HostileFile => ({
  name: `configuration: ${name}`,
  file: 'kpis.yaml',
  make: () => Buffer.from(content()),
  command: ['plan', 'FILE', '--summary-only'],
})

/** A database with a view whose row holds sixty texts of 16 MB. */
const databaseOfLongTexts = (): Buffer => {
  using folder = temporaryFolder()
  const path = folder.in('made.sqlite')
  const texts = range(60, (at) => `, replace(hex(zeroblob(8000000)), '0', 'a') as c${at}`)
  const database = new DatabaseSync(path)
  database.exec(`create view texts as select 'Sales' as kpi${texts}`)
  database.close()
  return readFileSync(path)
}

export const OTHERS: readonly HostileFile[] = [
  {
    name: 'database: a row of sixty texts of 16 MB',
    file: 'data.sqlite',
    make: databaseOfLongTexts,
    command: ['entries', 'import', '--from-db', 'FILE', '--sql', 'select * from texts', '--dry-run'],
  },
  ...DOCUMENTS.map(([name, content]) => json(name, content, FROM_JSON)),
  ...DOCUMENTS.map(([name, content]) =>
    json(`${name}, as entries`, content, ['entries', 'import', 'FILE', '--dry-run']),
  ),
  {
    ...json('records, one a line', () => RECORD.repeat(60_000), ['entries', 'import', 'FILE', '--dry-run']),
    file: 'data.ndjson',
  },
  {
    ...json(
      'records with a field of their own each',
      () => range(16_383, (at) => `{"date":"2026-01-05","f${at}":1}\n`).repeat(9),
      ['entries', 'import', 'FILE', '--dry-run'],
    ),
    file: 'data.ndjson',
  },
  yaml('50,000 units', () => `units:\n${range(50_000, (at) => `  - name: u${at}\n    sign: u${at}\n`)}`),
  yaml('100,000 KPIs', () => `kpis:\n${range(100_000, (at) => `  - name: K${at}\n    unit: '#'\n`)}`),
  yaml('100,000 KPIs of one name', () => `kpis:\n${range(100_000, () => `  - name: K\n    unit: '#'\n`)}`),
  yaml('lists 100,000 deep', () => '['.repeat(100_000)),
  yaml('blocks 2,000 deep', () => range(2000, (at) => `${' '.repeat(at)}a:\n`)),
  yaml(
    'anchors of anchors',
    () =>
      `a: &a [x,x,x,x,x,x,x,x,x]\n${range(30, (at) => `${String.fromCharCode(98 + (at % 24))}${at}: &b${at} [${`*${at === 0 ? 'a' : `b${at - 1}`},`.repeat(9)}]\n`)}`,
  ),
  yaml('200,000 keys', () => range(200_000, (at) => `k${at}: 1\n`)),
  yaml('200,000 keys that are the same', () => 'k: 1\n'.repeat(200_000)),
  yaml('a text of 5 MB', () => `kpis:\n  - name: ${'a '.repeat(2_400_000)}\n`),
  yaml('a quoted text that does not end', () => `kpis:\n  - name: "${'a\n'.repeat(2_000_000)}`),
  yaml('200,000 comments', () => '# a comment of some words\n'.repeat(190_000)),
  {
    name: 'assignments: a matrix of 16,384 columns',
    file: 'data.csv',
    make: () => Buffer.from(`user${range(16_383, (at) => `,N${at}`)}\nadmin@localhost${',x'.repeat(16_383)}\n`),
    command: ['assign', 'import', 'FILE', '--dry-run'],
  },
  {
    name: 'assignments: a matrix of 100,000 columns',
    file: 'data.csv',
    make: () => Buffer.from(`user${range(100_000, (at) => `,N${at}`)}\nadmin@localhost${',x'.repeat(100_000)}\n`),
    command: ['assign', 'import', 'FILE', '--dry-run'],
  },
  {
    name: 'assignments: a matrix of 16,384 columns of one KPI',
    file: 'data.csv',
    make: () => Buffer.from(`user${',Sales'.repeat(16_383)}\n${`admin@localhost${',x'.repeat(16_383)}\n`.repeat(50)}`),
    command: ['assign', 'import', 'FILE', '--dry-run'],
  },
  {
    name: 'assignments: 100,000 rows of unknown KPIs',
    file: 'data.csv',
    make: () => Buffer.from(`user,kpi\n${range(100_000, (at) => `admin@localhost,N${at}\n`)}`),
    command: ['assign', 'import', 'FILE', '--dry-run'],
  },
  {
    name: 'definitions: 16,384 columns',
    file: 'data.csv',
    make: () => Buffer.from(`name,unit${range(16_382, (at) => `,N${at}`)}\nA,#${',x'.repeat(16_382)}\n`),
    command: ['kpis', 'import', 'FILE', '--dry-run'],
  },
  {
    name: 'definitions: 16,384 columns of one name',
    file: 'data.csv',
    make: () => Buffer.from(`name,unit${',name'.repeat(16_382)}\nA,#${',x'.repeat(16_382)}\n`),
    command: ['kpis', 'import', 'FILE', '--dry-run'],
  },
  {
    name: 'definitions: 100,000 KPIs',
    file: 'data.csv',
    make: () => Buffer.from(`name,unit,category,frequency\n${range(100_000, (at) => `K${at},#,General,D\n`)}`),
    command: ['kpis', 'import', 'FILE', '--dry-run'],
  },
  {
    name: 'definitions: 100,000 KPIs of one name',
    file: 'data.csv',
    make: () => Buffer.from(`name,unit,category,frequency\n${range(100_000, () => `K,#,General,D\n`)}`),
    command: ['kpis', 'import', 'FILE', '--dry-run'],
  },
  {
    name: 'definitions: 80,000 users',
    file: 'data.csv',
    make: () =>
      Buffer.from(`email,first_name,last_name\n${range(80_000, (at) => `a${at}@example.com,A${at},B${at}\n`)}`),
    command: ['users', 'import', 'FILE', '--dry-run'],
  },
  {
    name: 'definitions: users of 1 MB',
    file: 'data.csv',
    make: () =>
      Buffer.from(
        `email,first_name,last_name\n${range(4, (at) => `a${at}@example.com,${'A'.repeat(1_000_000)},B${at}\n`)}`,
      ),
    command: ['users', 'import', 'FILE', '--dry-run'],
  },
]
