import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileSource } from '../../src/tabular/source/files.ts'
import { type Row, headerOf, type ParsedFormat, type Table } from '../../src/tabular/source/table.ts'
import { type RequestedFormat, openTable } from '../../src/reading/open-table.ts'
import { temporaryFolder } from '../support/folder.ts'

const open = async (content: string | Uint8Array, asked?: RequestedFormat): Promise<Table & Disposable> => {
  const folder = temporaryFolder()
  writeFileSync(folder.in('data.csv'), content)
  try {
    const table = await openTable(fileSource(folder.in('data.csv'), 'data.csv'), asked)
    return { ...table, [Symbol.dispose]: folder[Symbol.dispose] }
  } catch (error) {
    folder[Symbol.dispose]()
    throw error
  }
}

const rowsOf = async (table: Table): Promise<Row[]> => {
  const rows: Row[] = []
  for await (const some of table.rows()) rows.push(...some)
  return rows
}

const cellsOf = async (table: Table): Promise<(readonly string[])[]> => (await rowsOf(table)).map(({ cells }) => cells)

const refusal = async (content: string | Uint8Array, asked?: RequestedFormat): Promise<string> => {
  try {
    using table = await open(content, asked)
    await rowsOf(table)
  } catch (error) {
    expect(error).toMatchObject({ code: 'malformed' })
    return (error as Error).message
  }
  return 'read'
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')

const NAMES = 'name;n\nMüller;1\n'
const CELLS = [
  ['name', 'n'],
  ['Müller', '1'],
]

describe('letters are understood of', () => {
  test.each<[name: string, bytes: Buffer, encoding: ParsedFormat['encoding'], hasMark: boolean, evidence: RegExp]>([
    ['UTF-8', Buffer.from(NAMES), 'utf-8', false, /^encoding utf-8: all of its bytes are UTF-8$/],
    ['UTF-8 with a mark', Buffer.from('\ufeff' + NAMES), 'utf-8', true, /^encoding utf-8: it begins with the byte/],
    ['UTF-16LE', utf16('\ufeff' + NAMES), 'utf-16le', true, /^encoding utf-16le: it begins with the byte order mark/],
    ['UTF-16BE', swapped('\ufeff' + NAMES), 'utf-16be', true, /^encoding utf-16be: it begins with the byte order/],
    ['UTF-16LE without a mark', utf16(NAMES), 'utf-16le', false, /^encoding utf-16le: the second byte of most/],
    ['UTF-16BE without a mark', swapped(NAMES), 'utf-16be', false, /^encoding utf-16be: the first byte of most/],
    [
      'Windows-1252',
      latin1(NAMES),
      'windows-1252',
      false,
      /^encoding windows-1252: line 2 holds byte FC, which is not/,
    ],
  ])('%s', async (_, bytes, encoding, hasMark, evidence) => {
    using table = await open(bytes)
    expect(table.reading).toMatchObject({ encoding, hasMark, separator: ';', gzip: false })
    expect(table.reading.evidence[0]).toMatch(evidence)
    expect(await cellsOf(table)).toEqual(CELLS)
    using packed = await open(gzipSync(bytes))
    expect(packed.reading).toMatchObject({ encoding, hasMark, separator: ';', gzip: true })
    expect(await cellsOf(packed)).toEqual(CELLS)
  })

  test('Windows-1252, all that it has', async () => {
    using table = await open(
      Buffer.concat([latin1('n,euro\n'), Buffer.from([0x31, 0x2c, 0x80, 0x99, 0x9f, 0xa0, 0xff])]),
      { encoding: 'windows-1252' },
    )
    expect(await cellsOf(table)).toEqual([
      ['n', 'euro'],
      ['1', '€™Ÿ\u00a0ÿ'],
    ])
  })

  test('Windows-1252 that shows only far into the file', async () => {
    using table = await open(latin1(`name,n\n${'plain,1\n'.repeat(50_000)}Z\xfcrich,2\n`))
    expect(table.reading.evidence[0]).toBe('encoding windows-1252: line 50002 holds byte FC, which is not UTF-8')
    expect((await rowsOf(table)).at(-1)).toEqual({ line: 50_002, cells: ['Zürich', '2'] })
  })

  test('a file that is asked to be read so, without evidence', async () => {
    using table = await open(Buffer.from(NAMES), { encoding: 'windows-1252', separator: ';' })
    expect(await cellsOf(table)).toEqual([
      ['name', 'n'],
      ['MÃ¼ller', '1'],
    ])
    expect(table.reading.evidence).toEqual([])
  })

  test('any text, whatever chunks its letters fall into', async () => {
    const letters = fc.constantFrom('a', 'é', '€', '😀', '\u0800', '\uffff')
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 8 }), fc.array(letters), async (before, after) => {
        const cell = 'x'.repeat(65_532 + before) + after.join('')
        using table = await open(`a,b\n${cell},1\n`)
        expect((await rowsOf(table))[1]?.cells[0]).toBe(cell)
      }),
      { numRuns: 60 },
    )
  })
})

