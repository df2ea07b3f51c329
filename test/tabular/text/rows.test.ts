import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../src/tabular/encoding/encoding.ts'
import { readRows } from '../../../src/tabular/text/rows.ts'
import type { Row } from '../../../src/tabular/source/table.ts'

async function* contentOf(chunks: readonly Uint8Array[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

const readBy = async (separator: string, chunks: readonly Uint8Array[]): Promise<Row[]> => {
  const rows: Row[] = []
  for await (const some of readRows(decodeText(contentOf(chunks), 'utf-8'), separator, 'a.csv')) rows.push(...some)
  return rows
}

const read = (...chunks: Uint8Array[]): Promise<Row[]> => readBy(',', chunks)

const readText = (text: string): Promise<Row[]> => read(Buffer.from(text))

type Expected = readonly (readonly [line: number, ...cells: string[]])[]

const AB_12: Expected = [
  [1, 'a', 'b'],
  [2, '1', '2'],
]

test.each<[name: string, text: string, rows: Expected]>([
  ['LF', 'a,b\n1,2\n', AB_12],
  ['CRLF', 'a,b\r\n1,2\r\n', AB_12],
  ['no line end after the last row', 'a,b\n1,2', AB_12],
  ['a byte order mark', '\ufeffa,b\n1,2\n', AB_12],
  ['a byte order mark before a quote', '\ufeff"a",b\n1,2\n', AB_12],
  ['a header that ends in CRLF and rows that end in LF', 'a,b\r\n1,2\n3,4\n', [...AB_12, [3, '3', '4']]],
  ['a header that ends in LF and quoted rows that end in CRLF', 'a,b\n1,"2"\r\n3,"4"\r\n', [...AB_12, [3, '3', '4']]],
  ['nothing', '', []],
  ['only a byte order mark', '\ufeff', []],
  ['only line ends', '\r\n\r\n', []],
  [
    'blank lines between',
    '\n\na,b\n\n1,2\n\n',
    [
      [3, 'a', 'b'],
      [5, '1', '2'],
    ],
  ],
  [
    'blank lines between, CRLF',
    '\r\na,b\r\n\r\n\r\n1,2\r\n',
    [
      [2, 'a', 'b'],
      [5, '1', '2'],
    ],
  ],
  [
    'line ends within quotes',
    'a,"b\nc\n\n"\n"1\r\n",2\n3,4\n',
    [
      [1, 'a', 'b\nc\n\n'],
      [5, '1\r\n', '2'],
      [7, '3', '4'],
    ],
  ],
  ['commas and doubled quotes within quotes', '"a,b","say ""x"""\n', [[1, 'a,b', 'say "x"']]],
  [
    'cells that are empty',
    ',\n"",""\n',
    [
      [1, '', ''],
      [2, '', ''],
    ],
  ],
  [
    'rows of different lengths',
    'a,b\n1\n1,2,3\n',
    [
      [1, 'a', 'b'],
      [2, '1'],
      [3, '1', '2', '3'],
    ],
  ],
  ['spaces, which are kept', ' a , b\n', [[1, ' a ', ' b']]],
])('%s', async (_, text, rows) => {
  expect(await readText(text)).toEqual(rows.map(([line, ...cells]) => ({ line, cells })))
})

describe('a file that cannot be read is refused:', () => {
  test.each<[name: string, text: string, message: RegExp]>([
    [
      'a quote that is never closed',
      'a,b\n"x\ny",2\n"3,4\n5,6\n',
      /^cannot read a\.csv: line 4: a quoted cell is never closed; put a quote where it ends, or leave out/,
    ],
    [
      'text after a closing quote',
      'a,b\n1,2\n"3"x,4\n',
      /^cannot read a\.csv: line 3: a quoted cell continues after its closing quote; double/,
    ],
    [
      'a quote within a plain cell',
      'a,b\n\n1,5"\n',
      /^cannot read a\.csv: line 3: a quote is inside a cell that is not quoted/,
    ],
  ])('%s', async (_, content, message) => {
    await expect(readText(content)).rejects.toMatchObject({
      code: 'malformed',
      message: expect.stringMatching(message) as unknown,
    })
  })

  test('after the rows before it were read, where it comes later', async () => {
    const rows: Row[] = []
    const collect = async (): Promise<void> => {
      const chunks = ['a,b\n1,2\n', '3,4\n5,"6"x\n'].map((text) => Buffer.from(text))
      for await (const some of readRows(decodeText(contentOf(chunks), 'utf-8'), ',', 'a.csv')) rows.push(...some)
    }
    await expect(collect()).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot read a\.csv: line 4:/) as unknown,
    })
    expect(rows[0]).toEqual({ line: 1, cells: ['a', 'b'] })
  })
})

