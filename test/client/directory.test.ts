import { nearest, createSuggest } from '../../src/client/nearest.ts'
import { describe, expect, test } from 'vitest'
import { createDirectory } from '../../src/client/directory.ts'
import { Fault } from '../../src/domain/errors.ts'

const people = createDirectory('user', [
  { id: 1, name: 'Ann Lee', email: 'ann@example.com' },
  { id: 2, name: 'ann lee', email: 'lee@example.com' },
  { id: 3, name: 'Bob' },
  { id: 4, name: 'Bob' },
  { id: 5, name: '3' },
  { id: 6, name: '2026' },
  { id: 7, name: 'New_Customers  per-Day' },
  { id: 8, name: '__proto__' },
  { id: 9, name: 'Jörg Groß' },
  { id: 10, name: '-Rate' },
])

describe('a name', () => {
  test.each([
    ['1', 1],
    [' 1 ', 1],
    ['Ann Lee', 1],
    ['ann lee', 2],
    ['ANN@example.COM', 1],
    ['4', 4],
    ['#3', 3],
    ["'3", 5],
    ['2026', 6],
    ['new customers per day', 7],
    ['New-Customers_per day', 7],
    ['  New_Customers  per-Day ', 7],
    ['__proto__', 8],
    ['jörg groß', 9],
    ["'-Rate", 10],
  ])(
    '%j is found: by id, else exactly, by address, without regard to case and spaces, or without a mark',
    (text, id) => {
      expect(people.find(text)).toMatchObject({ id })
    },
  )

  test.each([
    ['Bob', ['Bob', '3', '4']],
    ['bob', ['bob', '3', '4']],
    ['ANN LEE', ['ANN LEE', '1', '2']],
    ['3', ['"3" is the id of the user "Bob"', '#5', '"#3"', '"\'3"']],
  ])('%j that several have is refused, and the refusal lists their ids', (text, words) => {
    const found = people.find(text)
    expect(found).toBeInstanceOf(Fault)
    for (const word of words) expect((found as Fault).message).toContain(word)
  })

  test.each([
    ['Anne Lee', 'there is no user "Anne Lee"; did you mean "Ann Lee"?'],
    ['ann@exmaple.com', 'there is no user "ann@exmaple.com"; did you mean "ann@example.com"?'],
    ['Zebra', 'there is no user "Zebra"'],
    ['99', 'there is no user "99"'],
    ['', 'there is no user ""'],
    ['constructor', 'there is no user "constructor"'],
    ['*', 'there is no user "*"'],
    ['007', 'there is no user "007"; ids have no zeros before them: did you mean 7?'],
    ['0', 'there is no user "0"'],
  ])('%j that nobody has is refused, with a near one where there is one', (text, message) => {
    expect(people.find(text)).toEqual(new Fault(message))
  })
})

test('a name that several have in different places is refused with their places', () => {
  const items = createDirectory('group item', [
    { id: 4, name: 'North', within: 'Region' },
    { id: 7, name: 'North', within: 'Team' },
  ])
  expect(items.find('north')).toEqual(
    new Fault('"north" is the name of more than one group item: 4 in Region, 7 in Team; use the id'),
  )
})

test('a name that very many have is looked up at once', () => {
  const all = Array.from({ length: 200_000 }, (_, at) => ({ id: at + 1, name: 'A' }))
  expect(createDirectory('user', all).find('A')).toBeInstanceOf(Fault)
})

test('names are suggested for many texts in an account of few, and for the first texts in a large one', () => {
  const few = Array.from({ length: 200 }, (_, at) => `Anna Berg ${at}`)
  const suggestFew = createSuggest()
  for (let at = 0; at < 1000; at += 1) suggestFew(`Gona Burg ${at}`, () => few)
  expect(suggestFew('Ana Berg 7', () => few)).toBe('Anna Berg 7')

  const many = Array.from({ length: 50_000 }, (_, at) => `Anna Berg ${at}`)
  let compared = 0
  const suggestMany = createSuggest()
  const all = (): string[] => {
    compared += many.length
    return many
  }
  expect(suggestMany('Ana Berg 7', all)).toBe('Anna Berg 7')
  for (let at = 0; at < 200; at += 1) suggestMany(`Gona Burg ${at}`, all)
  expect(compared).toBeLessThan(2_000_000)
})

test('of a name that many have, the first are listed', () => {
  const all = Array.from({ length: 12 }, (_, at) => ({ id: at + 1, name: 'A' }))
  expect(createDirectory('user', all).find('A')).toEqual(
    new Fault('"A" is the name of more than one user: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more; use the id'),
  )
})

test('all are there by id', () => {
  expect([...people.byId.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test.each([
  ['sales', ['Sales', 'Sale'], 'Sales'],
  ['revnue', ['Revenue', 'Cost'], 'Revenue'],
  ['ab', ['xy', 'cd'], undefined],
  ['cost', ['Profit'], undefined],
  ['x', [], undefined],
])('the name nearest to %j among %j is %j', (text, names, expected) => {
  expect(nearest(text, names)).toBe(expected)
})

test('a part of the name of one person is near it, though the address begins alike', () => {
  const people = ['Ann Lee', 'Bob Ray', 'Bea Roy'].map((name, at) => ({
    id: at + 1,
    name,
    email: `${name.toLowerCase().replace(' ', '.')}@example.com`,
  }))
  const { find } = createDirectory('user', people)
  const near = (text: string): string => (find(text) as Fault).message
  expect(near('Ann')).toBe('there is no user "Ann"; did you mean "Ann Lee"?')
  expect(near('Lee')).toBe('there is no user "Lee"; did you mean "Ann Lee"?')
  expect(near('bob.ray@')).toBe('there is no user "bob.ray@"; did you mean "Bob Ray"?')
  expect(near('Mann')).toBe('there is no user "Mann"')
  const { find: findKpi } = createDirectory('KPI', [{ id: 1, name: 'Web visits' }])
  expect((findKpi('visits') as Fault).message).toBe('there is no KPI "visits"')
})
