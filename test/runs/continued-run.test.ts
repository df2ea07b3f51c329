import { expect, test } from 'vitest'
import { openRun, openRunAt, runPaths } from '../../src/runs/run-record.ts'
import { intendEntries } from '../../src/runs/entries-change.ts'
import { temporaryFolder } from '../support/folder.ts'

test.each(['taken_back', 'left'] as const)(
  'a run that was cut off, and of which an undo has %s some, is not',
  (outcome) => {
    using folder = temporaryFolder()
    const head = { command: 'kpis update', service: 'here', account: 'default', source: '', content: '', beganAt: 0 }
    const begin = (name: string) => openRun(folder.path, 'same', { ...head, name })
    const first = begin('one')
    const change = { kind: 'kpi', action: 'update', recordId: 1, parents: {}, before: {}, after: {} } as const
    const [one = 0, two = 0] = first.intend([1, 2].map((place) => ({ ...change, place, name: `KPI ${place}` })))
    first.settle(two, 'done')
    first.settle(one, outcome)
    first.close({ isWhole: false })
    const next = begin('two')
    expect([next.head.name, next.changes(), runPaths(folder.path).length]).toEqual(['two', [], 2])
    next.leave()
  },
)

test('a run that was cut off is continued, and one that was taken back since is not', () => {
  using folder = temporaryFolder()
  const begin = (name: string) =>
    openRun(folder.path, 'same', {
      command: 'entries delete',
      service: 'here',
      account: 'default',
      source: '',
      content: '',
      name,
      beganAt: 0,
    })
  const first = begin('one')
  intendEntries(first, { action: 'delete', name: 'entries', count: 2, serviceRun: 'a' })
  first.close({ isWhole: false })
  const again = begin('two')
  expect(again.head.name).toBe('one')
  again.leave()
  const [path = ''] = runPaths(folder.path)
  const undone = openRunAt(path)
  undone.noteTakenBack(1)
  undone.leave()
  const next = begin('three')
  expect([next.head.name, next.head.takenBackAt, runPaths(folder.path).length]).toEqual(['three', undefined, 2])
  next.leave()
})
