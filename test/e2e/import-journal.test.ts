import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import type { Handler } from '../../src/server/wire.ts'
import { heldIn, ID, type Importer, importers, remoteImporter } from '../support/import.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { some } from '../support/soak/tests.ts'

/** 6,000 rows come to batches of 5,000 and 1,000. */
const ROWS = 6_000
const fileOf = (actual: (day: number) => number): string =>
  [
    'user,kpi,date,actual',
    ...Array.from({ length: ROWS }, (_, day) => `2,1,${formatDay(day)},${actual(day)}`),
    '',
  ].join('\n')
const TEXT = fileOf(() => 1)

/** How many batches it takes, what happens before the first, and whether what is not answered after it is stored. */
type Failing = {
  readonly good?: number
  readonly isStored?: boolean
  readonly isRefused?: boolean
  readonly before?: (importer: Importer) => Promise<unknown>
}

/** A service that is down after its first batch, or some, until it is mended: it may have stored what it did not answer. */
const failing = async ({
  good = 1,
  isStored = false,
  isRefused = false,
  before = () => Promise.resolve(),
}: Failing = {}): Promise<{
  importer: Importer
  mend: () => void
}> => {
  let [batches, isMended] = [0, false]
  const wrap =
    (handler: Handler): Handler =>
    async (request) => {
      if (!request.target.endsWith('/kpientries/list') || isMended) return handler(request)
      batches += 1
      if (batches === 1) await before(importer)
      if (batches <= good) return handler(request)
      if (isStored) await handler(request)
      if (isRefused) return { status: 403, headers: { 'content-type': 'application/json' }, body: '{}' }
      throw new Error('cut')
    }
  const importer: Importer = await remoteImporter({ wrap })
  return {
    importer,
    mend: () => {
      isMended = true
    },
  }
}

const journals = ({ folder }: Importer): string[] => {
  const place = folder.in('.local/state/kpi/journals')
  return existsSync(place) ? readdirSync(place).map((name) => join(place, name)) : []
}

const load = (importer: Importer, ...args: string[]): Promise<Ran> =>
  importer.kpi('entries', 'import', 'data.csv', '-o', 'json', ...args)

describe('a journal', () => {
  test.each(importers)('is gone once all is done: %s', async (_, open) => {
    await using importer = await open()
    importer.write('data.csv', TEXT)
    expect(jsonOf(await load(importer))).toMatchObject({ created: ROWS, left: 0 })
    expect(journals(importer)).toEqual([])
  })

  test('stays where work is left, for its owner alone, and holds no secret', async () => {
    const { importer, mend } = await failing()
    await using open = importer
    open.write('data.csv', TEXT)
    expect((await load(open)).code).toBe(6)
    const [path = '', ...others] = journals(open)
    expect(others).toEqual([])
    expect([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777]).toEqual([0o600, 0o700])
    expect(readFileSync(path).includes(open.world.env?.['KPI_TOKEN'] ?? '-')).toBe(false)
    mend()
    const again = await load(open)
    expect(again.stderr).toMatch(/^continuing the import that began at 2026-11-21 12:00 UTC: 5000 entries are done\n/)
    expect(jsonOf(again)).toMatchObject({ created: ROWS, unchanged: 0, left: 0 })
    expect(journals(open)).toEqual([])
  })

  test('of another content of the same file is told of, and left alone', async () => {
    const { importer, mend } = await failing()
    await using open = importer
    open.write('data.csv', TEXT)
    await load(open)
    mend()
    open.write(
      'data.csv',
      fileOf(() => 2),
    )
    const ran = await load(open)
    expect(ran.stderr).toMatch(/an import of an earlier data\.csv that began at 2026-11-21 12:00 UTC was not finished/)
    expect(jsonOf(ran)).toMatchObject({ created: ROWS - 5000, updated: 5000 })
    expect(journals(open)).toHaveLength(1)
  })

  test('of other options is another one', async () => {
    const { importer, mend } = await failing()
    await using open = importer
    open.write('data.csv', TEXT)
    await load(open)
    mend()
    const ran = await load(open, '--strict')
    expect(ran.stderr).toMatch(
      /an import of data\.csv with other flags that began at 2026-11-21 12:00 UTC was not finished \(5000 of its entries were sent\): with those flags it would continue; this is a different run; delete \S+\.journal if you do not need to continue that one\n/,
    )
    expect(jsonOf(ran)).toMatchObject({ created: ROWS - 5000, unchanged: 5000 })
  })

  test('knows what was rejected before, so that the rejects are those of the whole run', async () => {
    const { importer, mend } = await failing({
      // The first batch is refused for one row, and sent again without it.
      good: 2,
      before: async ({ client }) => client.assignments(ID.ann).remove(ID.sales),
    })
    await using open = importer
    const row = '2,1,2026-01-01,7'
    open.write('data.csv', `${TEXT.replaceAll('2,1,', '2,2,')}${row}\n`)
    expect([(await load(open)).code, open.read('data.rejects.csv')]).toEqual([6, expect.stringContaining(row)])
    mend()
    await open.client.assignments(ID.ann).add({ id: ID.sales, sort_order: 1 })
    const ran = await load(open)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: ROWS, rejected: 1, left: 0 }])
    expect(open.read('data.rejects.csv')).toContain(`${row},6002,kpi_id: KPI 1 (Sales) is not assigned`)
    expect(journals(open)).toEqual([])
  })
})

