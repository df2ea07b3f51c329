import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fault } from '../../../src/domain/errors.ts'
import { checkValue } from '../../../src/domain/field-value.ts'
import { storedKpi } from '../../../src/domain/resources/kpi.ts'
import {
  datedTargetsIn,
  datedTargetsText,
  mergeDatedTargets,
  targetOn,
} from '../../../src/domain/targets/dated-targets.ts'
import { day } from '../../support/calendar.ts'

const FIRST = day('2020-01-01')
const lists = fc.uniqueArray(
  fc.record({
    from: fc.integer({ min: FIRST, max: FIRST + 60 }),
    target: fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }),
  }),
  { selector: ({ from }) => from, maxLength: 8 },
)
const { targets: field } = storedKpi.fields

test('a list is read from its text as it was, in the order of its days, and the text is what the store takes', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const text = datedTargetsText(list)
      expect(datedTargetsIn(text)).toEqual(list.toSorted((one, other) => one.from - other.from))
      expect(checkValue(field, text)).toBe(text)
    }),
  )
})

test('the target of a day is the last that has begun, else the base, also once others are merged', () => {
  fc.assert(
    fc.property(
      lists,
      lists,
      fc.option(fc.bigInt(0n, 9n)),
      fc.integer({ min: FIRST - 5, max: FIRST + 70 }),
      (list, more, base, on) => {
        const own = list.filter(({ from }) => !more.some((one) => one.from === from))
        const begun = [...own, ...more].filter(({ from }) => from <= on).toSorted((one, other) => other.from - one.from)
        const targets = mergeDatedTargets(datedTargetsText(list), more)
        expect(targetOn({ base, targets }, on)).toBe(begun[0]?.target ?? base)
        const ended = mergeDatedTargets(
          targets,
          [...own, ...more].map(({ from }) => ({ from, target: null })),
        )
        expect([ended, targetOn({ base, targets: ended }, on)]).toEqual([null, base])
      },
    ),
  )
})

test.each([
  ['130', 'must be targets with their first days, such as 130000 from 2027-01-01'],
  ['x from 2027-01-01', 'must be targets with their first days, such as 130000 from 2027-01-01'],
  ['1 from 2027-02-30', 'must be targets with their first days, such as 130000 from 2027-01-01'],
  ['1 from 2027-01-01, 2 from 2027-01-01', 'has two targets from 2027-01-01 on'],
  ['1 from 1800-01-01', 'must be in the years 1900 to 2199'],
  ['100000000000000 from 2027-01-01', 'must have at most 14 digits before the decimal point'],
])('%s is refused', (text, reason) => {
  const value = checkValue(field, text)
  expect(value instanceof Fault ? value.message : value).toBe(reason)
})
