import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorOf } from '../support/kpi.ts'
import { formatDay, parseDay } from '../../src/domain/day.ts'
import type { Handler } from '../../src/server/wire.ts'
import { heldIn, ID, type Importer, importers, remoteImporter } from '../support/import.ts'
import { openDoors } from '../support/newer-import.ts'

const HEAD = 'user,kpi,date,actual,target,notes'
const { ann, bob, sales, visits } = ID

type Receipt = {
  readonly file: { readonly name: string }
  readonly options: Readonly<Record<string, unknown>>
  readonly summary: Readonly<Record<string, number>>
  readonly compared: number
  readonly equal: number
  readonly differences: readonly unknown[]
  readonly rejects_file: string | null
}

const receiptIn = ({ read }: { readonly read: (name: string) => string }, name = 'data.receipt.json'): Receipt =>
  JSON.parse(read(name)) as Receipt

const dayOf = (text: string): number => parseDay(text) ?? 0

/** Reads a whole month, so that there is enough to change one of. */
const monthOf = (user: string, kpi: string): string[] =>
  Array.from({ length: 28 }, (_, at) => `${user},${kpi},2026-02-${String(at + 1).padStart(2, '0')},${at}.5,,`)

describe.each(importers)('--verify, %s,', (_, open) => {
  test('compares as the service keeps values: rounded, trimmed, without targets that a KPI does not have', async () => {
    await using importer = await open()
    const { write, kpi } = importer
    write(
      'data.csv',
      `${HEAD}\nAnn Lee,Visits,2026-03-01,1.00005,12,  a \nAnn Lee,Sales,2026-03-01,2,7,\nBob,Sales,2026-03-02,,,b\n`,
    )
    for (const summary of [{ created: 3 }, { unchanged: 3 }]) {
      const ran = await kpi('entries', 'import', 'data.csv', '--verify')
      expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('read back and compared: 3 entries')])
      const receipt = receiptIn(importer)
      expect(receipt).toMatchObject({ receipt: 1, summary, compared: 3, equal: 3, differences: [], rejects_file: null })
      expect(receipt).toMatchObject({
        file: { name: 'data.csv' },
        variant: 'classic',
        options: { onConflict: 'update' },
      })
    }
    expect(await heldIn(importer)).toHaveLength(3)
  })

  test('leaves out what was rejected, skipped or empty', async () => {
    await using importer = await open()
    const { write, kpi, client } = importer
    await client.entries.add({ user_id: bob, kpi_id: sales, entry_date: dayOf('2026-03-01'), actual: 9_0000n })
    write(
      'data.csv',
      `${HEAD}\nBob,Sales,2026-03-01,1,,\nBob,Salez,2026-03-02,1,,\nBob,Sales,2026-03-03,,,\nBob,Sales,2026-03-04,4,,\n`,
    )
    const ran = await kpi('entries', 'import', 'data.csv', '--verify', '--on-conflict', 'skip', '--receipt', 'r.json')
    expect(ran.code).toBe(3)
    expect(receiptIn(importer, 'r.json')).toMatchObject({
      summary: { created: 1, skipped: 1, rejected: 1, empty: 1 },
      compared: 1,
      equal: 1,
      rejects_file: 'data.rejects.csv',
    })
  })

  test.each([[[]], [['--empty', 'clear']]])(
    'compares the good cells of a wide row that is rejected in part, %s',
    async (flags) => {
      await using importer = await open()
      const { write, kpi } = importer
      write(
        'data.csv',
        'user,date,Sales,Visits\nAnn Lee,2026-03-01,1,2\nAnn Lee,2026-03-02,3,x\nAnn Lee,2026-03-03,5,6\n',
      )
      const ran = await kpi('entries', 'import', 'data.csv', '--verify', ...flags)
      const good = flags.length === 0 ? 5 : 4
      expect([ran.code, receiptIn(importer)]).toMatchObject([
        3,
        { compared: good, equal: good, summary: { rejected: 1 } },
      ])
    },
  )

  test('never writes the receipt over the file, and sends nothing then', async () => {
    await using importer = await open()
    importer.write('data.csv', `${HEAD}\nBob,Sales,2026-03-01,1,,\n`)
    const same = await importer.kpi('entries', 'import', 'data.csv', '--verify', '--receipt', 'data.csv')
    expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('--receipt data.csv is also data.csv')])
    expect(await heldIn(importer)).toEqual([])
  })
})

