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

describe('the name of a person', () => {
  const known = createDirectory('user', [
    { id: 1, name: 'Ann Lee', email: 'ann@example.com' },
    { id: 2, name: 'Dr. Bo Oh', email: 'bo@example.com' },
    { id: 3, name: 'Cy Marie Ng', email: 'cy@example.com' },
    { id: 4, name: 'Di Ro', email: 'di@example.com' },
    { id: 5, name: 'Dr. Di Ro', email: 'dr@example.com' },
  ])
  test.each([
    ['Lee, Ann', 1],
    ['lee,ANN', 1],
    ['Dr. Ann Lee', 1],
    ['Lee, Prof. Dr. Ann', 1],
    ['Bo Oh', 2],
    ['Oh, Bo', 2],
    ['Ng, Cy Marie', 3],
    ['Di Ro', 4],
    ['Ro, Di', 4],
    ['Dr. Ro, Di', 5],
  ])('%j is found with the last name first, and with titles or without', (text, id) => {
    expect(known.find(text)).toMatchObject({ id })
  })
  test.each([
    ['Lee, Anne', 'there is no user "Lee, Anne"; did you mean "Ann Lee"?'],
    ['Ann Marie Lee', 'there is no user "Ann Marie Lee"; did you mean "Ann Lee"?'],
    ['Lee Ann', 'there is no user "Lee Ann"; did you mean "Ann Lee"?'],
    ['Cy Ng', 'there is no user "Cy Ng"; did you mean "Cy Marie Ng"?'],
    ['Prof. Di Ro', '"Prof. Di Ro" is the name of more than one user: 4, 5; use the id'],
  ])('%j is nobody’s for certain, and the person is named', (text, message) => {
    expect(known.find(text)).toEqual(new Fault(message))
  })
  test('is that of a breakdown item where it stands for a person, and of no other', () => {
    const items = createDirectory('breakdown item', [
      { id: 1, name: 'Ann Lee', user_id: 7 },
      { id: 2, name: 'Bob Ray', user_id: null },
    ])
    expect(items.find('Lee, Ann')).toMatchObject({ id: 1 })
    expect(items.find('Ray, Bob')).toBeInstanceOf(Fault)
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
