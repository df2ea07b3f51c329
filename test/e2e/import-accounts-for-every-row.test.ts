import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import type { Handler } from '../../src/server/wire.ts'
import { type Importer, remoteImporter } from '../support/import.ts'
import { type Ran, shellIn } from '../support/kpi.ts'

/** 12,000 days, of which the last three stand there twice, then a bad row and an empty one. */
const DAYS = 12_000
const row = (day: number): string => `Ann Lee,Sales,${formatDay(day)},1`
const TEXT = [
  'user,kpi,date,actual',
  ...Array.from({ length: DAYS }, (_, day) => row(day)),
  ...[DAYS - 3, DAYS - 2, DAYS - 1].map(row),
  'Ann Lee,Sales,2026-02-30,1',
  'Ann Lee,Sales,2026-03-01,',
].join('\n')
const READ = DAYS + 5

const isBatch = ({ target }: Parameters<Handler>[0]): boolean => target.endsWith('/kpientries/list')

const importData = (importer: Importer, flags: readonly string[], signal?: AbortSignal): Promise<Ran> => {
  importer.write('data.csv', TEXT)
  const world = signal ? { ...importer.world, signal } : importer.world
  return shellIn(world)('entries', 'import', 'data.csv', '-o', 'json', ...flags)
}

type Counts = Readonly<Record<string, number>>

const countsIn = ({ stdout }: Ran): Counts => JSON.parse(stdout) as Counts

/** All rows that a summary accounts for. */
const accounted = (counts: Counts): number =>
  ['created', 'updated', 'unchanged', 'sent', 'skipped', 'empty', 'rejected', 'left'].reduce(
    (total, name) => total + (counts[name] ?? 0),
    0,
  )

/** What comes with the second batch, which nobody answers. */
const ENDS: readonly (readonly [name: string, act: (controller: AbortController) => void])[] = [
  ['a service that fails', () => undefined],
  ['a user', (controller) => controller.abort()],
]

describe.each(ENDS)('stopped in mid-run by %s, an import', (_, act) => {
  const open = async (): Promise<{ importer: Importer; signal: AbortSignal; mend: () => void }> => {
    const controller = new AbortController()
    let [batches, isMended] = [0, false]
    const importer = await remoteImporter({
      wrap: (handler) => (request) => {
        if (isBatch(request)) batches += 1
        if (!isBatch(request) || batches < 2 || isMended) return handler(request)
        act(controller)
        return Promise.reject(new Error('cut'))
      },
    })
    return { importer, signal: controller.signal, mend: () => (isMended = true) }
  }

  test('accounts for every row, and a key that stands there twice is a reject, not left', async () => {
    const { importer, signal, mend } = await open()
    await using _importer = importer
    const ran = await importData(importer, [], signal)
    const counts = countsIn(ran)
    expect([ran.code, counts]).toMatchObject([6, { read: READ, created: 5000, rejected: 7, empty: 1, left: 6997 }])
    expect(accounted(counts)).toBe(READ)
    expect(importer.read('data.rejects.csv').trimEnd().split('\n')).toHaveLength(8)
    expect(ran.stderr).toContain('stopped with 6997 entries left')
    mend()
    const again = countsIn(await importData(importer, []))
    expect(again).toMatchObject({ read: READ, created: DAYS - 3, rejected: 7, empty: 1, left: 0 })
  })

  test('leaves one entry for the rows that come to one', async () => {
    const { importer, signal, mend } = await open()
    await using _importer = importer
    const ran = await importData(importer, ['--on-duplicate', 'sum'], signal)
    expect(countsIn(ran)).toMatchObject({ created: 5000, rejected: 1, left: DAYS - 5000 })
    mend()
    const again = countsIn(await importData(importer, ['--on-duplicate', 'sum']))
    expect(again).toMatchObject({ created: DAYS, rejected: 1, left: 0 })
  })
})

test('an import that cannot make the second assignment accounts for every row', async () => {
  let assignments = 0
  await using importer = await remoteImporter({
    wrap: (handler) => (request) => {
      if (request.method === 'POST' && /\/users\/\d+\/kpis/.test(request.target)) assignments += 1
      return assignments > 1 ? Promise.reject(new Error('cut')) : handler(request)
    },
  })
  importer.write(
    'data.csv',
    [
      'user,kpi,date,actual',
      'Bob,Spare,2026-03-01,1',
      'Ann Lee,Spare,2026-03-01,1',
      'Ann Lee,Spare,2026-03-02,1',
      'Ann Lee,Spare,2026-03-02,2',
      'Ann Lee,Spare,2026-02-30,2',
      'Ann Lee,Salez,2026-03-02,2',
    ].join('\n'),
  )
  const counts = countsIn(await importer.kpi('entries', 'import', 'data.csv', '--create-assignments', '-o', 'json'))
  expect(counts).toMatchObject({ read: 6, assigned: 1, rejected: 4, left: 2 })
})