/** Calls back once all has been sent, before anything is read back. */
const afterSending =
  (change: () => Promise<unknown>) =>
  (handler: Handler): Handler => {
    let wasSent = false
    return async (request) => {
      if (wasSent && request.method === 'GET') {
        wasSent = false
        await change()
      }
      const answer = await handler(request)
      wasSent ||= request.method === 'POST' && request.target.startsWith('/api/kpientries')
      return answer
    }
  }

test('a digit that somebody else flips in the meantime is named, with its line, and is in the receipt', async () => {
  const entry = { user_id: ann, kpi_id: visits, entry_date: dayOf('2026-02-17') }
  const other: { change: () => Promise<unknown> } = { change: () => Promise.resolve() }
  await using importer = await remoteImporter({ wrap: afterSending(() => other.change()) })
  other.change = () => importer.client.entries.addMany([{ ...entry, actual: 16_6000n }])
  importer.write('data.csv', [HEAD, ...monthOf('Bob', 'Sales'), ...monthOf('Ann Lee', 'Visits'), ''].join('\n'))
  const ran = await importer.kpi('entries', 'import', 'data.csv', '--verify', '-o', 'json')
  expect(ran.code).toBe(1)
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 56 })
  expect(ran.stderr).toContain(`line 46: user ${ann}, KPI ${visits}, 2026-02-17: actual: expected 16.5, found 16.6;`)
  expect(errorOf(ran).message).toContain('1 entry differs from what was sent')
  expect(receiptIn(importer)).toMatchObject({
    compared: 56,
    equal: 55,
    differences: [
      {
        line: 46,
        user_id: ann,
        source_id: null,
        kpi_id: visits,
        entry_date: '2026-02-17',
        field: 'actual',
        expected: '16.5',
        found: '16.6',
      },
    ],
  })
})

test('all that differs is in the receipt, and the first twenty are told', async () => {
  const other: { change: () => Promise<unknown> } = { change: () => Promise.resolve() }
  await using importer = await remoteImporter({ wrap: afterSending(() => other.change()) })
  other.change = async () => {
    const { client } = importer
    for (const { id } of await client.entries.list({ from: dayOf('2026-02-01'), to: dayOf('2026-02-28') })) {
      await client.entries.remove(id)
    }
  }
  importer.write('data.csv', [HEAD, ...monthOf('Bob', 'Sales'), ''].join('\n'))
  const ran = await importer.kpi('entries', 'import', 'data.csv', '--verify')
  expect(ran.code).toBe(1)
  expect(ran.stderr.match(/entry: expected 1, found 0$/gm)).toHaveLength(20)
  expect(receiptIn(importer).differences).toHaveLength(28)
})

test('a key that may not read is refused what takes reading, before anything is sent, and told the scope', async () => {
  await using doors = await openDoors()
  doors.write('data.csv', `${HEAD}\n${bob},${sales},2026-03-01,1,,\n`)
  const kpi = await doors.keyed('entries:write', 'kpis:read', 'users:read')
  for (const [flags, said] of [
    [['--verify'], '--verify'],
    [['--only-changes'], '--only-changes'],
    [['--on-conflict', 'skip', '--verify'], '--on-conflict skip, --verify'],
    [['--on-conflict', 'error'], '--on-conflict error'],
    [['--only-changes', '--dry-run'], '--only-changes'],
  ] as const) {
    const ran = await kpi('entries', 'import', 'data.csv', ...flags)
    expect([ran.code, ran.stdout]).toEqual([4, ''])
    expect(ran.stderr).toContain(
      `${said} cannot be used with this key: the import would have to read entries, which needs the scope entries:read; nothing was sent`,
    )
  }
  expect([await doors.held(), existsSync(doors.folder.in('data.receipt.json'))]).toEqual([[], false])
})

test('through the newer interface sources are compared like users', async () => {
  await using doors = await openDoors()
  doors.write(
    'data.csv',
    `source,kpi,date,actual,target\nNorth,Visits,2026-03-01,1,5\nAnn Lee,Visits,2026-03-01,2,10\n`,
  )
  const ran = await (await doors.keyed())('entries', 'import', 'data.csv', '--verify')
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('read back and compared: 2 entries, as sent')])
  expect(receiptIn(doors)).toMatchObject({ variant: 'v1', login: null, compared: 2, equal: 2 })
})

