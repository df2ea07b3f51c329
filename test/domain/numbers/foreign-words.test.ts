import { expect, test } from 'vitest'
import { measureOf, unitInCell, unitOfHeading } from '../../../src/domain/numbers/measure.ts'
import { scalesOf } from '../../../src/domain/numbers/scales.ts'
import { currencyOf } from '../../../src/domain/numbers/unit-words.ts'
import { createUnits } from '../../../src/reading/detect/units.ts'

/** Lists the words that every object of JavaScript answers to. */
const WORDS = Object.getOwnPropertyNames(Object.prototype).flatMap((word) => [word, word.toLowerCase()])

test.each([...new Set(WORDS)])('%s is a word like any other', (word) => {
  expect([scalesOf(word), currencyOf(word), unitInCell(word)]).toEqual([[], word, undefined])
  expect([unitOfHeading(`Sales (${word})`), unitOfHeading(`Sales in ${word}`)]).toEqual([undefined, undefined])
  expect(measureOf(word, { name: word, display_format: word, is_percentage: false })).toMatchObject({
    power: 0,
    units: [],
  })
  const units = createUnits().watch('Sales')
  units.note(word, 1, '5', 2)
  expect(units.remark()).toBeUndefined()
})
