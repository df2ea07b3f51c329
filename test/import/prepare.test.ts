import { expect, test } from 'vitest'
import { openPrepared } from '../../src/import/prepare.ts'
import { createRejectsFile } from '../../src/import/rejects/rejects-file.ts'
import { tableOf } from '../support/forms.ts'
import { embeddedImporter, optionsOf } from '../support/import.ts'

test('rows of a repeated key are rejected once, however often the rows are passed over', async () => {
  await using importer = await embeddedImporter()
  const { folder, client } = importer
  const twice = Array.from({ length: 20 }, (_, at) => ['Ann Lee', 'Sales', `2026-01-${10 + (at % 10)}`, `${at}`])
  const { prepared, close } = await openPrepared({
    client,
    table: tableOf([['user', 'kpi', 'date', 'actual'], ...twice]),
    options: optionsOf(),
    clock: { now: () => 0, uptime: () => 0, sleep: () => Promise.resolve() },
    folder: folder.path,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onNote: () => undefined,
    onWarning: () => undefined,
    created: { intend: () => undefined, add: () => undefined },
    rejectsFile: createRejectsFile(folder.in('data.rejects.csv'), 'data.rejects.csv', () => undefined),
    journal: undefined,
    createMissing: () => Promise.reject(new Error('nothing is missing')),
  } as Parameters<typeof openPrepared>[0])
  // A pass may end early, and another one go on meanwhile.
  const early = prepared.batches()
  early.next()
  for (const _ of prepared.batches());
  for (const _ of early);
  expect([prepared.rejects.count(), prepared.rejects.size()]).toEqual([20, 20])
  close()
})
