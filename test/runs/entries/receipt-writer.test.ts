import { expect, test } from 'vitest'
import { exitCodes, EXIT } from '../../../src/cli/exit.ts'
import { KpiError } from '../../../src/domain/errors.ts'
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
  expect(error instanceof KpiError && exitCodes[error.code]).toBe(EXIT.failed)
})
