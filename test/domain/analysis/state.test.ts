import { expect, test } from 'vitest'
import { type Measured, progressOf, stateOf } from '../../../src/domain/analysis/state.ts'
import { formatDecimal, parseDecimal } from '../../../src/domain/decimal.ts'

const decimal = (text: string | null): bigint | null => (text === null ? null : (parseDecimal(text)?.value ?? null))

test.each([
  ['U', '100', '100', 'met', '100'],
  ['U', '90', '100', 'near', '90'],
  ['U', '89.9999', '100', 'missed', '89.9999'],
  ['D', '110', '100', 'near', '90.9091'],
  ['D', '110.0001', '100', 'missed', '90.909'],
  ['D', '80', '100', 'met', '125'],
  ['U', '-105', '-100', 'near', null],
  ['U', '-50', '-100', 'met', null],
  ['U', '-5', '100', 'missed', '-5'],
  ['D', '-5', '100', 'met', null],
  ['U', '5', '0', 'met', null],
  ['D', '0', '5', 'met', null],
  ['N', '5', '5', 'no target', null],
  ['U', null, '5', 'no target', null],
  ['U', '5', null, 'no target', null],
] as const)('where %s is better, %s against %s is %s', (direction, actual, target, state, progress) => {
  const measured: Measured = { direction, actual: decimal(actual), target: decimal(target) }
  const reached = progressOf(measured)
  expect([stateOf(measured), reached === null ? null : formatDecimal(reached)]).toEqual([state, progress])
})
