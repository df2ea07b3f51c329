import { expect, test } from 'vitest'
import { fileSource } from '../../../src/tabular/source/files.ts'
import type { ParsedFormat } from '../../../src/tabular/source/table.ts'
import { type RequestedFormat, openTable } from '../../../src/reading/open-table.ts'
import { writeFileSync } from 'node:fs'
import { temporaryFolder } from '../../support/folder.ts'

const readingOf = async (bytes: string, asked?: RequestedFormat): Promise<ParsedFormat> => {
  using folder = temporaryFolder()
  const path = folder.in('data.csv')
  writeFileSync(path, Buffer.from(`name,n\n${bytes}`, 'latin1'))
  const table = await openTable(fileSource(path, 'data.csv'), asked)
  table.close()
  return table.reading
}

test.each<[found: string, bytes: string]>([
  ['windows-1250: Książek', 'Ksi\xb9\xbfek,1\n'],
  ['windows-1251: Иванов', '\xc8\xe2\xe0\xed\xee\xe2,1\n'],
  ['windows-1251: Юля', '\xde\xeb\xff,1\n'],
  ['koi8-r: Иванов', '\xe9\xd7\xc1\xce\xcf\xd7,1\n'],
  ['windows-1253: Νίκος', '\xcd\xdf\xea\xef\xf2,1\n'],
])('one word that is in no other encoding shows which it is: %s', async (found, bytes) => {
  const { encoding, assumed } = await readingOf(`plain,2\n${bytes}`)
  const [name, word] = found.split(': ')
  expect(encoding).toBe(name)
  expect(assumed).toContain(`line 3 says "${word}"`)
})

test.each<[encoding: string, bytes: string]>([
  ['windows-1250: Łukasz', '\xa3ukasz,1\n'],
  ['windows-1250: Żak', '\xafak,1\n'],
  ['MacRoman: Müller', 'M\x9fller,1\n'],
  ['MacRoman: März', 'M\x8arz,1\n'],
  ['MacRoman: José', 'Jos\x8e,1\n'],
  ['MacRoman: Straße', 'Stra\xa7e,1\n'],
  ['DOS 850: März', 'M\x84rz,1\n'],
  ['DOS 850: Jörg', 'J\x94rg,1\n'],
  ['GBK: 销售', '\xcf\xfa\xca\xdb,1\n'],
  ['GBK: 张伟', '\xd5\xc5\xce\xb0,1\n'],
])('one word that proves nothing stops with what it would say: %s', async (_, bytes) => {
  const reading = readingOf(`plain,2\n${bytes}`)
  await expect(reading).rejects.toThrow(/line 3 (?:says|has|can be read in more than one way:) ".+".*--encoding [\w-]+/)
  expect(await readingOf(bytes, { encoding: 'windows-1252' })).not.toHaveProperty('assumed', expect.any(String))
})

test('UTF-8 that is cut off within its last letter stops', async () => {
  await expect(readingOf('J\xc3')).rejects.toThrow('it ends in the middle of a UTF-8 character')
})

test.each([
  'J\xf6rg M\xfcller',
  'C\x9cur, \x8cuvre',
  'd\x92\xe9t\xe9 \xe0 No\xebl',
  'L\x92HA\xdf \xdcBER',
  '\xbfQu\xe9 a\xf1o? \xa1S\xed!',
  'S\xe3o Tom\xe9, AMANH\xc3',
  '\xde\xfd\xf0ing \xe6\xf0i',
  '12,5\xa0m\xb3, 3\xb0, 5\xa0\x80, \xa35m, kgCO\xb2e',
  'Bj\xf8rn \xc5s, \xf8l, \xe5r',
  'Mo\x96Fr \x84Zitat\x93 \x96 und\x85',
  'col\xb7laboraci\xf3 1\xaa N\xba5',
  '\x8akoda \x8eivot \x9apatn\xfd',
])('windows-1252 that people write is read, and told with the words that show it: %j', async (text) => {
  const { encoding, assumed } = await readingOf(`"${text}",1\n`)
  expect(encoding).toBe('windows-1252')
  expect(assumed).toMatch(
    /^data\.csv is read as windows-1252: line 2 says ".+"; if that is wrong, save it as CSV UTF-8/,
  )
})

test('spaces that do not break are no words', async () => {
  expect((await readingOf('x,1\xa0000\n')).assumed).toBeUndefined()
})
