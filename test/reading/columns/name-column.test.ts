import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createDirectory, type Named } from '../../../src/client/directory.ts'
import { Fault } from '../../../src/domain/errors.ts'
import { createNameColumn, type NameColumn } from '../../../src/reading/columns/name-column.ts'
import type { NumbersAs } from '../../../src/reading/options/options.ts'

const named = (names: Readonly<Record<number, string>>): Named[] =>
  Object.entries(names).map(([id, name]) => ({ id: Number(id), name }))

/** An administrator, and 45 stores, each with an id that is one more than its number. */
const STORES = named({
  1: 'Administrator',
  ...Object.fromEntries(Array.from({ length: 45 }, (_, at) => [at + 2, `Store ${at + 1}`])),
})

const columnOf = (list: readonly Named[], header: string, as?: NumbersAs): NameColumn =>
  createNameColumn({ role: 'user', header, as }, createDirectory('user', list))

/** Reads cells by a column, and returns the ids that they stand for; undefined for those that stand for nothing. */
const idsOf = (column: NameColumn, cells: readonly string[]): (number | undefined)[] =>
  cells.map((cell) => {
    const found = column.find(cell)
    return found instanceof Fault ? undefined : found.id
  })

test('very many things of one numbered name are told apart at once', () => {
  const same = Array.from({ length: 100_000 }, (_, at) => ({ id: at + 1, name: 'Store 7' }))
  expect(columnOf(same, 'Store').find('Store 7')).toBeInstanceOf(Fault)
})

/** Counts the look-ups in maps that some work makes, which no machine changes. */
const lookUps = (work: () => void): number => {
  using get = vi.spyOn(Map.prototype, 'get')
  work()
  return get.mock.calls.length
}

test('numbers that name nothing are looked up at once, however many words the numbered names have', () => {
  const list = Array.from({ length: 2000 }, (_, at) => ({ id: at + 1, name: `Shop${at} ${at}` }))
  for (const as of [undefined, 'names', 'ids'] as const) {
    const column = columnOf(list, 'user', as)
    expect(lookUps(() => idsOf(column, numbers(100_000, 100_099)))).toBeLessThan(100 * 20)
  }
})

test('a number that very many names end in is said with the first of them', () => {
  const list = Array.from({ length: 2000 }, (_, at) => ({ id: at + 10, name: `Shop${at} 7` }))
  expect(columnOf(list, 'user', 'names').find('7')).toMatchObject({
    message: expect.stringMatching(
      /^"7" may be any of "Shop0 7" \(#10\), .* and 1,990 more; write the whole name/,
    ) as string,
  })
})

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String(from + at))

describe('numbers that are ids, and names behind a word', () => {
  const cells = numbers(1, 45)
  test('are in doubt, whatever the column is called', () => {
    for (const header of ['Store', 'Shop', 'user']) {
      const column = columnOf(STORES, header)
      idsOf(column, cells)
      expect(column.doubt()).toBe(
        '"1" is the id of "Administrator", and the name of "Store 1" (#2); of the numbers of this column 45 are ids and 45 are names; say which: --by-id user or --by-name user',
      )
    }
  })

  test.each<[as: NumbersAs, first: number]>([
    ['ids', 1],
    ['names', 2],
  ])('are read as %s where that is said', (as, first) => {
    const column = columnOf(STORES, 'Store', as)
    expect(idsOf(column, ['1', ' 45', '#10', 'Store 1', '99'])).toEqual([first, first + 44, 10, 2, undefined])
    expect(column.doubt()).toBeUndefined()
    expect(column.numbers()).toEqual({ as, shown: '1' })
  })

  test('are ids in a column that is called as the interface calls ids', () => {
    const column = columnOf(STORES, 'user_id')
    expect(idsOf(column, cells)).toEqual(cells.map(Number))
    expect(column.doubt()).toBeUndefined()
  })

  test('are names with zeros before them, too, where that is said', () => {
    const list = named({ 1: 'Administrator', 7: 'Store_01', 8: 'Store 02' })
    expect(idsOf(columnOf(list, 'Store', 'names'), ['1', '02'])).toEqual([7, 8])
  })

  test('are ids where hardly any of them is the name of one', () => {
    const list = named({
      ...Object.fromEntries(numbers(1, 20).map((id) => [id, `Person ${'abc'[Number(id) % 3]}`])),
      30: 'Agent 7',
    })
    const column = columnOf(list, 'user')
    expect(idsOf(column, numbers(1, 20))).toEqual(numbers(1, 20).map(Number))
    expect(column.doubt()).toBeUndefined()
    const agents = columnOf(list, 'Agent')
    idsOf(agents, numbers(1, 20))
    expect(agents.doubt()).toContain('"7" is the id of "Person b", and the name of "Agent 7" (#30)')
  })

  test('that are no ids say how to be taken for names', () => {
    const list = named({ 101: 'Store 1', 102: 'Store 2' })
    expect(columnOf(list, 'Store').find('1')).toEqual(
      new Fault('there is no user "1"; --by-name user takes "Store 1" for it'),
    )
  })

  test('that name several things behind several words are refused, and said', () => {
    const list = named({ 1: 'Store 7', 2: 'Agent 7' })
    expect(columnOf(list, 'user', 'names').find('7')).toMatchObject({
      message: '"7" may be any of "Store 7" (#1), "Agent 7" (#2); write the whole name, or the id with # before it',
    })
    expect(idsOf(columnOf(list, 'Agent', 'names'), ['7'])).toEqual([2])
    expect(columnOf(list, 'user', 'names').find('8')).toEqual(
      new Fault('there is no user with the name "8"; an id is written #8'),
    )
  })
})