test('what cannot be read back is read back by the same command, which adds nothing again', async () => {
  let isDown = true
  let isSent = false
  await using importer = await remoteImporter({
    wrap: (handler) => (request) => {
      if (isDown && isSent) {
        return Promise.resolve({ status: 403, headers: { 'content-type': 'application/json' }, body: '{}' })
      }
      isSent ||= request.target.endsWith('/kpientries/list')
      return handler(request)
    },
  })
  importer.write('data.csv', [HEAD, ...monthOf('Ann Lee', 'Sales')].join('\n'))
  const args = ['entries', 'import', 'data.csv', '--on-conflict', 'add', '--verify', '-o', 'json']
  const first = await importer.kpi(...args)
  expect([first.code, JSON.parse(first.stdout)]).toMatchObject([4, { created: 28, left: 0 }])
  expect(first.stderr).toContain('could not be read back and compared: ')
  expect(first.stderr).toContain('; run the same command to compare it')
  isDown = false
  const again = await importer.kpi(...args)
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { created: 28, left: 0 }])
  expect(again.stderr).toContain('read back and compared: 28 entries, as sent')
  expect((await heldIn(importer))[27]).toBe('2 1 2026-02-28 27.5 - -')
})

describe('with --on-conflict skip, a run that goes on after it was stopped', () => {
  const [OF_ANN, OF_BOB] = [10, 5_000]
  const row = (user: string, kpi: string, day: number, actual: number): string =>
    `${user},${kpi},${formatDay(day)},${actual},,`
  /** Comes to a batch of 5,000 entries and one of ten, and a row that is rejected as long as its KPI is inactive. */
  const TEXT = [
    HEAD,
    ...Array.from({ length: OF_ANN }, (_, day) => row('Ann Lee', 'Sales', day, 1)),
    row('Ann Lee', 'Closed', 0, 1),
    ...Array.from({ length: OF_BOB }, (_, day) => row('Bob', 'Sales', day, 2)),
  ].join('\n')
  const ARGS = ['entries', 'import', 'data.csv', '--on-conflict', 'skip', '--verify', '-o', 'json']

  /** Two entries are there before, and the second batch does not come through. */
  const stopped = async (): Promise<Importer> => {
    let isDown = true
    let batches = 0
    const importer = await remoteImporter({
      wrap: (handler) => (request) => {
        if (request.target.endsWith('/kpientries/list')) batches += 1
        return isDown && batches > 1 ? Promise.reject(new Error('cut')) : handler(request)
      },
    })
    const { client } = importer
    for (const day of [0, 1])
      await client.entries.add({ user_id: ann, kpi_id: sales, entry_date: day, actual: 7_0000n })
    importer.write('data.csv', TEXT)
    const first = await importer.kpi(...ARGS)
    expect([first.code, JSON.parse(first.stdout)]).toMatchObject([6, { created: 4998, skipped: 2, left: 10 }])
    isDown = false
    return importer
  }

  test('compares what its earlier parts have sent, and not what it left alone', async () => {
    await using importer = await stopped()
    await importer.client.entries.addMany([{ user_id: ann, kpi_id: sales, entry_date: 5, actual: 3_0000n }])
    const ran = await importer.kpi(...ARGS)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([1, { created: 5008, skipped: 2, rejected: 1 }])
    expect(errorOf(ran).message).toContain(
      `line 7: user ${ann}, KPI ${sales}, ${formatDay(5)}: actual: expected 1, found 3;`,
    )
    expect(receiptIn(importer)).toMatchObject({ compared: 5008, equal: 5007, not_compared: 0 })
  })

  test('leaves what another has stored since of the batch that was cut off', async () => {
    await using importer = await stopped()
    const { client } = importer
    for (const [day, actual] of [
      [4998, 9_0000n],
      [4999, 2_0000n],
    ] as const)
      await client.entries.add({ user_id: bob, kpi_id: sales, entry_date: day, actual })
    const ran = await importer.kpi(...ARGS)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 5006, skipped: 4, rejected: 1, left: 0 }])
    const held = await client.entries.list({ from: 4998, to: 4999, userId: bob })
    expect(held.map(({ actual }) => actual)).toEqual([9_0000n, 2_0000n])
  })

  test('says how many it cannot compare, where what rows refer to has changed since', async () => {
    await using importer = await stopped()
    await importer.client.kpis.update(ID.closed, { is_active: true })
    const ran = await importer.kpi(...ARGS)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { created: 5009, skipped: 2, rejected: 0 }])
    expect(ran.stderr).toContain(
      'read back and compared: 11 entries, as sent; not compared: 4998 entries of an earlier part of the run, because what the rows refer to has changed since',
    )
    expect(receiptIn(importer)).toMatchObject({ compared: 11, equal: 11, not_compared: 4998 })
  })
})
