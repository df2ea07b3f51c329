import { expect, test } from 'vitest'
import { beginJournal } from '../../src/loading/begin-journal.ts'
import { temporaryFolder } from '../support/folder.ts'
import { optionsOf } from '../support/import.ts'

/** Begins a run, and counts how often all receipts are read for it. */
const begin = (folder: string, onConflict: 'update' | 'add'): number => {
  let looks = 0
  const place = {
    folder,
    service: 'here',
    account: () => ({ for: 'default', isSure: true }),
    caller: 'me',
    path: '/data.csv',
    undone: () => {
      looks += 1
      return []
    },
  }
  const journal = beginJournal(
    {
      client: { variant: 'v1' } as never,
      table: undefined as never,
      journal: place,
      clock: { now: () => 0, uptime: () => 0, sleep: () => Promise.resolve() },
      random: (bytes) => Buffer.alloc(bytes),
      onNote: () => undefined,
      options: optionsOf({ onConflict }),
    },
    'fingerprint',
    () => [],
  )
  journal.finish()
  return looks
}

test('an import that begins anew reads no receipts of others, as there may be very many, unless it adds', () => {
  using folder = temporaryFolder()
  expect(begin(folder.path, 'update')).toBe(0)
  expect(begin(folder.path, 'add')).toBe(1)
})
