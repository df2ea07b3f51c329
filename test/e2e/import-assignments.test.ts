import { describe, expect, test } from 'vitest'
import type { Handler } from '../../src/server/wire.ts'
import { heldIn, ID, type Importer, importers, remoteImporter } from '../support/import.ts'
import { errorOf, type Ran, shellIn } from '../support/kpi.ts'

const write = (importer: Importer, rows: readonly string[]): void => {
  importer.write('data.csv', ['user,kpi,date,actual,target,notes', ...rows, ''].join('\n'))
}

const load = async (importer: Importer, rows: readonly string[], ...options: string[]): Promise<unknown> => {
  write(importer, rows)
  const args = ['entries', 'import', 'data.csv', '-o', 'json', ...options]
  const { code, stdout } = await importer.kpi(...args)
  return { code, ...(JSON.parse(stdout) as object) }
}

/** The KPIs of a user and their places. */
const assigned = async ({ client }: Importer, user: number): Promise<(readonly [kpi: number, place: number])[]> =>
  (await client.assignments(user).list()).map(({ id, sort_order }) => [id, sort_order])

const ROWS = [
  'Bob,Spare,2026-01-01,1',
  'Bob,Sales,2026-01-01,1',
  'Bob,Visits,2026-01-01,1',
  'Bob,Spare,2026-01-02,1',
  'Ann Lee,Spare,2026-01-01,1',
]

describe.each(importers)('%s', (_, open) => {
  test('--create-assignments makes those that are missing, after the last of each user', async () => {
    await using importer = await open()
    await importer.client.assignments(ID.bob).update(ID.sales, { sort_order: 7 })
    expect(await load(importer, ROWS, '--create-assignments')).toMatchObject({ code: 0, created: 5, assigned: 3 })
    expect(await assigned(importer, ID.bob)).toEqual([
      [ID.sales, 7],
      [ID.spare, 8],
      [ID.visits, 9],
    ])
    expect(await assigned(importer, ID.ann)).toEqual([
      [ID.sales, ID.sales],
      [ID.visits, ID.visits],
      [ID.closed, ID.closed],
      [ID.spare, ID.closed + 1],
    ])
    expect(await load(importer, ROWS, '--create-assignments')).toMatchObject({ code: 0, unchanged: 5, assigned: 0 })
  })

  test('without it they are rejects, and nothing is assigned', async () => {
    await using importer = await open()
    expect(await load(importer, ROWS)).toMatchObject({ code: 3, created: 1, rejected: 4, assigned: 0 })
    expect(await assigned(importer, ID.bob)).toEqual([[ID.sales, ID.sales]])
  })

  test('a dry run without it says in one line how they are made, below what it comes to', async () => {
    await using importer = await open()
    const ADVICE =
      'rejected: the KPI is not assigned to the user: 3 pairs, such as "Spare" and "Bob" (4 rows, first line 2); --create-assignments creates what is missing\n'
    write(importer, ROWS)
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--dry-run')
    expect([ran.code, ran.stderr.endsWith(ADVICE)]).toEqual([3, true])
    expect(ran.stderr).toContain('1 entry to create, 0 to update, 0 unchanged, 4 rows to reject\n')
    write(importer, ['Bob,Sales,2026-01-01,x'])
    expect((await importer.kpi('entries', 'import', 'data.csv', '--dry-run')).stderr).not.toContain(
      '--create-assignments',
    )
  })

  test('a dry run says how many there would be, and makes none', async () => {
    await using importer = await open()
    write(importer, ROWS)
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--dry-run', '--create-assignments')
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('3 assignments to create') as unknown })
    expect(await assigned(importer, ID.bob)).toEqual([[ID.sales, ID.sales]])
  })

  test('none is made that only rejects would need', async () => {
    await using importer = await open()
    const rows = [
      'Bob,Sales,2026-01-01,1',
      'Bob,Visits,2026-02-30,1',
      'Bob,Spare,2026-01-01,x',
      'Lou,Spare,2026-01-01,1',
      'Bob,Closed,2026-01-01,1',
      'Bob,Spare,2026-02-01,,5',
      'Bob,Visits,2026-02-01,1',
      'Bob,Visits,2026-02-01,2',
    ]
    write(importer, rows)
    const dry = await importer.kpi('entries', 'import', 'data.csv', '--create-assignments', '--dry-run')
    expect(dry.stderr).toMatch(/: 1 entry to create, 0 to update, 0 unchanged, 7 rows to reject$/m)
    expect(await load(importer, rows, '--create-assignments')).toMatchObject({
      code: 3,
      created: 1,
      rejected: 7,
      assigned: 0,
    })
    expect(await assigned(importer, ID.bob)).toEqual([[ID.sales, ID.sales]])
  })

  test('none is made for an empty cell that has nothing to clear', async () => {
    await using importer = await open()
    importer.write('wide.csv', 'date,user,Sales,Spare\n2026-01-01,Bob,1,\n')
    const options = ['--create-assignments', '--empty', 'clear', '-o', 'json']
    const { code, stdout } = await importer.kpi('entries', 'import', 'wide.csv', ...options)
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { created: 1, assigned: 0, rejected: 0 }])
    expect(await assigned(importer, ID.bob)).toEqual([[ID.sales, ID.sales]])
  })

  test('the places end at 32767', async () => {
    await using importer = await open()
    await importer.client.assignments(ID.bob).update(ID.sales, { sort_order: 32_766 })
    expect(await load(importer, ROWS, '--create-assignments')).toMatchObject({ code: 0, assigned: 3 })
    expect(await assigned(importer, ID.bob)).toEqual([
      [ID.sales, 32_766],
      [ID.visits, 32_767],
      [ID.spare, 32_767],
    ])
  })
})

