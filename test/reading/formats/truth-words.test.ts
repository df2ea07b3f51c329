import { expect, test } from 'vitest'
import { areTruthValues, numberOfTruth } from '../../../src/reading/formats/truth-words.ts'

test.each<[texts: readonly string[], numbers: readonly string[]]>([
  [
    ['TRUE', 'false', 'Yes', 'no'],
    ['1', '0', '1', '0'],
  ],
  [
    ['WAHR', 'FALSCH', 'ja', 'nein'],
    ['1', '0', '1', '0'],
  ],
  [
    ['vrai', 'Faux', 'sí', 'não', 'tak', 'fałsz'],
    ['1', '0', '1', '0', '1', '0'],
  ],
  [
    ['Y', 'n'],
    ['1', '0'],
  ],
])('%j are truth values', (texts, numbers) => {
  expect([areTruthValues(texts), texts.map(numberOfTruth)]).toEqual([true, numbers])
})

test.each([[['N', 'N']], [['N', 'S']], [['1', '0']], [['x', '']], [['yes', 'maybe']], [['North', 'no']], [[]]])(
  '%j are none',
  (texts) => {
    expect(areTruthValues(texts)).toBe(false)
  },
)
