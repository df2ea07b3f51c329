import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTable, type TableColumn } from '../../src/cli/output/table.ts'
import { oneLine, shorten, wrap } from '../../src/cli/output/width.ts'

const COLUMNS: readonly TableColumn[] = [
  { title: 'id', isNumber: true, whereLong: 'stays' },
  { title: 'name', isNumber: false, whereLong: 'cut' },
]
const draw = (rows: readonly string[][], width?: number): Promise<string> =>
  createTable(COLUMNS, { width, color: false })(rows)

describe('a table', () => {
  test('has titles, numbers to the right and text to the left', async () => {
    expect(
      await draw([
        ['1', 'a'],
        ['10', 'long name'],
      ]),
    ).toBe('id  name\n 1  a\n10  long name\n')
  })

  test('of no rows is its titles', async () => {
    expect(await draw([])).toBe('id  name\n')
  })

  test('of no rows is nothing where there is no room for its titles', async () => {
    expect(await createTable(COLUMNS, { color: false, width: 5 })([])).toBe('')
  })

  test('counts wide characters as the terminal shows them', async () => {
    const columns = COLUMNS.toReversed()
    const table = await createTable(columns, { color: false })([
      ['売上', '1'],
      ['e\u0301👩‍👩‍👧', '22'],
      ['abcd', '3'],
    ])
    expect(table).toBe('name  id\n売上   1\ne\u0301👩‍👩‍👧   22\nabcd   3\n')
  })

  test('shows wide and combined characters whole, in titles too', async () => {
    const columns = [
      { title: '\u58f2\u4e0a', isNumber: true, whereLong: 'stays' },
      { title: 'x', isNumber: false, whereLong: 'cut' },
    ] as const
    const rows = [
      ['1', '👩‍👩‍👧'],
      ['2', '\u0301'],
      ['3', 'e\u0301\ue000👩‍👩‍👧'],
    ]
    const lines = ['売上  x', '   1  👩‍👩‍👧', '   2  \u0301', '   3  e\u0301\ue000👩‍👩‍👧', '']
    expect((await createTable(columns, { color: false })(rows)).split('\n')).toEqual(lines)
    expect((await createTable(columns, { color: false, width: 40 })(rows)).split('\n')).toEqual(lines)
  })

  test('takes room from the widest column only where it must', async () => {
    const rows = [['1', 'x'.repeat(30)]]
    expect(await draw(rows, 34)).toBe(`id  name\n 1  ${'x'.repeat(30)}\n`)
    expect(await draw(rows, 20)).toBe(`id  name\n 1  ${'x'.repeat(15)}…\n`)
    expect(await draw(rows, 5)).toBe(`id  name\n 1  ${'x'.repeat(9)}…\n`)
  })

  test('wraps titles before it cuts texts, and cuts neither numbers nor dates nor words of titles', async () => {
    const columns = ['a_long_title', 'date', 'name'].map(
      (title) =>
        ({
          title,
          isNumber: title === 'a_long_title',
          whereLong: title === 'name' ? 'cut' : 'stays',
        }) as const,
    )
    const rows = [['12345', '2026-11-21', 'x'.repeat(12)]]
    const at = (width: number): Promise<string> => createTable(columns, { width, color: false })(rows)
    expect(await at(33)).toBe(`a_long_\n  title  date        name\n  12345  2026-11-21  ${'x'.repeat(12)}\n`)
    const narrow = '   a_\nlong_\ntitle  date        name\n12345  2026-11-21  '
    expect(await at(30)).toBe(`${narrow}${'x'.repeat(10)}…\n`)
    const fields = (parts: readonly string[]): string =>
      `a_long_title  12345\ndate          2026-11-21\nname          ${parts.join(`\n${' '.repeat(14)}`)}\n\n`
    expect(await at(28)).toBe(fields(['x'.repeat(12)]))
    expect(await at(10)).toBe(fields(['x'.repeat(10), 'xx']))
  })

  test('of rows that do not fit is a list of fields for each row, in later blocks as well', async () => {
    const columns: readonly TableColumn[] = [...COLUMNS, { title: 'from', isNumber: false, whereLong: 'stays' }]
    const render = createTable(columns, { width: 20, color: false })
    expect(await render([['123456', 'a name', '2026-11-21']])).toBe('id    123456\nname  a name\nfrom  2026-11-21\n\n')
    expect(await render([['1', '売上', '']])).toBe('id    1\nname  売上\nfrom\n\n')
  })

  test('is the same however many rows there are', async () => {
    const rows = Array.from({ length: 250 }, (_, at) => [String(at), `name ${at % 7}`])
    const lines = (await draw(rows, 40)).split('\n')
    expect(lines).toHaveLength(252)
    expect([lines[1], lines[100], lines[101], lines[250]]).toEqual([
      '  0  name 0',
      ' 99  name 1',
      '100  name 2',
      '249  name 4',
    ])
  })

  test('lets sentences go on in the next line', async () => {
    const columns = [COLUMNS[0], { title: 'reason', isNumber: false, whereLong: 'wraps' }] as const
    const rows = Array.from({ length: 101 }, () => ['1', 'there is no user "Jörg"; did you mean "Jürgen"?'])
    const lines = (await createTable(columns as readonly TableColumn[], { width: 34, color: false })(rows)).split('\n')
    const row = [' 1  there is no user "Jörg"; did', '    you mean "Jürgen"?']
    expect(lines).toEqual(['id  reason', ...rows.flatMap(() => row), ''])
  })

  test('never cuts a number or a date of later rows', async () => {
    const render = createTable(COLUMNS, { width: 20, color: false })
    await render([['12345', 'a']])
    expect(await render([['123456789', 'x'.repeat(30)]])).toBe('123456789  xxx…\n')
    expect(await render([['1', 'b']])).toBe('        1  b\n')
  })

  test('shows every number whole, whichever block it comes in', async () => {
    const number = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }).map(String)
    const blocks = fc.array(fc.array(fc.tuple(number, fc.string({ maxLength: 40 })), { maxLength: 3 }), {
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(blocks, fc.integer({ min: 1, max: 60 }), async (all, width) => {
        const render = createTable(COLUMNS, { width, color: false })
        for (const rows of all) {
          const lines = (await render(rows)).split('\n')
          for (const [id] of rows) expect(lines.some((line) => line.trimStart().startsWith(id))).toBe(true)
        }
      }),
    )
  })

  test('of several columns fits the width and cuts no number, whichever block a long one comes in', async () => {
    const columns: readonly TableColumn[] = [
      { title: 'id', isNumber: true, whereLong: 'stays' },
      { title: 'name', isNumber: false, whereLong: 'cut' },
      { title: 'reason', isNumber: false, whereLong: 'wraps' },
      { title: 'actual', isNumber: true, whereLong: 'stays' },
    ]
    const number = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }).map(String)
    const text = fc.string({ maxLength: 60 })
    const blocks = fc.array(fc.array(fc.tuple(number, text, text, number), { maxLength: 3 }), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(blocks, fc.integer({ min: 40, max: 120 }), async (all, width) => {
        const render = createTable(columns, { width, color: false })
        for (const rows of all) {
          const table = await render(rows)
          expect(table.split('\n').filter(({ length }) => length > width)).toEqual([])
          for (const row of rows) for (const at of [0, 3]) expect(table).toContain(row[at])
        }
      }),
    )
  })

  test('gives the room of others to a word that would not fit its column', async () => {
    const url = 'http://127.0.0.1:8377/api'
    const columns: readonly TableColumn[] = ['name', 'value', 'from', 'advice'].map((title) => ({
      title,
      isNumber: false,
      whereLong: title === 'name' ? 'cut' : 'wraps',
    }))
    const long = 'a sentence of many words which can be wrapped anywhere'
    for (let width = 40; width <= 120; width += 1) {
      const table = await createTable(columns, { width, color: false })([['service', url, long, long]])
      expect(table).toContain(url)
      expect(table.split('\n').filter(({ length }) => length > width)).toEqual([])
    }
  })

  test('cuts nothing where no width is given, whichever row is long', async () => {
    const render = createTable(COLUMNS, { color: false })
    expect(await render([['1', 'first']])).toBe('id  name\n 1  first\n')
    const rows = Array.from({ length: 50 }, (_, at) => [String(at), at === 49 ? 'longer than all before' : 'a'])
    const lines = (await render(rows)).split('\n')
    expect(lines).toHaveLength(51)
    expect(lines[49]).toBe('49  longer than all before')
  })

  test('goes on in the widths of its first block, without titles', async () => {
    const render = createTable(COLUMNS, { color: false, width: 40 })
    expect(await render([['1', 'first']])).toBe('id  name\n 1  first\n')
    expect(await render([['2', 'longer than first']])).toBe(' 2  long…\n')
  })
})

describe('a cell', () => {
  test.each([
    ['plain', 'plain'],
    ['two\nlines', 'two ⏎ lines'],
    ['\u001b[31mred\u0007', '\ufffd[31mred\ufffd'],
    ['tab\there', 'tab here'],
    ['Windows\r\nlines', 'Windows ⏎ lines'],
    ['\u202edcba\u2066', '\ufffddcba\ufffd'],
    ['ünï', 'ünï'],
  ])('%j is one line that cannot steer the terminal', (text, shown) => {
    expect(oneLine(text)).toBe(shown)
  })

  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['abcdef', 1, '…'],
  ])('%s in %i columns is %s', (text, width, shown) => {
    expect(shorten(text, width, ({ length }) => length)).toBe(shown)
  })

  test.each([
    ['one two', 7, ['one two']],
    ['one two', 6, ['one', 'two']],
    ['one twothree', 5, ['one', 'twoth', 'ree']],
    ['a  b', 2, ['a ', 'b']],
    ['', 3, ['']],
  ])('%j in lines of %i columns is %j', (text, width, lines) => {
    expect(wrap(text, width, ({ length }) => length)).toEqual(lines)
  })
})
