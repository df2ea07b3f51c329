import { execFileSync } from 'node:child_process'
import { createReadStream, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { isDevice } from '../../../src/files/place.ts'
import { writeWhole } from '../../../src/files/write-file.ts'
import { fileSource } from '../../../src/tabular/source/files.ts'
import { spoolSource } from '../../../src/tabular/source/spool.ts'
import { temporaryFolder } from '../../support/folder.ts'

describe('a file', () => {
  test('can be read more than once, and stays', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.in('data.csv'), 'a,b\n')
    const source = fileSource(folder.in('data.csv'), 'data.csv')
    expect([await text(source.open()), await text(source.open())]).toEqual(['a,b\n', 'a,b\n'])
    source.close()
    expect(readdirSync(folder.path)).toEqual(['data.csv'])
  })

  test.each<[name: string, path: string, reason: string]>([
    ['is missing', 'missing.csv', 'there is no such file'],
    ['is a directory', 'folder', 'it is a directory'],
    ['lies below a file', 'data.csv/more.csv', 'part of its path is not a directory'],
  ])('that %s is refused at once, by the name that the user gave', (_, path, reason) => {
    using folder = temporaryFolder()
    mkdirSync(folder.in('folder'))
    writeFileSync(folder.in('data.csv'), '')
    expect(() => fileSource(folder.in(path), '../its name')).toThrow(`cannot read ../its name: ${reason}`)
  })
})

test.each([
  ['/dev/stdin', true],
  ['/dev/fd/3', true],
  ['/proc/self/fd/0', true],
  ['/dev/null', true],
  ['/dev/shm/sales.csv', false],
  ['/home/dev/stdin', false],
])('%s is no file: %s', (path, isNone) => {
  expect(isDevice(path)).toBe(isNone)
})

describe('standard input', () => {
  test('that cannot be read is called by its name', async () => {
    using folder = temporaryFolder()
    const input = createReadStream(folder.path)
    await expect(spoolSource(input, folder.path, 'standard input')).rejects.toThrow(
      'cannot read standard input: it is a directory',
    )
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('can be read more than once, and leaves nothing behind', async () => {
    using folder = temporaryFolder()
    const source = await spoolSource(Readable.from([Buffer.from('a,'), Buffer.from('b\n')]), folder.path, 'ff')
    expect(source.name).toBe('ff')
    // A process that is killed now leaves nothing behind either.
    expect(readdirSync(folder.path)).toEqual([])
    expect(await Promise.all([text(source.open()), text(source.open())])).toEqual(['a,b\n', 'a,b\n'])
    source.close()
  })

  test('that is read when the user asks to stop leaves nothing behind', async () => {
    using folder = temporaryFolder()
    const controller = new AbortController()
    const input = new PassThrough()
    input.write('a,b\n')
    const spooling = spoolSource(input, folder.path, 'standard input', controller.signal)
    controller.abort()
    await expect(spooling).rejects.toThrow('stopped before anything was sent; run the same command again')
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('that breaks off leaves nothing behind either', async () => {
    using folder = temporaryFolder()
    const broken = Readable.from(
      (function* () {
        yield Buffer.from('a')
        throw new Error('gone')
      })(),
    )
    await expect(spoolSource(broken, folder.path, 'standard input')).rejects.toThrow('gone')
    expect(readdirSync(folder.path)).toEqual([])
  })
})

describe('a file that is written', () => {
  test('appears whole, in place of what was there', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.in('out.csv'), 'before')
    await writeWhole(folder.in('out.csv'), ['a,', 'b\n'])
    expect(readFileSync(folder.in('out.csv'), 'utf8')).toBe('a,b\n')
    expect(readdirSync(folder.path)).toEqual(['out.csv'])
  })

  test('is what it was before, where writing fails half-way', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.in('out.csv'), 'before')
    const breaking = function* (): Generator<string> {
      yield 'half'
      throw new Error('no more')
    }
    await expect(writeWhole(folder.in('out.csv'), breaking())).rejects.toThrow('no more')
    expect(readFileSync(folder.in('out.csv'), 'utf8')).toBe('before')
    expect(readdirSync(folder.path)).toEqual(['out.csv'])
  })

  test('goes into a pipe that is there, which stays one', async () => {
    using folder = temporaryFolder()
    execFileSync('mkfifo', [folder.in('pipe')])
    const [read] = await Promise.all([
      text(createReadStream(folder.in('pipe'))),
      writeWhole(folder.in('pipe'), ['a,', 'b\n'], { isNamed: true, signal: new AbortController().signal }),
    ])
    expect(read).toBe('a,b\n')
    expect(statSync(folder.in('pipe')).isFIFO()).toBe(true)
  })

  test.each<[name: string, path: string, reason: RegExp]>([
    ['a folder that is not there', 'none/out.csv', /folder|directory/],
    ['a folder itself', 'folder', /directory/],
    ['a file below a file', 'data.csv/out.csv', /part of its path is not a directory/],
  ])('is refused by name, with the reason: %s', async (_, path, reason) => {
    using folder = temporaryFolder()
    mkdirSync(folder.in('folder'))
    writeFileSync(folder.in('data.csv'), '')
    const written = writeWhole(folder.in(path), ['x'])
    await expect(written).rejects.toThrow(`cannot write ${folder.in(path)}: `)
    await expect(written).rejects.toThrow(reason)
    expect(readdirSync(folder.path)).toEqual(['data.csv', 'folder'])
  })
})