test('a service that fails once some assignments are made leaves work, and its summary says so', async () => {
  let isDown = false
  await using importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (isDown) return { status: 503, headers: { 'content-type': 'application/json' }, body: '{"message":"down"}' }
      const answer = await handler(request)
      isDown = request.method === 'POST'
      return answer
    },
  })
  importer.write('data.csv', 'user,kpi,date,actual\nAnn Lee,Spare,2026-01-01,1\nBob,Spare,2026-01-01,1\n')
  const ran = await importer.kpi('entries', 'import', 'data.csv', '--create-assignments', '-o', 'json')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { assigned: 1, created: 0, left: 2 }])
  expect(errorOf(ran).message).toContain('stopped with 2 entries left; run the same command to continue')
})

describe('Ctrl-C while assignments are made', () => {
  const FILE = [
    'Ann Lee,Spare,2026-01-01,1',
    'Bob,Spare,2026-01-01,1',
    'Bob,Visits,2026-01-01,1',
    'Bob,Visits,2026-01-01,2',
    'Bob,Sales,2026-01-01,1',
  ]
  const CONFLICT = { status: 409, headers: { 'content-type': 'application/json' }, body: '{"message":"it is there"}' }

  /** Interrupts an import while the service holds the first assignment, which it then answers; imports again after that. */
  const stopAtFirst = async (
    answer: (made: ReturnType<Handler>) => ReturnType<Handler>,
  ): Promise<{ ended: Ran; again: unknown; held: string[] }> => {
    const [came, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isFirst = true
    await using importer = await remoteImporter({
      wrap: (handler) => async (request) => {
        if (!isFirst || request.method !== 'POST') return handler(request)
        isFirst = false
        came.resolve()
        await leave.promise
        return answer(handler(request))
      },
    })
    write(importer, FILE)
    const args = ['entries', 'import', 'data.csv', '--create-assignments', '-o', 'json']
    const interruption = new AbortController()
    const ended = shellIn({ ...importer.world, signal: interruption.signal })(...args)
    await came.promise
    interruption.abort()
    leave.resolve()
    const stopped = await ended
    const { stdout } = await importer.kpi(...args)
    return { ended: stopped, again: JSON.parse(stdout), held: await heldIn(importer) }
  }

  test.each([
    ['is made', (made: ReturnType<Handler>) => made, 1],
    ['was there by then', async (made: ReturnType<Handler>) => made.then(() => CONFLICT), 0],
  ] as const)(
    'ends after the one that %s, with a summary, and the same command goes on',
    async (_, answer, assigned) => {
      const { ended, again, held } = await stopAtFirst(answer)
      expect([ended.code, JSON.parse(ended.stdout)]).toMatchObject([6, { assigned, created: 0, rejected: 2, left: 3 }])
      expect(errorOf(ended).message).toContain('stopped with 3 entries left; run the same command to continue')
      expect(again).toMatchObject({ assigned: 1, created: 3, rejected: 2, left: 0 })
      expect(held).toHaveLength(3)
    },
  )
})
