import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesIn, changesToText, type EntryChange } from '../../src/domain/entry-changes.ts'

const decimal = fc.option(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }))
const value = fc.record({ actual: decimal, target: decimal, notes: fc.option(fc.string({ maxLength: 3 })) })
const some = fc.record(
  { actual: decimal, target: decimal, notes: fc.option(fc.string({ maxLength: 3 })) },
  { requiredKeys: [] },
)
const key = fc.tuple(
  fc.integer({ min: -2, max: 2 }),
  fc.integer({ min: 1, max: 2 }),
  fc.integer({ min: -9, max: 90_000 }),
)
const whole = fc.integer({ min: 1, max: 1e9 })
const revision = fc.option(fc.record({ revision: whole }), { nil: {} })

/** Leaves out what an entry has not. */
const held = (values: object): object => Object.fromEntries(Object.entries(values).filter(([, one]) => one !== null))

const created = fc.tuple(key, some).map(([at, after]): EntryChange => ({ key: at, before: undefined, after }))
const changed = fc.tuple(key, value, some, revision).map(([at, old, after, more]): EntryChange => ({
  key: at,
  before: Object.fromEntries(Object.keys(after).map((name) => [name, Reflect.get(old, name)])),
  after,
  ...more,
}))
const gone = fc
  .tuple(key, value, revision, fc.record({ id: whole, set: fc.option(whole), createdAt: whole }))
  .map(([at, old, more, rest]): EntryChange => ({ key: at, before: held(old), after: {}, ...more, gone: rest }))
const carried = fc
  .tuple(
    key,
    fc.record(
      { id: whole, item: fc.integer({ min: 1, max: 2 }), isOff: fc.constant(true as const) },
      { requiredKeys: ['id', 'item'] },
    ),
  )
  .map(([at, one]): EntryChange => ({ key: at, before: {}, after: {}, carried: one }))

const onto: EntryChange = { key: [1, 1, 1], before: {}, after: {}, carried: { id: 1, item: 1 } }

test('changes of every kind, in any order, are read as they were written', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(created, changed, gone, carried), { maxLength: 20 }), (changes) => {
      const read = changesToText(changes)
        .split('\n')
        .flatMap((line) => [...changesIn(line)])
      expect(read).toEqual(changes)
    }),
    { numRuns: 300, examples: [[[onto, { ...onto, key: [1, 1, 2], carried: { id: 2, item: 1, isOff: true } }]]] },
  )
})