describe('letters are refused:', () => {
  test.each<[name: string, bytes: Buffer, asked: RequestedFormat, message: string]>([
    [
      'of Windows-1252 where UTF-8 is asked',
      latin1(NAMES),
      { encoding: 'utf-8' },
      'cannot read data.csv: line 2 holds byte FC, which is not UTF-8, as --encoding says',
    ],
    [
      'another encoding than the mark says',
      utf16('\ufeffa,b\n'),
      { encoding: 'utf-8' },
      'cannot read data.csv: it begins with the byte order mark of utf-16le, so it is not utf-8 (--encoding)',
    ],
    [
      'bytes that mean nothing in Windows-1252',
      latin1('a,b\n\xe4,1\n\x81,2\n'),
      {},
      'cannot read data.csv: line 2 holds byte E4, which is not UTF-8, and line 3 holds byte 81, which is no character in windows-1252',
    ],
    [
      'the same where it is asked',
      latin1('a,b\n\x9d,2\n'),
      { encoding: 'windows-1252' },
      'cannot read data.csv: line 2 holds byte 9D, which is no character in windows-1252',
    ],
    [
      'some of UTF-8, some of Windows-1252',
      Buffer.concat([Buffer.from('a,b\nä,1\n'), latin1('\xe4,2\n')]),
      {},
      'cannot read data.csv: line 3 holds byte E4, which is not UTF-8, but line 2 has "ä" as UTF-8 has it ("Ã¤" in windows-1252); fix the file, or use --encoding windows-1252',
    ],
    [
      'what is cut off after a mark',
      Buffer.from('\ufeffa,b\n1,é').subarray(0, -1),
      {},
      'cannot read data.csv: line 2 holds byte C3, which is not UTF-8, though it begins with the byte order mark of utf-8',
    ],
    [
      'half a pair of UTF-16',
      utf16('\ufeffa,b\n\ud83d,1\n'),
      {},
      'the file contains bytes that are not utf-16le; save it as CSV UTF-8',
    ],
    [
      'half a unit of UTF-16',
      utf16('\ufeffa,b\n1,2\n').subarray(0, -1),
      {},
      'the file contains bytes that are not utf-16le; save it as CSV UTF-8',
    ],
    [
      'a NUL byte',
      Buffer.from('a,b\n1,2\n3,\0\n'),
      {},
      'cannot read data.csv: line 3 holds a NUL byte, so it is no text; save it as CSV',
    ],
  ])('%s', async (_, bytes, asked, message) => {
    expect(await refusal(bytes, asked)).toBe(message)
  })
})

describe('what is no table is called by its name:', () => {
  test.each<[what: RegExp, content: Buffer]>([
    [/a PDF; export the table as CSV$/, latin1('%PDF-1.7\n')],
    [/a web page/, Buffer.from('\ufeff <!DOCTYPE html><table><tr><td>1')],
    [/XML/, Buffer.from('<?xml version="1.0"?><rows/>')],
    [/JSON/, Buffer.from('[\n  {"user_id": 1}]')],
    [/a tar archive/, latin1('data.csv'.padEnd(257, '\0') + 'ustar')],
  ])('%s', async (what, content) => {
    expect(await refusal(content)).toMatch(what)
    expect(await refusal(gzipSync(content))).toMatch(what)
  })
})

describe('gzip', () => {
  test('that is cut off or damaged is refused', async () => {
    const packed = gzipSync(Buffer.from('a,b\n1,2\n'))
    expect(await refusal(packed.subarray(0, -9))).toMatch(/^cannot read data\.csv: its gzip ends in the middle/)
    packed[14] = 0xff ^ (packed[14] ?? 0)
    expect(await refusal(packed)).toMatch(/^cannot read data\.csv: its gzip is damaged/)
  })

  test('of several parts is read to its end', async () => {
    using table = await open(Buffer.concat([gzipSync('a,b\n'), gzipSync('1,2\n')]))
    expect(await cellsOf(table)).toHaveLength(2)
  })
})

