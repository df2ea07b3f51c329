import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KpiError } from '../../../src/domain/errors.ts'
import { ENCODINGS, encodingNamed } from '../../../src/tabular/source/text-format.ts'
import { createTableDecoder } from '../../../src/tabular/encoding/table-decoder.ts'
import { fileSource } from '../../../src/tabular/source/files.ts'
import { openTable, type RequestedFormat } from '../../../src/reading/open-table.ts'
import { BUSINESS_WORDS } from '../../support/business-words.ts'
import { encode } from '../../support/encode.ts'
import { ENCODED_TABLES } from '../../support/encoded-tables.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { runs, some } from '../../support/soak/tests.ts'

const read = async (bytes: Buffer, asked?: RequestedFormat) => {
  using folder = temporaryFolder()
  const path = folder.in('data.csv')
  writeFileSync(path, bytes)
  const table = await openTable(fileSource(path, 'data.csv'), asked)
  const cells: string[][] = []
  for await (const rows of table.rows()) for (const row of rows) cells.push([...row.cells])
  table.close()
  return { ...table.reading, text: cells.map((row) => `${row.join(',')}\n`).join('') }
}

describe('a small table of a business', () => {
  test.each(ENCODED_TABLES)('in %s is read without a flag: %j', async (encoding, text, base64) => {
    const found = await read(Buffer.from(base64, 'base64'))
    expect(found.text).toBe(text)
    expect(found.encoding).toBe(encoding)
    expect(found.assumed).toContain(`data.csv is read as ${encoding}: line 1 says "`)
  })

  test.each(ENCODED_TABLES)('in %s is read with its flag: %j', async (name, text, base64) => {
    const encoding = encodingNamed(name)
    expect((await read(Buffer.from(base64, 'base64'), { encoding })).text).toBe(text)
  })
})

test.each(['£', '¥'])('amounts with %s are read as such, and not as the end of a Japanese clause', async (sign) => {
  const text = `Region,Sales\nNorth,${sign}300\nSouth,${sign}1250.5\nWest,${sign}-7\n`
  expect(await read(Buffer.from(text, 'latin1'))).toMatchObject({ encoding: 'windows-1252', text })
})

test('a code is no word, and says nothing of the language', async () => {
  const text = 'Standort,Umsatz,Code\nSão Paulo,5,SÃ9\nSão Paulo,6,81SÃ\n'
  expect(await read(Buffer.from(text, 'latin1'))).toMatchObject({ encoding: 'windows-1252', text })
})

test('what one word leaves open is shown in every reading, with the flag of each', async () => {
  await expect(read(Buffer.from('name,n\nx,1\nrifiut\xf2,2\n', 'latin1'))).rejects.toThrow(
    /a word on line 3 can be read in more than one way: "rifiutò" \(--encoding windows-1252\).*, "rifiutň" \(--encoding windows-1250\).*; say which is right with --encoding/,
  )
})

test('of several words that may be read in other ways, the one is shown whose readings differ most', async () => {
  const text = 'name,n\nx,1\nfa\xe7ade,1\nrifiut\xf2,2\n'
  await expect(read(Buffer.from(text, 'latin1'))).rejects.toThrow('a word on line 4 can be')
})

test.each<[encoding: string, bytes: string, message: string]>([
  ['shift_jis', 'a,b\n1,x\n2,\x8e\xff\n', 'line 3 holds byte FF, which is no character in shift_jis'],
  ['euc-jp', 'a,b\n1,x\n2,\xb0\n', 'line 3 holds byte B0, which is no character in euc-jp'],
  ['windows-1253', 'a,b\n1,\xd2\n', 'line 2 holds byte D2, which is no character in windows-1253'],
  ['windows-1250', 'a,b\n1,\x81\n', 'line 2 holds byte 81, which is no character in windows-1250'],
  ['euc-kr', 'a,b\n1,\xc9\xa1\n', 'line 2 holds byte A1, which is no character in euc-kr'],
])('bytes without a character are refused with their line: %s', async (name, bytes, message) => {
  await expect(read(Buffer.from(bytes, 'latin1'), { encoding: encodingNamed(name) })).rejects.toThrow(message)
})

