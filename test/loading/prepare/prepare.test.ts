import { expect, test } from 'vitest'
import { Aborted } from '../../../src/client/transport.ts'
import { openPrepared } from '../../../src/loading/prepare/prepare.ts'
import { tableOf } from '../../support/forms.ts'
import { embeddedImporter, inputOf, optionsOf } from '../../support/import.ts'

test('rows of a repeated key are rejected once, however often the rows are passed over', async () => {
  await using importer = await embeddedImporter()
  const { folder, client } = importer
  const twice = Array.from({ length: 20 }, (_, at) => ['Ann Lee', 'Sales', `2026-01-${10 + (at % 10)}`, `${at}`])
  const table = tableOf([['user', 'kpi', 'date', 'actual'], ...twice])
  const { prepared, close } = await openPrepared(inputOf({ client, table, options: optionsOf(), folder: folder.path }))
  // A pass may end early, and another one go on meanwhile.
  const early = prepared.batches()
  early.next()
  for (const _ of prepared.batches());
  for (const _ of early);
  expect([prepared.rejects.count(), prepared.rejects.size()]).toEqual([20, 20])
  close()
})

test.each([
  ['unknown names', (at: number) => `Region ${at}`],
  ['dates', (at: number) => new Date(Date.UTC(1980, 0, 1 + at)).toISOString().slice(0, 10)],
  ['names that are nearly user', (at: number) => `user${at}`],
  ['numbers', (at: number) => String(at)],
  ['currencies', (at: number) => `Amount ${at} (EUR)`],
])('the reading of 8,000 headings ends when it is asked to: %s', async (_, nameOf) => {
  await using importer = await embeddedImporter()
  const { folder, client } = importer
  const controller = new AbortController()
  const table = tableOf([Array.from({ length: 8000 }, (_name, at) => nameOf(at)), ['1']])
  const input = { ...inputOf({ client, table, options: optionsOf(), folder: folder.path }), signal: controller.signal }
  const opened = openPrepared(input)
  setImmediate(() => controller.abort())
  await expect(opened).rejects.toThrow(Aborted)
})

test('the reading of the rows of a chunk ends when it is asked to', async () => {
  await using importer = await embeddedImporter()
  const { folder, client } = importer
  const controller = new AbortController()
  const rows = Array.from({ length: 8000 }, (_, at) => ['Ann Lee', 'Sales', '2026-01-10', `${at}`])
  const table = tableOf([['user', 'kpi', 'date', 'actual'], ...rows], 10_000)
  let readSince = 0
  const watched = {
    ...table,
    rows: async function* () {
      for await (const chunk of table.rows()) {
        yield chunk.map(({ line, cells }) => ({
          line,
          get cells() {
            if (line === 8000) controller.abort()
            readSince += Number(controller.signal.aborted)
            return cells
          },
        }))
      }
    },
  }
  const input = inputOf({ client, table: watched, options: optionsOf(), folder: folder.path })
  await expect(openPrepared({ ...input, signal: controller.signal })).rejects.toThrow(Aborted)
  expect(readSince).toBeLessThan(1000)
})