describe('the separator is found:', () => {
  test.each<[name: string, text: string, separator: string, evidence: string]>([
    ['a comma', 'user,kpi\n1,2\n3,4\n', ',', 'separator ,: the first 3 lines all have 2 cells'],
    [
      'a semicolon, with decimal commas',
      'user;date;actual\nAnn;2026-01-02;1,5\nBob;2026-01-03;2,5\n',
      ';',
      'separator ;: the first 3 lines all have 3 cells',
    ],
    ['a tab', 'user\tkpi\n1\t2,5\n', '\t', 'separator tab: the first 2 lines all have 2 cells'],
    ['a bar', 'user|kpi\n1|2\n', '|', 'separator |: the first 2 lines all have 2 cells'],
    [
      'what stands in quotes is none',
      '"user, name";actual\n"Lee, Ann";1\n"Roe; Bob";2\n',
      ';',
      'separator ;: the first 3 lines all have 2 cells',
    ],
    [
      'names with commas and decimal commas, as often as semicolons',
      'date;Sales, net;Cost, gross\n2026-01-01;12,5;13,5\n',
      ';',
      'separator ;: the first 2 lines all have 3 cells',
    ],
    ['notes with semicolons', 'user,notes; all\n1,a\n2,b;c\n', ',', 'separator ,: the first 3 lines all have 2 cells'],
    [
      'rows that lack cells',
      'user,kpi,date\n1,2,3\n1,2\n',
      ',',
      'separator ,: 2 of the first 3 lines have the 3 cells of the header',
    ],
    ['only a header', 'user;kpi;date\n', ';', 'separator ;: the header has 3 cells with it, and contains no other'],
    [
      'a header that both may cut, by the names that are known',
      'user;kpi;date,time\n',
      ';',
      'separator ;: the header has 3 cells with it, and contains no other',
    ],
    ['one column', 'actual\n1\n', ',', 'separator: there is only one column'],
    ['one column with decimal commas', 'actual\n1,5\n', ';', 'separator: there is only one column'],
    ['nothing', '', ',', 'separator: there is only one column'],
    ['what Excel says in a first line', 'sep=;\r\na,b;c\r\n1,2;3\r\n', ';', 'separator ;: line 1 says so (sep=;)'],
  ])('%s', async (_, text, separator, evidence) => {
    using table = await open(text)
    expect(table.reading.separator).toBe(separator)
    expect(table.reading.evidence.at(-1)).toBe(evidence)
  })

  test('the line that says it is no row, and the others keep their lines', async () => {
    using table = await open('"sep=;"\r\na;b\r\n1,5;2\r\n')
    expect(await rowsOf(table)).toEqual([
      { line: 2, cells: ['a', 'b'] },
      { line: 3, cells: ['1,5', '2'] },
    ])
    using asked = await open('sep=;\na,b\n1,2\n', { separator: ',' })
    expect(await rowsOf(asked)).toMatchObject([{ line: 2 }, { line: 3, cells: ['1', '2'] }])
  })

  test('where two fit, both are shown, and the flag that settles it', async () => {
    const text = 'Tag;Ort,Wert\nx;a,b\ny;c,d\n'
    expect(await refusal(text)).toBe(
      'cells can be separated in more than one way: , gives the columns "Tag;Ort", "Wert" (3 of 3 lines have that many cells); ; gives the columns "Tag", "Ort,Wert" (3 of 3 lines have that many cells); say which: --separator',
    )
    using table = await open(text, { separator: ';' })
    expect((await cellsOf(table))[1]).toEqual(['x', 'a,b'])
  })

  test('a line that says another one is refused', async () => {
    expect(await refusal('sep=:\na:b\n')).toMatch(/^line 1 says that cells are separated by ":"/)
  })

  test('in a header longer than what is looked at', async () => {
    const names = Array.from({ length: 9000 }, (_, at) => `KPI, no. ${at}`)
    using table = await open(`${names.join(';')}\n${names.map(() => '1,5').join(';')}\n`)
    expect(table.reading.separator).toBe(';')
    expect(await headerOf(table)).toEqual(names)
  })
})

test('lines that end in CR alone are refused', async () => {
  expect(await refusal('a,b\r1,2\r')).toMatch(/^the lines of the file end in CR alone/)
})

test('a file is known by its bytes, packed as they are', async () => {
  const text = 'a,b\n1,2\n'
  const sumOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')
  for (const bytes of [Buffer.from(text), gzipSync(text), gzipSync(text, { level: 0 })]) {
    using table = await open(bytes)
    expect(table).toMatchObject({ bytes: bytes.length, sha256: sumOf(bytes) })
  }
})

describe('a file that changes while it is read is told of:', () => {
  test.each<[how: string, change: (path: string) => void]>([
    ['more is added', (path) => appendFileSync(path, '3,4\n')],
    [
      'another one takes its place',
      (path) => {
        writeFileSync(`${path}.new`, 'a,b\n1,2\n')
        renameSync(`${path}.new`, path)
      },
    ],
  ])('%s', async (_, change) => {
    using folder = temporaryFolder()
    const path = folder.in('data.csv')
    writeFileSync(path, 'a,b\n1,2\n')
    const table = await openTable(fileSource(path, 'data.csv'))
    const rows = table.rows()
    await rows.next()
    change(path)
    const rest = async (): Promise<void> => {
      for await (const _ of rows) continue
    }
    await expect(rest()).rejects.toThrow(
      'data.csv has changed while it was read; run the command again once it no longer changes',
    )
    await expect(rowsOf(table)).rejects.toThrow('has changed')
  })
})
