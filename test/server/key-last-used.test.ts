import { describe, expect, test } from 'vitest'
import { createKeyUseRecorder } from '../../src/server/auth/authenticate.ts'
import { accounts } from '../../src/store/tables/accounts.ts'
import { startService } from '../support/service.ts'

/** A note that fails so often before it is written; `written` tells of when. */
const noting = (failures: number) => {
  const written: number[] = []
  let [left, tries] = [failures, 0]
  const noteKeyUse = async (now: number): Promise<void> => {
    tries += 1
    left -= 1
    if (left >= 0) throw new Error('another process writes')
    written.push(now)
  }
  return { noteKeyUse, written, tries: () => tries }
}

/** What is to be done later, done now, as long as there is anything. */
const doAll = async (tasks: (() => void)[]): Promise<void> => {
  for (let task = tasks.shift(); task; task = tasks.shift()) {
    task()
    await new Promise(setImmediate)
  }
}

describe('that a key was used', () => {
  test.each([
    ['at once, where the store can be written', 0, [100], 1],
    ['later, where it cannot be written at the moment', 3, [100], 4],
    ['not any more after a minute', 99, [], 13],
  ])('is noted %s', async (_, failures, written, tries) => {
    await using service = await startService()
    const [account] = await service.db.read((tx) => accounts.list(tx))
    if (!account) throw new Error('there is an account')
    const tasks: (() => void)[] = []
    const note = noting(failures)
    const notes = createKeyUseRecorder((task) => tasks.push(task))
    notes({ account, key: 1, noteKeyUse: note.noteKeyUse }, 100)
    // Of the same key nothing else is tried so soon.
    notes({ account, key: 1, noteKeyUse: note.noteKeyUse }, 102)
    await new Promise(setImmediate)
    await doAll(tasks)
    expect(note.written).toEqual(written)
    expect(note.tries()).toBe(tries)
  })
})
