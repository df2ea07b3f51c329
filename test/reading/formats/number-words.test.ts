import { expect, test } from 'vitest'
import { Fault } from '../../../src/domain/errors.ts'
import { type Measure, measureOf } from '../../../src/domain/numbers/measure.ts'
import { createNumberColumn } from '../../../src/reading/detect/number-column.ts'
import { createUnits } from '../../../src/reading/detect/units.ts'
import { NumberWords } from '../../../src/reading/formats/number-words.ts'

const unitNamed = (name: string): Measure => measureOf('Plan', { name, display_format: '#', is_percentage: false })
const [EURO, THOUSANDS] = [unitNamed('EUR'), unitNamed('k€')]

const columnOf = (heading: string, measure: (kpi: number | undefined) => Measure) =>
  createNumberColumn(heading, '.', true, createUnits().watch(heading), {
    words: new NumberWords(undefined, true, measure),
  })

test.each(['Cr', 'M', 'T'])('a word %s of so many that not all are asked about is never guessed', (word) => {
  const column = columnOf('Target', () => EURO)
  for (let kpi = 1; kpi <= 300; kpi += 1) column.note('1k', kpi, kpi)
  column.note(`5 ${word}`, 301, 301)
  expect(column.read(`5 ${word}`, 301, 301)).toBeInstanceOf(Fault)
  expect(column.read('5k', 302, 302)).toMatchObject({ value: 50_000_000n })
})

test('a heading is asked about for any of a thousand KPIs', () => {
  const column = columnOf('Target (k€)', (kpi) => (kpi === 1000 ? EURO : THOUSANDS))
  for (let kpi = 1; kpi <= 1000; kpi += 1) column.note('5', kpi, kpi)
  expect(column.doubts()).toEqual([expect.stringContaining('is headed "k€"')])
})
