import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fileSource } from '../../../src/tabular/source/files.ts'
import { openTable } from '../../../src/reading/open-table.ts'
import { createRejects, createRejectsFile } from '../../../src/reading/rejects/rejects.ts'
import { type Folder, temporaryFolder } from '../../support/folder.ts'

type Reasons = readonly (readonly [line: number, reason: string])[]

/** Writes the rejects of a file that holds `text`, and reads them. */
const rejectsOf = async (folder: Folder, text: string | Buffer, reasons: Reasons): Promise<string> => {
  writeFileSync(folder.in('data.csv'), text)
  const rejects = createRejects(folder.path)
  for (const [line, reason] of reasons) rejects.add(line, reason)
  try {
    const table = await openTable(fileSource(folder.in('data.csv'), 'data.csv'))
    await createRejectsFile(folder.in('rejects.csv'), 'rejects.csv', () => undefined).write(table, rejects)
  } finally {
    rejects.close()
  }
  return readFileSync(folder.in('rejects.csv'), 'utf8')
}

test.each<[name: string, text: string, reasons: Reasons, rejects: string]>([
  ['the original cells', 'a,b\n1,2\n3, 4 \n5,6\n', [[3, 'bad']], 'a,b,_line,_reason\n3, 4 ,3,bad\n'],
  [
    'each row once, in the order of the file, with all reasons in the order in which they were found',
    'a\n1\n2\n3\n',
    [
      [4, 'z'],
      [2, 'y'],
      [4, 'x'],
      [4, 'z'],
      [2, 'a'],
    ],
    'a,_line,_reason\n1,2,y; a\n3,4,z; x\n',
  ],
  [
    'quotes where cells need them',
    'a,"b,c"\n"1\n2","say ""x"""\n,7\n',
    [
      [2, 'so, "bad"'],
      [4, 'x'],
    ],
    'a,"b,c",_line,_reason\n"1\n2","say ""x""",2,"so, ""bad"""\n,7,4,x\n',
  ],
  ['LF for CRLF', 'a\r\n\r\n1\r\n', [[3, 'é']], 'a,_line,_reason\n1,3,é\n'],
  ['a byte order mark where the file has one', '\ufeffa\n1\n', [[2, 'é']], '\ufeffa,_line,_reason\n1,2,é\n'],
  ['the separator of the file', 'a;b\n1,5;x,y\n', [[2, 'bad; bad']], 'a;b;_line;_reason\n1,5;x,y;2;"bad; bad"\n'],
  ['no line that only says the separator', 'sep=|\na|b\n1|2\n', [[3, 'x']], 'a|b|_line|_reason\n1|2|3|x\n'],
  ['empty cells where the row had too few', 'a,b,c\n1\n', [[2, 'x']], 'a,b,c,_line,_reason\n1,,,2,x\n'],
  [
    'no line and reason of an earlier rejects file',
    'a,_line,b,_reason\n1,77,2,old\n',
    [[2, 'new']],
    'a,b,_line,_reason\n1,2,2,new\n',
  ],
])('a rejects file has %s', async (_, text, reasons, rejects) => {
  using folder = temporaryFolder()
  expect(await rejectsOf(folder, text, reasons)).toBe(rejects)
})

test.each<[name: string, bytes: Buffer]>([
  ['Windows-1252', Buffer.from('a;b\n1;M\xfcller\n', 'latin1')],
  ['UTF-16', Buffer.from('\ufeffa;b\n1;Müller\n', 'utf16le')],
])('the rejects of %s are UTF-8 with a byte order mark, so that a spreadsheet knows them', async (_, bytes) => {
  using folder = temporaryFolder()
  expect(await rejectsOf(folder, bytes, [[2, 'ä']])).toBe('\ufeffa;b;_line;_reason\n1;Müller;2;ä\n')
})

test('a row with too many cells keeps all of them, however often it is rejected', async () => {
  using folder = temporaryFolder()
  const once = await rejectsOf(folder, 'a,b\n1,2,EXTRA\n', [[2, 'too many']])
  expect(once).toContain('1,2,EXTRA,2,too many')
  expect(await rejectsOf(folder, once, [[2, 'too many']])).toMatch(/^1,2,EXTRA,/m)
})

test('many rejects in no order are told by line', async () => {
  using folder = temporaryFolder()
  const count = 30_000
  const rejects = createRejects(folder.path)
  for (let at = 0; at < count; at += 1) {
    const line = ((at * 7919) % count) + 2
    rejects.add(line, 'one')
    rejects.add(line, `of ${line}`)
  }
  const lines = (await Array.fromAsync(rejects.lines())).flat()
  expect(rejects.count()).toBe(count)
  expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: count }, (_, at) => at + 2))
  expect(lines.filter(({ line, reasons }) => reasons.join('; ') !== `one; of ${line}`)).toEqual([])
  rejects.close()
  expect(readdirSync(folder.path)).toEqual([])
})

test('each line counts once, in any order, also after all were removed', async () => {
  using folder = temporaryFolder()
  const rejects = createRejects(folder.path)
  for (const line of [7, 3, 7, 9, 3]) rejects.add(line, 'bad')
  expect([rejects.size(), rejects.count()]).toEqual([5, 3])
  rejects.clear()
  rejects.add(3, 'bad')
  expect([rejects.size(), rejects.count()]).toEqual([1, 1])
  rejects.close()
})

test('rejects are full once their reasons take 400 MiB, and not before', () => {
  using folder = temporaryFolder()
  const rejects = createRejects(folder.path)
  const [long, count] = ['x'.repeat(1024 ** 2 - 48), 400]
  for (let line = 1; line <= count; line += 1) rejects.add(line, long)
  expect(rejects.isFull()).toBe(false)
  rejects.add(count + 1, 'x')
  expect(rejects.isFull()).toBe(true)
  rejects.close()
})

test('the lines of rejects are not told on where a signal asks to stop', async () => {
  using folder = temporaryFolder()
  const rejects = createRejects(folder.path)
  for (let line = 1; line <= 10_000; line += 1) rejects.add(line, 'bad')
  const stop = new AbortController()
  let told = 0
  const tell = async (): Promise<void> => {
    for await (const lines of rejects.lines(stop.signal)) {
      told += lines.length
      stop.abort()
    }
  }
  await expect(tell()).rejects.toThrow('stopped')
  expect(told).toBeLessThan(10_000)
  rejects.close()
})

test('a file that no longer has the rejected lines is told of, and nothing is left half written', async () => {
  using folder = temporaryFolder()
  await expect(rejectsOf(folder, 'a\n1\n', [[7, 'x']])).rejects.toMatchObject({
    code: 'malformed',
    message: 'data.csv has changed while it was read',
  })
  expect(readdirSync(folder.path)).toEqual(['data.csv'])
})

test('a rejects file that was there stays where it was, where the new one cannot be written whole', async () => {
  using folder = temporaryFolder()
  writeFileSync(folder.in('rejects.csv'), 'mended')
  await expect(rejectsOf(folder, 'a\n1\n', [[7, 'x']])).rejects.toThrow('has changed')
  expect(readFileSync(folder.in('rejects.csv'), 'utf8')).toBe('mended')
  expect(readdirSync(folder.path)).toEqual(['data.csv', 'rejects.csv'])
})
