import { isMap, isSeq } from 'yaml'
import { describe, expect, test } from 'vitest'
import { createYamlReader, textOf } from '../../src/codec/yaml-reader.ts'
import { neverPause } from '../../src/domain/pause.ts'

const ONE_ONLY = 'one only'

/** Reads a text, and returns its keys with the texts of their lists, how many parts it had, and its faults. */
const read = async (text: string, isCut: boolean) => {
  const reader = createYamlReader(text, ONE_ONLY, neverPause)
  const [keys, lines]: [Map<string, unknown[]>, number[]] = [new Map(), []]
  let parts = 0
  for await (const contents of reader.parts(isCut)) {
    parts += 1
    for (const { name, node } of isMap(contents) ? reader.pairsOf(contents, 1) : []) {
      const list = keys.get(name) ?? []
      for (const one of isSeq(node) ? node.items : [node]) {
        const item = reader.resolve(one)
        lines.push(reader.lineOf(item, 0))
        list.push(
          isMap(item) ? reader.pairsOf(item, 1).map((pair) => [pair.name, pair.line, textOf(pair.node)]) : textOf(item),
        )
      }
      keys.set(name, list)
    }
  }
  return { keys, lines, parts, faults: reader.faults }
}

const times = (count: number, textAt: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => textAt(at)).join('')

describe('a file that is read in parts says the same as one that is read whole:', () => {
  test.each([
    [
      'lists of maps',
      `units:\n${times(900, (at) => `  - name: u${at}\n    x: '${at}'\n`)}kpis:\n${times(900, (at) => `  - name: k${at}\n`)}end: 1\n`,
    ],
    ['lists without an indent', `a: 1\nkpis:\n${times(2000, (at) => `- k${at} # is ${at}\n\n`)}`],
    [
      'anchors before and within',
      `x: &x 1\nkpis:\n${times(900, (at) => `- &a${at} k${at}\n- *x\n- *a${Math.max(0, at - 500)}\n`)}`,
    ],
    [
      'JSON',
      `{"a":1,"units":[${times(900, (at) => `{"name":"u${at}"},`)}{}],"kpis":[${times(2000, (at) => `"k${at}" ,\n`)}"z"],"b":[1]}`,
    ],
    ['pairs in a list', `{a: [${times(2000, (at) => `k${at}: 1, ? b, `)} c]}`],
  ])('%s', async (_, text) => {
    const [cut, whole] = [await read(text, true), await read(text, false)]
    expect(cut.parts).toBeGreaterThan(2)
    expect({ ...cut, parts: 1 }).toEqual(whole)
    expect(whole).toMatchObject({ parts: 1, faults: [] })
  })

  test('a key that comes again after a long list is a fault', async () => {
    const { faults } = await read(`a:\n${times(2000, () => '- b\n')}a: 1\n`, true)
    expect(faults).toEqual([
      { field: 'line 2002, column 1', message: 'a stands here a second time; leave one of them out' },
    ])
  })
})

describe('what no file needs is refused where it is beyond its limit:', () => {
  test.each([
    ['brackets', '['.repeat(5_000_000), 1, 'nested more than 100 deep'],
    ['blocks', times(2900, (at) => `${' '.repeat(at)}a:\n`), 101, 'nested more than 100 deep'],
    ['keys', times(200_000, (at) => `k${at}: 1\n`), 101, 'more than 100 keys'],
    ['keys that are the same', 'a: 1\n'.repeat(500_000), 101, 'more than 100 keys'],
    ['keys of an item', `{"kpis":[{${times(200_000, (at) => `"k${at}":1,`)}}]}`, 1, 'more than 100 keys'],
    ['a list in an item', `a:\n- ${'[x]\n- b: '.repeat(2)}[${'*k,'.repeat(900_000)}]`, 4, 'more than 50000 words'],
    ['tags', `a: ${'!x '.repeat(1_000_000)}`, 1, 'more than 50000 words'],
    ['a text', `a: ${'b\n '.repeat(1_000_000)}`, 1_000_000, 'more than 1048576 characters'],
  ])('%s', async (_, text, line, message) => {
    const { faults } = await read(text, true)
    expect(faults).toEqual([{ field: `line ${line}`, message: expect.stringContaining(message) as string }])
  })

  test('faults without end', async () => {
    const { faults } = await read(`a:\n${'- @x\n'.repeat(200_000)}`, true)
    expect(faults).toEqual([{ field: 'line 2, column 3', message: expect.stringContaining('begins with') as string }])
  })

  test('a second document', async () => {
    const { faults } = await read('---\n'.repeat(1_000_000), true)
    expect(faults).toEqual([{ field: 'line 2', message: ONE_ONLY }])
  })
})
