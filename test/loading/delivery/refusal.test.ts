import { expect, test } from 'vitest'
import { KpiError } from '../../../src/domain/errors.ts'
import { reasonsByPlace } from '../../../src/loading/delivery/refusal.ts'

test('very many reasons of one entry are told apart at once, in their order', () => {
  const issues = Array.from({ length: 100_000 }, (_, at) => ({ index: 0, field: 'notes', message: String(at) }))
  const reasons = reasonsByPlace(
    new KpiError('invalid', 'refused', { issues: [...issues, { index: 1, field: 'notes', message: 'beyond' }] }),
    1,
  )
  expect([...reasons.keys()]).toEqual([0])
  expect(reasons.get(0)?.length).toBe(issues.length)
  expect(reasons.get(0)?.[2]).toBe('notes: 2')
})
