import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createYamlReader } from '../../src/codec/yaml-reader.ts'
import { neverPause } from '../../src/domain/pause.ts'
import { runs } from '../support/soak/tests.ts'

const faultsOf = async (text: string) => {
  const reader = createYamlReader(text, 'one only', neverPause)
  for await (const _ of reader.parts(true));
  return { faults: reader.faults.map(({ field, message }) => `${field}: ${message}`), isYaml: reader.isYaml() }
}

const MISPLACED = 'this line is indented otherwise than those that it belongs to; align it with them'
const COLON = 'this line lacks a colon: write NAME: VALUE, with a blank behind the colon'
const QUOTE = 'put the whole text in quotes'

/** One slip each, with its line and column, and what is told. */
const SLIPS: readonly (readonly [what: string, text: string, at: string, told: string])[] = [
  ['too little indent in an item', 'a:\n  - b: 1\n   c: 2\n', '3:4', MISPLACED],
  ['too much indent in an item', 'a:\n  - b: 1\n     c: 2\n', '3:6', MISPLACED],
  ['too much indent at the top', 'a: 1\n b: 2\n', '2:2', MISPLACED],
  ['too much indent of a dash', 'a:\n  - b:\n   - c:\n', '3:4', MISPLACED],
  ['too little indent of a dash', 'a:\n  - b:\n - c:\n', '3:2', MISPLACED],
  ['too little indent in a map', 'a:\n   b: 1\n  c: 2\n', '3:3', MISPLACED],
  ['a name beside dashes', 'a:\n  - b\n  c: 2\n', '3:3', MISPLACED],
  ['a tab', 'a:\n\t- b: 1\n', '2:1', 'a tab stands at the beginning of this line; indent it with blanks'],
  ['a tab before blanks', 'a:\n  - b: 1\n\t  c: 2\n', '3:1', 'a tab stands at the beginning'],
  ['no colon at the top', 'a b\nc:\n  - d: 1\n', '1:1', COLON],
  ['no colon before a list', 'a: 1\nb\n  - c: 1\n', '2:1', COLON],
  ['no colon in an item', 'a:\n  - b: 1\n    c 2\n    d: 3\n', '3:5', COLON],
  ['no colon in the last line', 'a: 1\nb\n', '2:1', COLON],
  ['a name twice', 'a: 1\nb: 2\na: 3\n', '3:1', 'a stands here a second time; leave one of them out'],
  ['a name twice in brackets', 'a: { b: 1, b: 2 }\n', '1:12', 'b stands here a second time'],
  [
    'a map that is not closed',
    'a:\n  - b: { c: 1\nd: 2\n',
    '2:8',
    '{ is opened here and not closed; write } where it ends',
  ],
  ['a list that is not closed', 'a: [1, 2\nb: 3\n', '1:4', '[ is opened here and not closed; write ] where it ends'],
  ['a double quote that is not closed', 'a: 1\nb: "c\nd: 2\n', '2:4', 'a quote is opened here and not closed'],
  ['a single quote that is not closed', "a: 1\nb: 'c\nd: 2\n", '2:4', 'a quote is opened here and not closed'],
  ['a colon in a value', 'a: b: c\n', '1:4', `a value has a colon with a blank behind it; ${QUOTE}`],
  ['a text that begins with a brace', 'a:\n  - b: {date}.csv\n', '2:14', QUOTE],
  ['a text behind quotes', 'a: "b".csv\n', '1:7', QUOTE],
  ['a sign that begins no text', 'a: @b\n', '1:4', `no text begins with this character in YAML; ${QUOTE}`],
  ['a pattern without quotes', 'a:\n  - b: *.csv\n', '2:8', 'a text that begins with * needs quotes: "*.csv"'],
  ['a backslash in quotes', 'a: "b\\zc"\n', '1:6', 'a backslash in double quotes begins a sign'],
  ['a dash behind a name', 'a: - b\n', '1:4', 'a list begins on the line below its name'],
]

describe('one slip is one fault, at its line and column:', () => {
  test.each(SLIPS)('%s', async (_what, text, at, told) => {
    const [line, column] = at.split(':')
    const { faults, isYaml } = await faultsOf(text)
    expect([faults, isYaml]).toEqual([[expect.stringContaining(`line ${line}, column ${column}: `)], false])
    expect(faults[0]).toContain(told)
  })

  test('also in a part of a long file', async () => {
    const items = Array.from({ length: 2000 }, (_, at) => `  - name: k${at}\n`).join('')
    const { faults } = await faultsOf(`kpis:\n${items}  - name: last\n     unit: x\nunits:\n${items}`)
    expect(faults).toEqual([`line 2003, column 6: ${MISPLACED}`])
  })
})

const WHOLE = `lock: nightly
deadline: 2h
steps:
  - import: [inbox/*.csv, "a b.csv"]
    move_to: done/{date}
    flags: { create-assignments: true }
  - check:
    flags:
      kpis: 'Visits'
`

test('whatever is put into a file or taken out of it, it is read, or has one fault within it', async () => {
  const pieces = fc.constantFrom('', '\t', ' ', ':', '"', "'", '{', '}', '[', ']', '-', '*', '&', '\n', '#', '|', '@')
  const cut = fc.tuple(fc.nat({ max: WHOLE.length }), fc.nat({ max: 3 }), pieces)
  await fc.assert(
    fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 2 }), async (cuts) => {
      let text = WHOLE
      for (const [at, length, piece] of cuts) text = text.slice(0, at) + piece + text.slice(at + length)
      const { faults, isYaml } = await faultsOf(text)
      expect(faults).toHaveLength(isYaml ? 0 : 1)
      const [, line, column] = /^line (\d+)(?:, column (\d+))?: \S/.exec(faults[0] ?? 'line 1: none') ?? []
      expect(Number(line)).toBeGreaterThan(0)
      expect(Number(line)).toBeLessThanOrEqual(text.split('\n').length)
      expect(Number(column ?? 1)).toBeGreaterThan(0)
    }),
    { numRuns: runs(300, 20_000) },
  )
})
