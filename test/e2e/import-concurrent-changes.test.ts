import { expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { changedMeanwhile, heldIn, ID, type Importer, remoteImporter } from '../support/import.ts'

const HEADER = 'user,kpi,date,actual'
const ROWS = ['Ann Lee,Sales,2026-01-01,1', 'Bob,Sales,2026-01-01,2', 'Ann Lee,Visits,2026-01-01,3']

test.each<[name: string, change: (importer: Importer) => Promise<unknown>, bad: number[], reason: string]>([
  [
    'a user was locked',
    ({ client }) => client.users.update(ID.bob, { user_status_id: 'L' }),
    [3],
    'user_id: user 3 (Bob) is locked',
  ],
  [
    'a KPI was made inactive',
    ({ client }) => client.kpis.update(ID.sales, { is_active: false }),
    [2, 3],
    'kpi_id: KPI 1 (Sales) is inactive and takes no entries',
  ],
  [
    'an assignment was removed',
    ({ client }) => client.assignments(ID.ann).remove(ID.visits),
    [4],
    'kpi_id: KPI 2 (Visits) is not assigned to user 2 (Ann Lee)',
  ],
  ['a KPI was deleted', ({ client }) => client.kpis.remove(ID.visits), [4], 'kpi_id: there is no KPI 2'],
  ['a user was deleted', ({ client }) => client.users.remove(ID.bob), [3], 'user_id: there is no user 3'],
])(
  'rows that are refused because %s meanwhile become rejects with the reasons of the service',
  async (_, change, bad, reason) => {
    await using importer = await changedMeanwhile(change)
    importer.write('data.csv', [HEADER, ...ROWS].join('\n'))
    const ran = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout)).toMatchObject({ read: 3, created: 3 - bad.length, rejected: bad.length, left: 0 })
    expect(importer.read('data.rejects.csv')).toBe(
      [`${HEADER},_line,_reason`, ...bad.map((line) => `${ROWS[line - 2]},${line},${reason}`), ''].join('\n'),
    )
    expect(await heldIn(importer)).toHaveLength(3 - bad.length)
  },
)

test('a whole batch may be refused while the others go', async () => {
  await using importer = await changedMeanwhile(({ client }) => client.users.update(ID.bob, { user_status_id: 'L' }))
  const rows = (user: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `${user},Sales,${formatDay(at)},1`)
  importer.write('data.csv', [HEADER, ...rows('Bob', 6000), ...rows('Ann Lee', 5000)].join('\n'))
  const ran = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 5000, rejected: 6000, left: 0 }])
  const rejects = importer.read('data.rejects.csv').trimEnd().split('\n')
  expect([rejects.length, rejects[1], rejects.at(-1)]).toEqual([
    6001,
    'Bob,Sales,1970-01-01,1,2,user_id: user 3 (Bob) is locked',
    'Bob,Sales,1986-06-05,1,6001,user_id: user 3 (Bob) is locked',
  ])
})

test('a row that was a reject before tells what the service says of the rest of it, too', async () => {
  await using importer = await changedMeanwhile(({ client }) => client.kpis.update(ID.sales, { is_active: false }))
  importer.write('wide.csv', 'date,user,Sales,Visits\n2026-01-01,Ann Lee,1,x\n')
  expect((await importer.kpi('entries', 'import', 'wide.csv')).code).toBe(3)
  expect(importer.read('wide.rejects.csv')).toContain(
    '"Visits ""x"" must be a number; kpi_id: KPI 1 (Sales) is inactive and takes no entries"',
  )
})

test('an assignment that somebody else makes at the same moment is there, which is what was wanted', async () => {
  const somebodyElse: { assigns?: () => Promise<unknown> } = {}
  await using importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (request.method === 'POST' && request.target.endsWith('/users/3/kpis')) await somebodyElse.assigns?.()
      return handler(request)
    },
  })
  somebodyElse.assigns = () => importer.client.assignments(ID.bob).add({ id: ID.visits, sort_order: 1 })
  importer.write('data.csv', `${HEADER}\nBob,Visits,2026-01-01,1\n`)
  const ran = await importer.kpi('entries', 'import', 'data.csv', '--create-assignments', '-o', 'json')
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 1, assigned: 0, rejected: 0 })
  expect(ran.code).toBe(0)
})
