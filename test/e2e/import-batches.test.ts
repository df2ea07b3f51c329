import { expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { type Importer, remoteImporter } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'

type Batch = { readonly entries: readonly { user_id: number; kpi_id: number; entry_date: string }[] }

/** An importer, and the batches that it sends. */
const watched = async (): Promise<{ importer: Importer; batches: Batch[] }> => {
  const batches: Batch[] = []
  const importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (!request.target.endsWith('/kpientries/list')) return handler(request)
      // Batches under way at the same time may be read in any order.
      const place = batches.push({ entries: [] }) - 1
      const body = await request.body()
      batches[place] = JSON.parse(Buffer.from(body).toString()) as Batch
      return handler({ ...request, body: () => Promise.resolve(body) })
    },
  })
  return { importer, batches }
}

/** Rows of Ann and Bob by turns, later days before earlier ones. */
const shuffled = Array.from({ length: 12_000 }, (_, at) => {
  const day = (at * 7919) % 12_000
  return `${day % 2 === 0 ? 'Bob' : 'Ann Lee'},Sales,${formatDay(day)},1`
})

test('rows go in full batches, in the order of their keys, each once', async () => {
  const { importer, batches } = await watched()
  await using open = importer
  open.write('data.csv', ['user,kpi,date,actual', ...shuffled].join('\n'))
  expect(jsonOf(await open.kpi('entries', 'import', 'data.csv', '-o', 'json'))).toMatchObject({ created: 12_000 })
  expect(batches.map(({ entries }) => entries.length)).toEqual([5000, 5000, 2000])
  const sent = batches.flatMap(({ entries }) => entries.map((one) => `${one.user_id} ${one.kpi_id} ${one.entry_date}`))
  const days = Array.from({ length: 12_000 }, (_, day) => day)
  expect(sent).toEqual([
    ...days.filter((day) => day % 2 === 1).map((day) => `2 1 ${formatDay(day)}`),
    ...days.filter((day) => day % 2 === 0).map((day) => `3 1 ${formatDay(day)}`),
  ])
})

test('what the service would refuse as too large goes in smaller batches', async () => {
  await using importer = await remoteImporter()
  const notes = '😀'.repeat(500)
  const number = '12345678901234.5678'
  const rows = Array.from({ length: 5000 }, (_, day) => `Ann Lee,Visits,${formatDay(day)},${number},${number},${notes}`)
  importer.write('data.csv', ['user,kpi,date,actual,target,notes', ...rows].join('\n'))
  expect(jsonOf(await importer.kpi('entries', 'import', 'data.csv', '-o', 'json'))).toMatchObject({ created: 5000 })
})

test('exact values travel exactly', async () => {
  await using importer = await remoteImporter()
  const numbers = ['99999999999999.9999', '-99999999999999.9999', '0.0001', '12345678901234.5', '-0']
  const rows = numbers.map((number, day) => `Bob,Sales,${formatDay(day)},${number}`)
  importer.write('data.csv', ['user,kpi,date,actual', ...rows].join('\n'))
  expect(jsonOf(await importer.kpi('entries', 'import', 'data.csv', '-o', 'json'))).toMatchObject({ created: 5 })
  const listed = await importer.kpi('entries', 'list', '--from', '1970-01-01', '-o', 'csv', '--columns', 'actual')
  expect(listed.stdout.trimEnd().split('\n')).toEqual(['actual', ...numbers.slice(0, 4), '0'])
})