test('a cell may be huge', async () => {
  const huge = 'é"\n,'.repeat(1 << 18)
  const bytes = Buffer.from(stringify([['a'], [huge], ['z']]))
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
    bytes.subarray(at * 65_536, (at + 1) * 65_536),
  )
  expect(await read(...chunks)).toEqual([
    { line: 1, cells: ['a'] },
    { line: 2, cells: [huge] },
    { line: 3 + (1 << 18), cells: ['z'] },
  ])
})

/** What csv-parse makes of a whole text, with the lines that records begin on; nothing where it refuses. */
const parsed = (text: string, delimiter: string): Row[] | undefined => {
  const rows: Row[] = []
  let line = 1
  const take = (cells: string[]): null => {
    if (cells.join('') !== '' || cells.length > 1) rows.push({ line, cells })
    line += cells.join('').split('\n').length
    return null
  }
  try {
    parse(text, { delimiter, relax_column_count: true, record_delimiter: ['\r\n', '\n'], on_record: take })
    return rows
  } catch {
    return undefined
  }
}

describe('any text', () => {
  const part = fc.constantFrom(
    'a',
    '12.5',
    'é',
    'longer than it may be kept',
    ' ',
    ',',
    ';',
    '\t',
    '|',
    '"',
    '""',
    '\n',
    '\r',
    '\r\n',
  )
  const cutUp = fc.array(fc.array(part, { maxLength: 12 }), { maxLength: 8 })
  const separators = fc.constantFrom(',', ';', '\t', '|')

  test('gives the rows that csv-parse gives, or is refused as it refuses it, in whatever chunks it comes', async () => {
    await fc.assert(
      fc.asyncProperty(cutUp, separators, async (chunks, separator) => {
        const texts = chunks.map((parts) => parts.join(''))
        const bytes = texts.map((text) => Buffer.from(text))
        const rows = await readBy(separator, bytes).catch(() => undefined)
        expect(rows).toEqual(parsed(texts.join(''), separator))
      }),
      { numRuns: 3000 },
    )
  })
})

describe('any table', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ', ',', '"', '\n', '\r', '\r\n', '\t') }),
    fc.string({ unit: 'binary' }),
  )
  const table = fc
    .array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 8 })
    // A row of one empty cell is a blank line, and a byte order mark at the start belongs to the file.
    .filter((rows) => rows.every((row) => row.join('') !== '' || row.length > 1))
    .filter((rows) => !rows[0]?.[0]?.startsWith('\ufeff'))
  const options = fc.record({
    quoted: fc.boolean(),
    quote_record_delimiter: fc.constant(true),
    bom: fc.boolean(),
    record_delimiter: fc.constantFrom('\n', '\r\n'),
  })

  test('that was written as CSV reads back the same, each row with the line that it begins on', async () => {
    await fc.assert(
      fc.asyncProperty(table, options, async (cells, { bom, ...written }) => {
        const lines = cells.map((row) => stringify([row], written))
        const expected = cells.map((row, at) => ({ line: lines.slice(0, at).join('').split('\n').length, cells: row }))
        expect(await readText((bom ? '\ufeff' : '') + lines.join(''))).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  test('reads the same in whatever chunks it comes', async () => {
    await fc.assert(
      fc.asyncProperty(table, options, fc.array(fc.nat({ max: 5 })), async (cells, { bom, ...written }, sizes) => {
        const bytes = Buffer.from((bom ? '\ufeff' : '') + stringify(cells, written))
        const chunks: Uint8Array[] = []
        let rest = bytes
        for (const size of [...sizes, bytes.length]) {
          chunks.push(rest.subarray(0, size))
          rest = rest.subarray(size)
        }
        expect(await read(...chunks)).toEqual(await read(bytes))
      }),
      { numRuns: 500 },
    )
  })

  test('reads the same with any of its cells as a formula that only holds the text, with or without the quotes of a cell', async () => {
    const formula = (text: string): string => `="${text.replaceAll('"', '""')}"`
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
    const ways = [quoted, formula, (text: string) => quoted(formula(text))]
    const written = fc.array(fc.tuple(cell, fc.constantFrom(...ways)), { minLength: 2, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(written, { maxLength: 5 }), fc.nat({ max: 5 }), async (rows, size) => {
        const bytes = Buffer.from(rows.map((row) => `${row.map(([text, way]) => way(text)).join(',')}\n`).join(''))
        const chunks = [bytes.subarray(0, size), bytes.subarray(size)]
        // A formula within quotes is one already.
        const textOf = (text: string): string => /^="((?:[^"]|"")*)"$/.exec(text)?.[1]?.replaceAll('""', '"') ?? text
        const expected = rows.map((row) => row.map(([text, way]) => (way === quoted ? textOf(text) : text)))
        expect((await read(...chunks)).map(({ cells }) => cells)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  test('reads the same byte by byte', async () => {
    await fc.assert(
      fc.asyncProperty(table, options, async (cells, { bom, ...written }) => {
        const bytes = Buffer.from((bom ? '\ufeff' : '') + stringify(cells, written))
        expect(await read(...Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(await read(bytes))
      }),
      { numRuns: 200 },
    )
  })
})
