import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { day } from '../support/calendar.ts'
import { type Fault, faultyProxy, whole } from '../support/faulty-proxy.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import type { Ran } from '../support/kpi.ts'
import { embeddedUser, newerUser, remoteUser, remoteUserBehind, type User } from '../support/user.ts'

const PEOPLE = [2, 3] as const
const KPIS = [1, 2, 3] as const
const FIRST = day('2026-01-01')

/** Fills an account: two people report a KPI of days with a target, one of weeks, and one of months. */
const fill = async ({ client }: Pick<User, 'client'>): Promise<void> => {
  await client.kpis.add(kpiNamed('Visits', { target_default: 100_0000n }))
  await client.kpis.add(kpiNamed('Hours', { frequency_id: 'W', aggregate_function: 'AVG', sort_order: 2 }))
  await client.kpis.add(kpiNamed('Rent', { frequency_id: 'M', sort_order: 3 }))
  for (const name of ['Ann', 'Bob']) await client.users.add(userNamed(name))
  for (const user of PEOPLE) for (const id of KPIS) await client.assignments(user).add({ id, sort_order: id })
}

/** What somebody does to an account: entries anywhere, and what all rows of a KPI or a person show. */
type Change =
  | { readonly what: 'put'; readonly user: number; readonly kpi: number; readonly on: number; readonly actual: number }
  | { readonly what: 'note'; readonly user: number; readonly kpi: number; readonly on: number; readonly notes: string }
  | { readonly what: 'remove'; readonly at: number }
  | { readonly what: 'move'; readonly at: number; readonly on: number }
  | { readonly what: 'rename'; readonly kpi: number; readonly name: string }
  | { readonly what: 'order'; readonly kpi: number; readonly sort_order: number }
  | { readonly what: 'target'; readonly kpi: number; readonly target: number | null }
  | { readonly what: 'person'; readonly user: number; readonly name: string }

const DAYS = 320
const user = fc.constantFrom(...PEOPLE)
const kpi = fc.constantFrom(...KPIS)
const on = fc.nat(DAYS)
const put = fc.record({ what: fc.constant('put' as const), user, kpi, on, actual: fc.nat(9999) })
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: put },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('note' as const),
      user,
      kpi,
      on,
      notes: fc.constantFrom('x', '"a", b', 'two\nlines', '=1+1'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('remove' as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('move' as const), at: fc.nat(), on }) },
  fc.record({ what: fc.constant('rename' as const), kpi, name: fc.constantFrom('One', 'Two, "x"') }),
  fc.record({ what: fc.constant('order' as const), kpi, sort_order: fc.nat(9) }),
  fc.record({ what: fc.constant('target' as const), kpi, target: fc.option(fc.nat(99)) }),
  fc.record({ what: fc.constant('person' as const), user, name: fc.constantFrom('Ann', 'Bea') }),
)

const apply = async ({ client }: User, one: Change): Promise<void> => {
  if (one.what === 'rename') await client.kpis.update(one.kpi, { name: one.name })
  else if (one.what === 'order') await client.kpis.update(one.kpi, { sort_order: one.sort_order })
  else if (one.what === 'target') {
    await client.kpis.update(one.kpi, { target_default: one.target === null ? null : BigInt(one.target) * 10_000n })
  } else if (one.what === 'person') await client.users.update(one.user, { first_name: one.name })
  else if (one.what === 'put' || one.what === 'note') {
    const key = { user_id: one.user, kpi_id: one.kpi, entry_date: FIRST + one.on }
    const value = one.what === 'put' ? { actual: BigInt(one.actual) * 100n } : { notes: one.notes }
    await client.entries.add({ ...key, ...value })
  } else {
    const all = await client.entries.list({ from: FIRST, to: FIRST + DAYS })
    const entry = all[one.at % Math.max(1, all.length)]
    if (!entry) return
    if (one.what === 'remove') return client.entries.remove(entry.id)
    const entry_date = FIRST + one.on
    const isTaken = all.some((other) => {
      return other.user_id === entry.user_id && other.kpi_id === entry.kpi_id && other.entry_date === entry_date
    })
    if (!isTaken) await client.entries.update(entry.id, { entry_date })
  }
}

/** Changes the order in which a report has the KPIs of a day, and no value. */
const OTHER_ORDER = {
  before: ([1, 2] as const).map((of) => ({ what: 'put' as const, user: 2 as const, kpi: of, on: 4, actual: 1 })),
  after: [{ what: 'order' as const, kpi: 1 as const, sort_order: 9 }],
  ending: 'csv' as const,
  hasManifest: true,
}

const RANGE = ['report', 'export', '--from', '2026-01-01', '--to', '2026-11-21']
const text = ({ folder }: User, name: string): string => readFileSync(folder.in(name), 'utf8')

const exported = async ({ kpi: run }: User, ...args: string[]): Promise<Ran> => {
  const ran = await run(...RANGE, ...args)
  if (ran.code !== 0) throw new Error(ran.stderr)
  return ran
}