test('the same import at the same time is refused', async () => {
  let second: Promise<Ran> | undefined
  const importer: Importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (request.target.endsWith('/kpientries/list')) await (second ??= load(importer))
      return handler(request)
    },
  })
  await using open = importer
  open.write('data.csv', 'user,kpi,date,actual\n2,1,2026-01-01,1\n')
  expect(jsonOf(await load(open))).toMatchObject({ created: 1 })
  expect(await second).toMatchObject({ code: 8, stdout: '' })
  expect((await second)?.stderr).toContain('the same import is running already')
})

describe('standard input', () => {
  const pipe = (importer: Importer, ...args: string[]): Promise<Ran> =>
    importer.kpiWith(TEXT)('entries', 'import', '-', '-o', 'json', ...args)

  test('has no journal', async () => {
    const { importer, mend } = await failing()
    await using open = importer
    expect((await pipe(open)).code).toBe(6)
    expect(journals(open)).toEqual([])
    mend()
    expect(jsonOf(await pipe(open))).toMatchObject({ created: ROWS - 5000, unchanged: 5000 })
  })

  test('has one where a folder is named for it', async () => {
    const { importer, mend } = await failing()
    await using open = importer
    expect((await pipe(open, '--journal', 'here')).code).toBe(6)
    expect(readdirSync(open.folder.in('here'))).toHaveLength(1)
    mend()
    expect(jsonOf(await pipe(open, '--journal', 'here'))).toMatchObject({ created: ROWS, unchanged: 0 })
    expect(readdirSync(open.folder.in('here'))).toEqual([])
  })
})

describe('nothing is sent without a journal', () => {
  test('where its folder cannot be made', async () => {
    await using importer = await remoteImporter()
    importer.write('data.csv', TEXT)
    const ran = await load(importer, '--journal', 'data.csv')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('cannot write the journal')
    expect(await heldIn(importer)).toEqual([])
  })

  test('that can be read', async () => {
    const { importer } = await failing()
    await using open = importer
    open.write('data.csv', TEXT)
    await load(open)
    const [path = ''] = journals(open)
    writeFileSync(path, 'something else that is no journal at all, and as long as a header has to be '.repeat(20))
    const ran = await load(open)
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(`the journal ${path} is damaged; delete it`)])
  })
})

describe('--on-conflict add', () => {
  test.each(importers)('adds to what is there: %s', async (_, open) => {
    await using importer = await open()
    importer.write('data.csv', 'user,kpi,date,actual\n2,1,2026-01-01,1.5\n2,1,2026-01-02,2\n')
    for (const [created, updated] of [
      [2, 0],
      [0, 2],
    ]) {
      expect(jsonOf(await load(importer, '--on-conflict', 'add'))).toMatchObject({ created, updated })
    }
    expect(await heldIn(importer)).toEqual(['2 1 2026-01-01 3 - -', '2 1 2026-01-02 4 - -'])
  })

  test('adds once, although answers are lost and the run goes on later', async () => {
    const { importer, mend } = await failing({ isStored: true })
    await using open = importer
    open.write('data.csv', TEXT)
    expect((await load(open, '--on-conflict', 'add')).code).toBe(6)
    mend()
    expect(jsonOf(await load(open, '--on-conflict', 'add'))).toMatchObject({ created: ROWS, updated: 0 })
    const held = await heldIn(open)
    expect(held).toHaveLength(ROWS)
    expect(held.filter((one) => !one.endsWith(' 1 - -'))).toEqual([])
  })
})

