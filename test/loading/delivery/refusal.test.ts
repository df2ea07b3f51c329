import { expect, test } from 'vitest'
import { KpiError } from '../../../src/domain/errors.ts'
import { reasonsByPlace } from '../../../src/loading/delivery/refusal.ts'
import { jsonAnswer } from '../../support/faulty/answers.ts'
import { kinds } from '../../support/faulty/kinds.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { fileOf, openThirdParty, type Wrap } from '../../support/simulation/requests.ts'

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

test('a run that ends between the halves of a refused batch is continued as one', async () => {
  const kind = kinds.find(({ name }) => name === 'ours')
  if (!kind) throw new Error('there is no such kind')
  using folder = temporaryFolder()
  // The service names no entry of the batch, takes its first half, and then ends the session for once.
  const answers = [jsonAnswer(422, { message: 'no' }), undefined, jsonAnswer(401, { message: 'log in again' })]
  const wrap: Wrap = (request, now, serve) => {
    const isBatch = request.path.endsWith('/list') && (request.body ?? '').length > 100
    const answer = isBatch ? answers.shift() : undefined
    return answer ? { afterMs: 1, end: { answer } } : serve(request, now)
  }
  const { service, importFile } = openThirdParty(kind, folder, { wrap, isQuiet: false })
  const file = fileOf(40, (row) => row)
  expect([await importFile(file), service.entries().length]).toMatchObject([
    {
      code: 4,
      stdout: expect.stringMatching(/"receipt": "\w+-\w+"/) as string,
      stderr: expect.stringContaining(
        'stopped with 40 entries left; once that is fixed, the same command continues',
      ) as string,
    },
    20,
  ])
  expect([await importFile(file), service.entries().length]).toMatchObject([{ code: 0 }, 40])
})
