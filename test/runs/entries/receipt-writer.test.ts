import { expect, test } from 'vitest'
import { EXIT, exitOf } from '../../../src/cli/exit.ts'
import { listUndoReceipts } from '../../../src/runs/entries/receipt.ts'
import { createUndoReceipt } from '../../../src/runs/entries/receipt-writer.ts'
import { temporaryFolder } from '../../support/folder.ts'

test('a receipt that cannot be written is a fault of this machine, and not of the service', () => {
  using folder = temporaryFolder()
  const head = { service: 'here', file: 'data.csv', at: '2026-11-21T12:00:00.000Z' }
  createUndoReceipt(folder.path, head, 'one').close(head.at)
  const again = (): unknown => {
    try {
      return createUndoReceipt(folder.path, head, 'one')
    } catch (error) {
      return error
    }
  }
  const error = again()
  expect(error).toMatchObject({ message: expect.stringContaining('cannot write the receipt') as unknown })
  expect(exitOf(error)).toBe(EXIT.failed)
})

test('of what a receipt says was about to be created, what came is sure, kind by kind, and in the order of the intent', () => {
  using folder = temporaryFolder()
  const receipt = createUndoReceipt(
    folder.path,
    { service: 'here', file: 'data.csv', at: '2026-11-21T12:00:00.000Z' },
    'a',
  )
  receipt.created.intend('kpi', ['Sales', 'Visits', 'Stock'])
  receipt.created.add({ kind: 'kpi', id: 1, name: 'Sales' })
  receipt.created.add({ kind: 'kpi', id: 2, name: 'Visits' })
  receipt.created.intend('user', ['ann@example.com', 'bob@example.com'])
  receipt.created.add({ kind: 'assignment', id: 2, name: 'Visits', user_id: 1 })
  receipt.created.add({ kind: 'user', id: 3, name: 'Ann' })
  receipt.close('2026-11-21T12:01:00.000Z')
  const [read] = listUndoReceipts(folder.path).receipts
  expect(read?.things.map(({ name }) => name)).toEqual(['Sales', 'Visits', 'Visits', 'Ann'])
  expect(read?.unsure).toEqual([
    { kind: 'kpi', key: 'Stock' },
    { kind: 'user', key: 'bob@example.com' },
  ])
})
