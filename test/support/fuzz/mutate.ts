import fc from 'fast-check'
import { type Field, isFields, isList, type Node } from './document.ts'
import { oddNode, oddText } from './odd.ts'

/** Changes a document. */
export type Mutation = (node: Node) => Node

/** Puts something in the place of a field. */
type Change = (field: Field) => readonly Field[]

const countOf = (node: Node): number => {
  if (node === null || typeof node !== 'object') return 0
  if (isList(node)) return node.map(countOf).reduce((sum, count) => sum + count, 0)
  if (!isFields(node)) return 0
  return node.fields.map(([, value]) => 1 + countOf(value)).reduce((sum, count) => sum + count, 0)
}

/** Applies a change to the field with a number, counted in the order in which they are written. */
const changeAt = (node: Node, at: number, change: Change): Node => {
  let left = at
  const walk = (one: Node): Node => {
    if (isList(one)) return one.map(walk)
    if (one === null || typeof one !== 'object' || !isFields(one)) return one
    return {
      fields: one.fields.flatMap(([name, value]): readonly Field[] => {
        left -= 1
        return left === -1 ? change([name, value]) : [[name, walk(value)]]
      }),
    }
  }
  return walk(node)
}

/** A change of one field; which one is a number that is taken modulo how many there are. */
const changing =
  (at: number, change: Change): Mutation =>
  (node) => {
    const count = countOf(node)
    return count === 0 ? node : changeAt(node, at % count, change)
  }

const recased = (name: string): string =>
  name === name.toUpperCase() ? name.toLowerCase() : name.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())

const oddName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', 'then', 'id', 'name', '', 'a b', '$ref', 'length'),
  oddText,
)

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: oddNode.map(
      (odd) =>
        ([name]: Field) =>
          [[name, odd]] as const,
    ),
  },
  fc.constant(() => []),
  fc.constant(([name, value]: Field) => [[recased(name), value]] as const),
  fc.constant((field: Field) => [field, field]),
  oddNode.map(
    (odd) =>
      ([name, value]: Field) =>
        [
          [name, value],
          [name, odd],
        ] as const,
  ),
  oddNode.map(
    (odd) =>
      ([name, value]: Field) =>
        [
          [name, value],
          [recased(name), odd],
        ] as const,
  ),
  fc.tuple(oddName, oddNode).map((added) => (field: Field) => [added, field]),
  fc.constant(([name, value]: Field) => [[name, [value]]] as const),
)

/** Changes for a document: mostly none, so that requests go through and there is something to find. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.oneof(
  { withCrossShrink: true },
  { weight: 5, arbitrary: fc.constant([]) },
  {
    weight: 5,
    arbitrary: fc.array(
      fc.tuple(fc.nat(1000), change).map(([at, one]) => changing(at, one)),
      { minLength: 1, maxLength: 3 },
    ),
  },
)

/** What is done to a text after it was written, as by a line that is bad. */
export type Damage = (text: string) => string

const splice =
  (at: number, remove: number, insert: string): Damage =>
  (text) => {
    const start = at % (text.length + 1)
    return text.slice(0, start) + insert + text.slice(start + remove)
  }

const PIECES = [
  '',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '<',
  '>',
  '/',
  '&',
  '\u0000',
  '\u0085',
  '\ufeff',
  'e',
  '-',
  '0',
]

/** Damage to a text: mostly none. */
export const damage: fc.Arbitrary<Damage> = fc.oneof(
  { withCrossShrink: true },
  { weight: 30, arbitrary: fc.constant((text: string) => text) },
  fc.tuple(fc.nat(5000), fc.nat(3), fc.constantFrom(...PIECES)).map((args) => splice(...args)),
  fc.nat(5000).map((at) => (text: string) => text.slice(0, at % (text.length + 1))),
  fc.constantFrom<Damage>(
    (text) => text + text,
    (text) => `[${text}]`,
    (text) => ` \n${text}\t `,
    (text) => `\ufeff${text}`,
    () => '',
    () => 'null',
    () => '0',
    () => '""',
    () => '[]',
    () => '{}',
    () => '<a/>',
    () => '[0,'.repeat(100_000),
    () => '<a>'.repeat(100_000),
    () => `{${'"a":0,'.repeat(250_000)}"a":0}`,
    () => `<KPI>${'<a/>'.repeat(250_000)}</KPI>`,
    (text) => `${' '.repeat(1_000_000)}${text}`,
  ),
)
