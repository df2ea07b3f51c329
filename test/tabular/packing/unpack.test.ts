import { createHash } from 'node:crypto'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readTable, refusalOf } from '../../support/tables.ts'
import { rowsOf, xlsxOf } from '../../support/workbook.ts'
import { zipOf } from '../../support/zip.ts'

const TEXT = 'user,actual\nAnn,1\nBob,2\n'
const ROWS = [
  [1, 'user', 'actual'],
  [2, 'Ann', '1'],
  [3, 'Bob', '2'],
]
const BOOK = xlsxOf({
  sheets: {
    A: rowsOf([
      ['user', 'actual'],
      ['Ann', 1],
      ['Bob', 2],
    ]),
  },
})
const checked = zstdCompressSync(TEXT, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
/** A frame of zstd without content, as some programs write it. */
const skipped = Buffer.from('532a4d1803000000010203', 'hex')

describe('a file is found in', () => {
  test.each<[what: string, content: Buffer]>([
    ['gzip', gzipSync(TEXT)],
    ['zstd', zstdCompressSync(TEXT)],
    ['zstd with a sum', checked],
    [
      'zstd of several parts',
      Buffer.concat([zstdCompressSync('user,actual\n'), skipped, zstdCompressSync('Ann,1\nBob,2\n')]),
    ],
    ['a zip archive', zipOf({ 'data.csv': TEXT })],
    ['a folder of a zip archive', zipOf({ 'all/': '', 'all/2026/': '', 'all/2026/data.csv': TEXT })],
    ['what a Mac packs', zipOf({ 'data.csv': TEXT, '__MACOSX/._data.csv': 'x', '.DS_Store': 'x' })],
    ['zip in gzip', gzipSync(zipOf({ 'data.csv': TEXT }))],
    ['gzip in zip', zipOf({ 'data.csv.gz': gzipSync(TEXT) })],
    ['a workbook', BOOK],
    ['a workbook in zip', zipOf({ 'data.xlsx': BOOK })],
    ['a workbook in gzip', gzipSync(BOOK)],
    ['a workbook in zstd', zstdCompressSync(BOOK)],
  ])('%s', async (_, content) => {
    const { rows, sha256, bytes } = await readTable(content)
    expect(rows).toEqual(ROWS)
    // The sum is of the file as it is on the disk.
    expect([sha256, bytes]).toEqual([createHash('sha256').update(content).digest('hex'), content.length])
  })

  test('and the findings say so', async () => {
    expect((await readTable(zipOf({ 'a/data.csv': TEXT }))).reading.findings).toEqual([
      { topic: 'archive', found: 'zip', evidence: 'a/data.csv is the only file in it' },
    ])
    expect((await readTable(checked)).reading.findings).toEqual([
      { topic: 'compression', found: 'zstd', evidence: 'it begins with 28 B5 2F FD' },
    ])
    expect((await readTable(TEXT)).reading.findings).toBeUndefined()
  })
})

const damaged = (content: Buffer, at: number): Buffer => {
  const copy = Buffer.from(content)
  copy[at] = 0xff ^ (copy[at] ?? 0)
  return copy
}
const packedTimes = (times: number): Buffer => (times === 0 ? Buffer.from(TEXT) : gzipSync(packedTimes(times - 1)))

describe('it is said why a file cannot be unpacked:', () => {
  test.each<[what: string, content: Buffer, message: string | RegExp]>([
    [
      'several files',
      zipOf({ 'a.csv': TEXT, 'b/b.csv': 'x' }),
      'cannot read data.bin: the zip archive holds several files: a.csv (24 bytes), b/b.csv (1 bytes); unpack it, and import the one that is meant',
    ],
    [
      'more files than are listed',
      zipOf(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${at}.csv`, '']))),
      /9\.csv \(0 bytes\), and 2 more; unpack it/,
    ],
    ['no file', zipOf({ '__MACOSX/x': '' }), 'cannot read data.bin: the zip archive holds no file'],
    ['nothing at all', zipOf({}), 'cannot read data.bin: the zip archive holds no file'],
    [
      'too many files',
      zipOf(Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`${at}`, '']))),
      /it holds 10,001 files, more than the 10,000 that are looked through; unpack the one with the table$/,
    ],
    [
      'a password',
      zipOf({ 'a.csv': TEXT }, { isEncrypted: true }),
      /"a\.csv" is protected by a password; unpack it first$/,
    ],
    [
      'another method',
      zipOf({ 'a.csv': TEXT }, { method: 9 }),
      /"a\.csv" is packed by a method that is not supported; unpack it first$/,
    ],
    ['a wrong sum', zipOf({ 'a.csv': TEXT }, { sum: 1 }), /"a\.csv" in it is damaged \(wrong sum\); create it again$/],
    ['damage', damaged(zipOf({ 'a.csv': TEXT.repeat(99) }), 45), /"a\.csv" in it is damaged \(.*\); create it again$/],
    [
      'an archive that is cut off',
      zipOf({ 'a.csv': TEXT }).subarray(0, 60),
      /its zip archive is damaged, or was cut off/,
    ],
    [
      'a document of Numbers',
      zipOf({ 'Index/Document.iwa': '', 'Index/Tables.iwa': '' }),
      /Apple Numbers; export it as CSV or as an Excel workbook$/,
    ],
    [
      'zstd that is cut off',
      checked.subarray(0, -6),
      /its zstd ends in the middle, as if it were cut off; create it again$/,
    ],
    ['zstd with a wrong sum', damaged(checked, checked.length - 1), /its zstd is damaged \(.*\); create it again$/],
    [
      'something after zstd',
      Buffer.concat([checked, Buffer.from('Cem,3\n')]),
      /its zstd is damaged \(something else follows it\)/,
    ],
    ['four layers', packedTimes(4), /it is packed more than 3 times; unpack it first$/],
    [
      'a database',
      Buffer.from('SQLite format 3\0 and so on'),
      /it is an SQLite database: kpi entries import --from-db FILE --sql 'select …' reads entries from it, and anything else has to be in a CSV file$/,
    ],
    ['a web page in zip', zipOf({ 'a.csv': '<!doctype html><p>' }), /it seems to be a web page/],
  ])('%s', async (_, content, message) => {
    expect(await refusalOf(content)).toMatch(message)
  })
})