describe('numbers that are ids, and names as they stand', () => {
  test.each<[about: string, names: Readonly<Record<number, string>>, cells: readonly string[], isInDoubt: boolean]>([
    ['of other things', { 1: 'Visits', 3: '1' }, ['1'], true],
    ['of the same things', { 1: '1', 2: '2' }, ['1', '2'], false],
    ['some only ids, and some only names', { 1: 'Visits', 3: '45' }, ['1', '45'], true],
    ['names alone', { 1: 'Visits', 3: '45' }, ['45', 'Visits'], false],
    ['ids alone', { 1: 'Visits', 3: '45' }, ['1', '3'], false],
    ['marked as ids', { 1: 'Visits', 3: '1' }, ['#1', '#3'], false],
  ])('%s', (_, names, cells, isInDoubt) => {
    const column = columnOf(named(names), 'kpi')
    idsOf(column, cells)
    expect(column.doubt() !== undefined).toBe(isInDoubt)
  })

  test('are told as what they are read as', () => {
    const column = columnOf(named({ 1: 'Visits', 3: '45' }), 'kpi')
    expect(column.numbers()).toBeUndefined()
    expect(idsOf(column, ['45'])).toEqual([3])
    expect(column.numbers()).toEqual({ as: 'names', shown: '45' })
  })
})

test('a column without doubt says the same by ids and by names, wherever both say something of a cell', () => {
  const name = fc.oneof(
    fc.integer({ min: 1, max: 12 }).map(String),
    fc.integer({ min: 1, max: 12 }).map((number) => `Store ${number}`),
    fc.constantFrom('Ann', 'Bob', 'Store'),
  )
  const list = fc.uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 12 }), name }), { selector: ({ id }) => id })
  const cells = fc.array(fc.integer({ min: 1, max: 14 }).map(String), { minLength: 1 })
  fc.assert(
    fc.property(list, cells, (all, texts) => {
      const column = columnOf(all, 'Store')
      const read = idsOf(column, texts)
      fc.pre(column.doubt() === undefined)
      const [byId = [], byName = []] = (['ids', 'names'] as const).map((as) => idsOf(columnOf(all, 'Store', as), texts))
      const isSilent = (one: number | undefined, other: number | undefined): boolean =>
        one !== undefined && other !== undefined && one !== other
      const guessed = texts.filter((_, at) => isSilent(byId[at], byName[at]))
      const madeUp = texts.filter((_, at) => read[at] !== undefined && read[at] !== byId[at] && read[at] !== byName[at])
      expect([guessed, madeUp]).toEqual([[], []])
    }),
  )
})

test.each([undefined, 'ids', 'names'] as const)(
  'an apostrophe says that a number is a name, where numbers are %s',
  (as) => {
    const list = named({ 1: '3', 2: '#1', 3: 'North', 4: "'tis", 5: '007' })
    expect(idsOf(columnOf(list, 'source_id', as), ["'3", "'#1", "'North", "'tis", "'007", "'2", "'#3"])).toEqual([
      1,
      2,
      3,
      4,
      5,
      undefined,
      undefined,
    ])
  },
)

test('a name that is created has no such apostrophe', () => {
  const made: string[] = []
  const create = (name: string): Named => {
    made.push(name)
    return { id: 9, name }
  }
  const column = createNameColumn(
    { role: 'source', header: 'source_id', as: undefined },
    { ...createDirectory('item', []), create },
  )
  idsOf(column, ["'101", "'#3", "'=A1", "'Actual", "'tis", "'North"])
  expect(made).toEqual(['101', '#3', '=A1', 'Actual', "'tis", "'North"])
})