test.each(['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr', 'koi8-r'] as const)(
  'characters of %s may be cut between chunks',
  (encoding) => {
    const [, text, base64] = ENCODED_TABLES.find(([name]) => name === encoding) ?? ['', '', '']
    const decode = createTableDecoder(encoding)
    const parts = Array.from(Buffer.from(base64, 'base64'), (byte) => decode(Buffer.of(byte)))
    expect([...parts, decode(undefined)].join('')).toBe(text)
  },
)

test.each<[encoding: string, hex: string, text: string]>([
  ['shift_jis', '8740ed40fa40fbfc', '①纊ⅰ髙'],
  ['gb18030', '9439da3380a2e3', '💩€€'],
  ['big5', 'a3e1a440', '€一'],
  ['euc-kr', '814181428161c652b0a1', '갂갃갵힣가'],
  ['windows-1250', '80', '€'],
  ['windows-1251', '88', '€'],
  ['windows-874', '80', '€'],
  ['iso-8859-15', 'a4', '€'],
])('what Windows added to %s is read: %s', async (name, hex, text) => {
  const bytes = Buffer.concat([Buffer.from('a,b\n1,'), Buffer.from(hex, 'hex'), Buffer.from('\n')])
  expect((await read(bytes, { encoding: encodingNamed(name) })).text).toBe(`a,b\n1,${text}\n`)
})

test.each([
  ['sjis', 'shift_jis'],
  ['Shift-JIS', 'shift_jis'],
  ['CP932', 'shift_jis'],
  ['cp1250', 'windows-1250'],
  ['win-1251', 'windows-1251'],
  ['latin2', 'iso-8859-2'],
  ['Latin-1', 'windows-1252'],
  ['ISO8859-15', 'iso-8859-15'],
  ['gbk', 'gb18030'],
  ['GB2312', 'gb18030'],
  ['Big5', 'big5'],
  ['cp949', 'euc-kr'],
  ['UTF8', 'utf-8'],
  ['KOI8-R', 'koi8-r'],
])('%s is %s', (name, encoding) => {
  expect(encodingNamed(name)).toBe(encoding)
})

test('a name that nobody uses is none, and every name is its own', () => {
  expect(encodingNamed('constructor')).toBeUndefined()
  expect(encodingNamed('')).toBeUndefined()
  for (const encoding of ENCODINGS) expect(encodingNamed(encoding)).toBe(encoding)
})

const PAIRS = Object.entries(BUSINESS_WORDS).flatMap(([language, { encodings, words }]) =>
  encodings.map((encoding) => ({ language, encoding, words: words.split(' ') })),
)

/** Returns the cells of a file of such words, and how it is read: `undefined` if it is stopped. */
const attempt = async (words: readonly string[], encoding: string): Promise<string | undefined> => {
  const bytes = encode(`${words.join('\n')}\n`, encoding)
  if (!bytes) throw new Error(`${words.join(' ')} cannot be written in ${encoding}`)
  try {
    return (await read(bytes)).text
  } catch (error) {
    if (error instanceof KpiError) return undefined
    throw error
  }
}

test('words of a language are read as they were, or the file is stopped', { timeout: 240_000 }, async () => {
  const pair = fc.constantFrom(...PAIRS)
  const files = pair.chain(({ words, encoding, language }) =>
    fc.record({
      language: fc.constant(language),
      encoding: fc.constant(encoding),
      words: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 200, size: 'max' }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(files, async ({ words, encoding }) => {
      const text = await attempt(words, encoding)
      expect([`${words.join('\n')}\n`, undefined]).toContain(text)
    }),
    { numRuns: runs(120, 5000) },
  )
})

test.each(some(20, PAIRS))(
  'each word of $language alone in $encoding is never read as another',
  async ({ words, encoding }) => {
    for (const word of words) expect([word, undefined]).toContain((await attempt([word], encoding))?.trimEnd())
  },
)

test.each(PAIRS)('ten words of $language in $encoding need no flag', async ({ words, encoding }) => {
  const text = await attempt(words.slice(0, 10), encoding)
  expect(text).toBe(`${words.slice(0, 10).join('\n')}\n`)
})
