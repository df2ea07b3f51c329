import { expect, test } from 'vitest'
import { heldIn, remoteImporter } from '../support/import.ts'
import { errorOf, jsonOf } from '../support/kpi.ts'

test('the same import a second time, while the first one runs, ends with exit code 8 and sends nothing', async () => {
  const [arrival, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let batches = 0
  await using importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (request.target.endsWith('/kpientries/list')) {
        batches += 1
        arrival.resolve()
        await leave.promise
      }
      return handler(request)
    },
  })
  importer.write('data.csv', 'user,kpi,date,actual\nBob,Sales,2026-01-01,1\n')
  importer.write('other.csv', 'user,kpi,date,actual\nBob,Sales,2026-01-02,1\n')
  const first = importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
  await arrival.promise
  const again = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
  expect(again).toMatchObject({ code: 8, stdout: '' })
  expect(errorOf(again).message).toBe('the same import is running already; wait until it has ended, or stop it')
  // Among several files it ends the run as well, and names what was not begun.
  const several = await importer.kpi('entries', 'import', 'data.csv', 'other.csv', '-o', 'json')
  expect(several).toMatchObject({ code: 8, stdout: '' })
  expect(errorOf(several).message).toContain('not started: other.csv; once that is settled, the same command continues')
  expect(batches).toBe(1)
  leave.resolve()
  expect(jsonOf(await first)).toMatchObject({ created: 1, left: 0 })
  expect(await heldIn(importer)).toHaveLength(1)
})
