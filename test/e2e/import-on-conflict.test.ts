import { rmSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { dayOfCivil, formatDay } from '../../src/domain/day.ts'
import { ON_CONFLICT } from '../../src/reading/options/options.ts'
import { embeddedImporter, ID, importers, remoteImporter } from '../support/import.ts'
import { type Ran, type Shell } from '../support/kpi.ts'
import { openDoors } from '../support/newer-import.ts'
import type { Folder } from '../support/folder.ts'
import { runs } from '../support/soak/tests.ts'

const HEAD = 'user,kpi,date,actual,target,notes'

/** Somebody with a file in a folder, and another way to the same account. */
type Place = {
  readonly kpi: Shell
  readonly client: Client
  readonly folder: Folder
  readonly write: (name: string, text: string) => void
  readonly read: (name: string) => string
  readonly close: () => PromiseLike<void>
}

const throughNewer = async (): Promise<Place> => {
  const doors = await openDoors()
  return {
    kpi: await doors.keyed(),
    client: doors.application,
    folder: doors.folder,
    write: doors.write,
    read: doors.read,
    close: () => doors[Symbol.asyncDispose](),
  }
}

const through = (open: typeof embeddedImporter) => async (): Promise<Place> => {
  const importer = await open()
  return { ...importer, close: () => importer[Symbol.asyncDispose]() }
}

const PLACES = [
  ['embedded', through(embeddedImporter)],
  ['over HTTP', through(remoteImporter)],
  ['through the newer interface', throughNewer],
] as const

/** Each try has days of its own, so that none sees what another has stored. */
let start = dayOfCivil(1950, 1, 1)
const DAYS = 4

const row = fc.record({
  pair: fc.constantFrom('Ann Lee,Sales', 'Ann Lee,Visits', 'Bob,Sales'),
  day: fc.nat(DAYS - 1),
  actual: fc.constantFrom('', '0', '1', '2', '99999999999999'),
  target: fc.constantFrom('', '10', '5'),
  notes: fc.constantFrom('', 'n'),
})
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never

const rowsUnlike = (most: number): fc.Arbitrary<Row[]> =>
  fc.uniqueArray(row, { maxLength: most, selector: ({ pair, day }) => `${pair} ${day}` })

const fileOf = (rows: readonly Row[]): string =>
  [
    HEAD,
    ...rows.map((one) => [one.pair, formatDay(start + one.day), one.actual, one.target, one.notes].join(',')),
    '',
  ].join('\n')

const ways = fc.record({
  onConflict: fc.constantFrom(...ON_CONFLICT),
  onlyChanges: fc.boolean(),
  clear: fc.boolean(),
})

type Told = { readonly line: number; readonly action: string; readonly reason: string | null }

const expectSameEnd = async ({ kpi, read, folder }: Place, args: readonly string[]): Promise<void> => {
  const dry = await kpi(...args, '--dry-run')
  const told = JSON.parse(dry.stdout) as Told[]
  const count = (...actions: string[]): number => told.filter(({ action }) => actions.includes(action)).length
  rmSync(folder.in('data.rejects.csv'), { force: true })
  const wet = await kpi(...args)
  expect(JSON.parse(wet.stdout)).toMatchObject({
    created: count('create'),
    updated: count('update', 'add'),
    unchanged: count('unchanged'),
    skipped: count('skip'),
    rejected: count('reject'),
    left: 0,
  })
  expect(count('send')).toBe(0)
  expect(wet.code).toBe(dry.code)
  const rejects = count('reject') > 0 ? parse(read('data.rejects.csv')).slice(1) : []
  expect(rejects.map((cells) => cells.slice(-2))).toEqual(
    told.filter(({ action }) => action === 'reject').map(({ line, reason }) => [String(line), reason]),
  )
}

describe.each(PLACES)('of entries that are there already, %s,', (_, open) => {
  let place: Place
  beforeAll(async () => {
    place = await open()
  })
  afterAll(async () => {
    await place.close()
  })

  test('a dry run says what the run then does with them, for any file and account', async () => {
    await fc.assert(
      fc.asyncProperty(
        rowsUnlike(8),
        rowsUnlike(12),
        ways,
        async (stored, rows, { onConflict, onlyChanges, clear }) => {
          start += DAYS
          place.write('data.csv', fileOf(stored))
          await place.kpi('entries', 'import', 'data.csv')
          place.write('data.csv', fileOf(rows))
          const flags = [...(onlyChanges ? ['--only-changes'] : []), ...(clear ? ['--empty', 'clear'] : [])]
          await expectSameEnd(place, [
            'entries',
            'import',
            'data.csv',
            '-o',
            'json',
            '--on-conflict',
            onConflict,
            ...flags,
          ])
        },
      ),
      { numRuns: runs(8, 100) },
    )
  }, 120_000)
})

describe.each(importers)('--on-conflict, %s,', (_, open) => {
  const held = { user_id: ID.ann, kpi_id: ID.visits, entry_date: dayOfCivil(2026, 3, 1) }
  const file = `${HEAD}\nAnn Lee,Visits,2026-03-01,5,,\nAnn Lee,Visits,2026-03-02,6,,\n`
  const importWith = async (
    ...flags: string[]
  ): Promise<Ran & { readonly now: string[]; readonly rejects: string }> => {
    await using importer = await open()
    const { client, kpi, write, read } = importer
    await client.entries.add({ ...held, actual: 1_0000n, notes: 'kept' })
    write('data.csv', file)
    const ran = await kpi('entries', 'import', 'data.csv', '-o', 'json', ...flags)
    const now = await client.entries.list({ from: held.entry_date, to: held.entry_date + 1 })
    const rejects = ran.code === 3 && !flags.includes('--dry-run') ? read('data.rejects.csv') : ''
    return { ...ran, now: now.map(({ actual, notes }) => `${actual} ${notes}`), rejects }
  }

  test('skip leaves them alone', async () => {
    const ran = await importWith('--on-conflict', 'skip')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { created: 1, skipped: 1, updated: 0 }])
    expect(ran.now).toEqual(['10000 kept', '60000 null'])
  })

  test('error makes them rejects that say what is there', async () => {
    const ran = await importWith('--on-conflict', 'error')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 1, rejected: 1 }])
    expect(ran.rejects).toContain('2,"there is an existing entry: actual 1, and --on-conflict is error"\n')
    expect(ran.now).toEqual(['10000 kept', '60000 null'])
  })

  test('add is told as such by a dry run', async () => {
    const ran = await importWith('--on-conflict', 'add', '--dry-run')
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { line: 2, action: 'add' },
      { line: 3, action: 'create' },
    ])
    expect(ran.now).toEqual(['10000 kept'])
  })
})
