import { expect, test } from 'vitest'
import { openRun, openRunAt, runPaths } from '../../src/runs/run-record.ts'
import { intendEntries } from '../../src/runs/entries-change.ts'
import { temporaryFolder } from '../support/folder.ts'

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