describe('--on-conflict add, once a run was stopped in the middle,', () => {
  const ADD = ['--on-conflict', 'add', '-o', 'json']
  const stopped = async (): Promise<Importer> => {
    const { importer, mend } = await failing()
    importer.write('data.csv', TEXT)
    expect((await load(importer, ...ADD)).code).toBe(6)
    mend()
    return importer
  }
  const mustHoldOnce = async (importer: Importer): Promise<void> => {
    const held = await heldIn(importer)
    expect(held.filter((one) => !one.endsWith(' 1 - -'))).toEqual([])
  }

  test('goes on with the same content in another wrapping', async () => {
    await using open = await stopped()
    writeFileSync(open.folder.in('packed.csv.gz'), gzipSync(TEXT))
    expect(jsonOf(await open.kpi('entries', 'import', 'packed.csv.gz', ...ADD))).toMatchObject({ created: ROWS })
    await mustHoldOnce(open)
    expect(journals(open)).toEqual([])
  })

  const WRITTEN: readonly (readonly [what: string, written: string])[] = [
    ['other line ends', TEXT.replaceAll('\n', '\r\n')],
    ['quotes', TEXT.replaceAll('2,1,', '"2","1",')],
    ['another separator', TEXT.replaceAll(',', ';')],
    ['a mark of its encoding', `\uFEFF${TEXT}`],
  ]
  test.each(some(2, WRITTEN))('goes on with the same rows, written with %s', async (_, written) => {
    await using open = await stopped()
    open.write('data.csv', written)
    expect(jsonOf(await load(open, ...ADD, '--quiet'))).toMatchObject({ created: ROWS })
    await mustHoldOnce(open)
    expect(journals(open)).toEqual([])
  })

  test('is refused for a file that has some of its rows, unless that is asked for', async () => {
    await using open = await stopped()
    const [header, ...rows] = TEXT.trimEnd().split('\n')
    open.write('data.csv', `${[header, ...rows.slice(0, 40).toReversed(), `2,1,${formatDay(ROWS)},1`].join('\n')}\n`)
    const ran = await load(open, ...ADD, '--quiet')
    expect([ran.code, ran.stderr]).toEqual([
      1,
      expect.stringMatching(
        /40 rows of this file have the same user, KPI and date as rows of that import: finish it first, .* or use --add-again/,
      ),
    ])
    await mustHoldOnce(open)
    expect(jsonOf(await load(open, ...ADD, '--add-again'))).toMatchObject({ created: 1, updated: 40 })
  })

  test('is not refused for a file of other rows', async () => {
    await using open = await stopped()
    open.write('data.csv', `user,kpi,date,actual\n2,1,${formatDay(ROWS + 9)},1\n`)
    expect(jsonOf(await load(open, ...ADD))).toMatchObject({ created: 1 })
    await mustHoldOnce(open)
  })

  test('goes on where the base URL is written in another way', async () => {
    await using open = await stopped()
    const url = open.world.env?.['KPI_BASE_URL'] ?? ''
    const env = { ...open.world.env, KPI_BASE_URL: `${url.replace('127.0.0.1', 'localhost')}/` }
    const ran = await shellIn({ ...open.world, env })('entries', 'import', 'data.csv', ...ADD)
    expect(jsonOf(ran)).toMatchObject({ created: ROWS })
    await mustHoldOnce(open)
  })

  test('is refused for the same content with other flags', async () => {
    await using open = await stopped()
    for (const flags of [['--map', 'date=date'], ['--strict'], ['--separator', ',', '--decimal', '.']]) {
      const ran = await load(open, ...ADD, ...flags)
      expect([flags, ran.code, ran.stderr]).toEqual([
        flags,
        1,
        expect.stringContaining(
          'and other flags began at 2026-11-21 12:00 UTC and was not finished; 5000 of its entries',
        ),
      ])
      await mustHoldOnce(open)
    }
    expect(jsonOf(await load(open, ...ADD))).toMatchObject({ created: ROWS })
  })

  test('is refused where the journal has lost what it held', async () => {
    await using open = await stopped()
    const [path = ''] = journals(open)
    truncateSync(path)
    const ran = await load(open, ...ADD)
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(`the journal ${path} is damaged; delete it`)])
    await mustHoldOnce(open)
  })
})

describe('where an assignment that was missing is made before the run goes on', () => {
  /** Rows of a KPI that is not assigned, in the middle of those of the first batch. */
  const withSpare = TEXT.replaceAll('\n2,1,', '\n3,1,') + '2,1,1970-01-05,1\n2,4,1970-01-05,1\n2,4,1970-01-06,1\n'

  test.each(some(2, ['add', 'error', 'update', 'skip']))('just what is new is sent: --on-conflict %s', async (what) => {
    const { importer, mend } = await failing({ isRefused: true })
    await using open = importer
    open.write('data.csv', withSpare)
    expect(await load(open, '--on-conflict', what)).toMatchObject({ code: 4 })
    mend()
    await open.client.assignments(ID.ann).add({ id: ID.spare, sort_order: 9 })
    const again = await load(open, '--on-conflict', what)
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { created: ROWS + 3, rejected: 0, left: 0 }])
    expect((await heldIn(open)).filter((entry) => !/^\d \d \S+ 1 - -$/.test(entry))).toEqual([])
  })
})