describe.each([
  ['on the embedded service', embeddedUser, 12],
  ['over HTTP in the classic interface', remoteUser, 5],
  ['over HTTP in the newer interface', newerUser, 5],
  ['with a key that may only read reports', () => newerUser(['reports:read']), 3],
] as const)('%s, an export that is added to', (_name, open, numRuns) => {
  test('is what a fresh one is, whatever was changed, added or removed meanwhile', async () => {
    const drawn = fc.record({
      before: fc.array(put, { minLength: 1, maxLength: 30 }),
      after: fc.array(change, { maxLength: 12 }),
      ending: fc.constantFrom('csv', 'ndjson', 'csv.gz'),
      hasManifest: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(drawn, async ({ before, after, ending, hasManifest }) => {
        await using someone = await open()
        await fill(someone)
        // Without a manifest, a file begins with its first row.
        await apply(someone, { what: 'put', user: 2, kpi: 1, on: 0, actual: 1 })
        for (const one of before) await apply(someone, one)
        const file = `all.${ending}`
        await exported(someone, '--to', '2026-09-30', '--to-file', file, ...(hasManifest ? ['--manifest'] : []))
        for (const one of after) await apply(someone, one)
        await exported(someone, '--append-since', file)
        await exported(someone, '--to-file', `whole.${ending}`)
        expect(readFileSync(someone.folder.in(file))).toEqual(readFileSync(someone.folder.in(`whole.${ending}`)))
      }),
      { numRuns, seed: 20_261_121, examples: [[OTHER_ORDER]] },
    )
  })
})

test('asks only for the days that have changed', async () => {
  let reached: readonly string[] = []
  await using someone = await remoteUserBehind(async (url) => {
    const proxy = await faultyProxy(url, () => undefined)
    reached = proxy.reached
    return proxy.url
  })
  await fill(someone)
  for (const on of [0, 40, 80, 120]) await apply(someone, { what: 'put', user: 2, kpi: 1, on, actual: 7 })
  await exported(someone, '--append-since', 'all.csv', '--manifest')
  const days = '/api/reports/AllDataEntries/days?dateFrom=2026-01-01&dateTo=2026-11-21'
  const before = reached.length
  await exported(someone, '--append-since', 'all.csv')
  expect(reached.slice(before)).toEqual([days])
  await apply(someone, { what: 'put', user: 3, kpi: 1, on: 40, actual: 8 })
  await exported(someone, '--append-since', 'all.csv')
  const again = '/api/reports/AllDataEntries?dateFrom=2026-02-10&dateTo=2026-02-10'
  expect(reached.slice(before + 1)).toEqual([days, again])
})

describe('on a third-party service', () => {
  /** Opens a user of a service that answers as the bundled one, and does not say so. */
  const openForeign = (): Promise<User> =>
    remoteUserBehind(async (url) => {
      const unnamed: Fault = async (response, pass) => {
        const { status, headers, body } = await pass()
        const { server: _server, ...others } = headers
        whole(response, { status, headers: others, body })
      }
      return (
        await faultyProxy(
          url,
          () => unnamed,
          () => true,
        )
      ).url
    })

  const changedLongAgo = async (someone: User): Promise<void> => {
    await fill(someone)
    for (const on of [0, 200, 300]) await apply(someone, { what: 'put', user: 2, kpi: 1, on, actual: 7 })
    await apply(someone, { what: 'put', user: 2, kpi: 3, on: 181, actual: 7 })
    await exported(someone, '--append-since', 'all.csv', '--manifest')
    await apply(someone, { what: 'put', user: 3, kpi: 1, on: 200, actual: 8 })
    await apply(someone, { what: 'put', user: 2, kpi: 3, on: 185, actual: 8 })
    await exported(someone, '--to-file', 'whole.csv')
  }

  test('says from which day on a file is read again, and reads more with --look-back', async () => {
    await using someone = await openForeign()
    await changedLongAgo(someone)
    const ran = await exported(someone, '--append-since', 'all.csv')
    expect(ran.stderr).toContain(
      'rows before 2026-09-01 stay as they were: this service does not tell what has changed there; --look-back 90d and the like read them again',
    )
    expect(text(someone, 'all.csv')).not.toBe(text(someone, 'whole.csv'))
    // The day that lies 130 days back is in July, whose first day is that of a row of its month.
    const more = await exported(someone, '--append-since', 'all.csv', '--look-back', '130d')
    expect(more.stderr).toContain('rows before 2026-07-01 stay as they were')
    expect(text(someone, 'all.csv')).toBe(text(someone, 'whole.csv'))
    const all = await exported(someone, '--append-since', 'all.csv', '--look-back', '1y')
    expect(all.stderr).not.toContain('stay as they were')
  })
})

test.each([
  [['--look-back', '90d'], 'it goes with --append-since'],
  [['--append-since', 'r.csv', '--look-back', '90'], '--look-back 90 is no time; write 90d, 12w, 3m or 1y'],
  [['--append-since', 'r.csv', '--look-back', '2h'], '--look-back 2h is no time'],
])('refuses %j before it reads anything', async (args, why) => {
  await using someone = await embeddedUser()
  const ran = await someone.kpi(...RANGE, ...args)
  expect([ran.code, ran.stdout]).toEqual([2, ''])
  expect(ran.stderr).toContain(why)
})
