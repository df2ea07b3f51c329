import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../../src/client/client.ts'
import { httpTransport } from '../../../src/client/http/http-transport.ts'
import { entryPages } from '../../../src/client/operations/entry-pages.ts'
import type { EntryDraft } from '../../../src/domain/resources/entry.ts'
import { VARIANTS } from '../../../src/domain/variants.ts'
import { ON_CONFLICT } from '../../../src/reading/options/options.ts'
import { compareKeys, keyOf, ownerOf, storedKey } from '../../../src/domain/entry-key.ts'
import { fetchReference, type Reference } from '../../../src/reading/directory/reference.ts'
import { addEntry, type ExistingEntry, readExisting } from '../../../src/loading/existing/existing-entries.ts'
import { prefetchExisting, type PrefetchOptions } from '../../../src/loading/existing/prefetch.ts'
import { requestsForReport } from '../../../src/loading/existing/read-report.ts'
import { planAction } from '../../../src/loading/existing/planned-action.ts'
import type { Handler } from '../../../src/server/wire.ts'
import { type Folder, temporaryFolder } from '../../support/folder.ts'
import { kpiNamed, userNamed } from '../../support/import.ts'
import { servedTo, type Service, startService, textOf, wayTo } from '../../support/service.ts'

const [ALL, START, SPAN] = [{ from: -20_000, to: 60_000 }, 20_000, 400]
const OWNERS = { classic: [2, 3, 4], v1: [-6, -5, 2, 3] } as const

/** Daily ones without and with a target, one that is averaged, and such as are measured less often. */
const KPIS = [
  kpiNamed('Plain'),
  kpiNamed('Aimed', { target_default: 10_0000n }),
  kpiNamed('Weekly', { frequency_id: 'W', target_default: 10_0000n }),
  kpiNamed('Monthly', { frequency_id: 'M' }),
  kpiNamed('Averaged', { aggregate_function: 'AVG', target_default: 5_0000n }),
]

const fill = async (application: Client): Promise<void> => {
  for (const draft of KPIS) await application.kpis.add(draft)
  for (const name of ['Ann', 'Bob', 'Lou']) await application.users.add(userNamed(name))
  const { id } = await application.groups.add({ name: 'Regions' })
  for (const name of ['North', 'South']) await application.groupItems(id).add({ name })
  for (const user of [2, 3, 4]) {
    for (let kpi = 1; kpi <= KPIS.length; kpi += 1) {
      // Ann has targets of her own.
      const own = user === 2 && [2, 5].includes(kpi) ? { user_target: 7_0000n } : {}
      await application.assignments(user).add({ id: kpi, sort_order: kpi, ...own })
    }
  }
}

const numbers = (values: readonly bigint[]): fc.Arbitrary<bigint | null> => fc.constantFrom(null, ...values)
const TARGETS = [5_0000n, 7_0000n, 10_0000n]

type Given = Pick<EntryDraft, 'actual' | 'target' | 'notes'>

/** Keys, some of which are stored and some of which a file gives, with values that are often the same. */
const keysOf = (owners: readonly number[]): fc.Arbitrary<{ stored: EntryDraft[]; drafts: EntryDraft[] }> => {
  const [actual, target] = [numbers([1_0000n]), numbers(TARGETS)]
  const notes = fc.constantFrom(null, 'n', 'one\ntwo')
  const stored = fc.record({ actual: fc.constant(1_0000n), target, notes })
  const draft = fc.record({ actual, target, notes }, { requiredKeys: [] })
  const one = fc.record({
    owner: fc.constantFrom(...owners),
    kpi_id: fc.integer({ min: 1, max: KPIS.length }),
    entry_date: fc.oneof(fc.nat(5), fc.nat(SPAN)).map((day) => START + day),
    stored: fc.option(stored, { freq: 5 }),
    draft: fc.option(draft, { freq: 5 }),
  })
  type One = typeof one extends fc.Arbitrary<infer T> ? T : never
  const pick = (list: readonly One[], of: (one: One) => Given | null): EntryDraft[] =>
    list.flatMap((each) => {
      const { owner, kpi_id, entry_date } = each
      const [values, whose] = [of(each), owner < 0 ? { source_id: -owner } : { user_id: owner }]
      return values ? [{ ...whose, kpi_id, entry_date, ...values }] : []
    })
  const keyOfOne = ({ owner, kpi_id, entry_date }: One): string => storedKey(owner, kpi_id, entry_date)
  return fc.uniqueArray(one, { minLength: 20, maxLength: 60, selector: keyOfOne }).map((list) => ({
    stored: pick(list, (each) => each.stored),
    drafts: pick(list, (each) => each.draft).toSorted((left, right) => compareKeys(keyOf(left), keyOf(right))),
  }))
}

const everything = async (client: Client): Promise<Map<string, ExistingEntry>> => {
  const stored = new Map<string, ExistingEntry>()
  for await (const page of entryPages(client, ALL)) {
    for (const entry of page) {
      const key = storedKey(ownerOf(entry), entry.kpi_id, entry.entry_date)
      stored.set(key, addEntry(stored.get(key), entry))
    }
  }
  return stored
}

describe.each(VARIANTS)('what is stored, read ahead through %s,', (variant) => {
  let service: Service
  let client: Client
  let newer: Client
  let reference: Reference
  let folder: Folder
  beforeAll(async () => {
    service = await startService()
    folder = temporaryFolder()
    const way = await wayTo(service, variant)
    ;({ client, newer } = way)
    await fill(way.application)
    reference = await fetchReference(client, { createAssignments: false, sources: variant === 'v1' })
    await reference.fetchAssignments([2, 3, 4])
  })
  afterAll(async () => {
    folder[Symbol.dispose]()
    await service[Symbol.asyncDispose]()
  })

  test('comes to the same verdicts from the report and from the list of entries as from looking at every entry', async () => {
    const owners = OWNERS[variant]
    await fc.assert(
      fc.asyncProperty(
        keysOf(owners),
        fc.constantFrom(...ON_CONFLICT),
        fc.nat(4),
        async ({ stored, drafts }, onConflict, failsAt) => {
          await service.db.write((tx) => tx.run('delete from entries'))
          if (stored.length > 0) await newer.entries.addMany(stored)
          const known = await everything(client)
          const plan = (draft: EntryDraft, found: ExistingEntry | undefined): string =>
            planAction(draft, found, reference, onConflict).action
          const expected = drafts.map((draft) => plan(draft, known.get(storedKey(...keyOf(draft)))))
          for (const source of ['pages', 'report', undefined] as const) {
            const isUnsure: PrefetchOptions['isUnsure'] = (draft, found) => plan(draft, found) === 'send'
            let calls = 0
            const ahead = prefetchExisting({
              client,
              reference,
              folder: folder.path,
              drafts: () => {
                calls += 1
                if (calls === failsAt) throw new Error('it fails once')
                return [drafts]
              },
              isUnsure,
              ...(source && { source }),
            })
            const middle = Math.floor(drafts.length / 2)
            // What is asked for may begin anew, and leave some out; after a failure all is read again.
            await ahead.of(drafts.slice(middle)).catch(() => undefined)
            const [one, other] = [await ahead.of(drafts.slice(0, middle)), await ahead.of(drafts.slice(middle))]
            const found = new Map([...(one ?? []), ...(other ?? [])])
            expect(drafts.map((draft) => plan(draft, found.get(storedKey(...keyOf(draft)))))).toEqual(expected)
            ahead.close()
          }
          const now = await readExisting(client, reference).of(drafts)
          expect(drafts.map((draft) => plan(draft, now?.get(storedKey(...keyOf(draft)))))).toEqual(expected)
        },
      ),
      { numRuns: 50 },
    )
  })

  test.each<[what: string, change: (report: string) => string]>([
    ['has no period', (report) => report.replaceAll(/"periodId":"D",?/g, '')],
    ['has a foreign form of dates', (report) => report.replaceAll(/"(\d{4})-(\d\d)-(\d\d)"/g, '"$3.$2.$1"')],
    ['has its rows twice', (report) => report.replace(/^\[(.*)\]$/s, '[$1,$1]')],
  ])('comes from the list of entries where the report %s', async (_, change) => {
    await service.db.write((tx) => tx.run('delete from entries'))
    const drafts = [2, 3].map((user_id) => ({ user_id, kpi_id: 1, entry_date: START, actual: 5_0000n }))
    await newer.entries.addMany(drafts)
    const handler: Handler = async (request) => {
      const answer = await service.handler(request)
      if (!request.target.includes('/reports/')) return answer
      changed.push(change(textOf(answer.body)))
      return { ...answer, body: changed.at(-1) ?? '' }
    }
    const changed: string[] = []
    await using way = await servedTo({ ...service, handler }, variant)
    const isUnsure = (): boolean => false
    const options = { client: way.client, reference, folder: folder.path, isUnsure, source: 'report' } as const
    const ahead = prefetchExisting({ ...options, drafts: () => [drafts] })
    const found = await ahead.of(drafts)
    ahead.close()
    expect([...(found?.values() ?? [])].map(({ actual }) => actual)).toEqual([5_0000n, 5_0000n])
    expect(changed).not.toEqual([])
  })
})

test.each<[what: string, requests: number, days: number[], pairs: number, drafts: number]>([
  ['days that fill an answer', 1, [0, 1], 10_000, 4000],
  ['days that are too much for one', 2, [0, 1], 10_000, 4001],
  ['one more than fill an answer', 2, [0, 1, 2], 10_000, 4000],
  ['days between them, as full as they are', 1, [0, 5], 10_000, 1000],
  ['more days between them', 2, [0, 8], 10_000, 1000],
  ['so many keys that no more rows can be', 1, [0, 8], 1000, 1000],
  ['as many keys as an answer has rows', 2, [0, 9], 1000, 1000],
])('a report of %s takes %i requests as far as is known', (_, requests, days, pairs, drafts) => {
  const extent = { from: 0, to: 0, count: 0 }
  const ids = (count: number) => new Map(Array.from({ length: count }, (__, id) => [id, extent]))
  const [owners, kpis] = [ids(pairs / 10), ids(10)]
  const wanted = { owners, kpis, series: pairs, count: drafts * days.length }
  expect(requestsForReport({ ...wanted, days: new Map(days.map((one) => [START + one, drafts])) })).toBe(requests)
})

type ForeignEntry = {
  readonly id: number
  readonly user: number
  readonly kpi: number
  readonly date: string
  readonly actual: number
}

/** A classic service of somebody else that answers a list of entries as a test says. */
const foreignClient = (answer: (query: Readonly<Record<string, string>>) => readonly ForeignEntry[]): Client => {
  const body = (list: readonly ForeignEntry[]): string =>
    JSON.stringify(
      list.map(({ id, user, kpi, date, actual }) => ({
        id,
        user_id: user,
        kpi_id: kpi,
        entry_date: date,
        actual,
        target: null,
        notes: null,
        created_at: '2026-01-01T00:00:00',
        updated_at: '2026-01-01T00:00:00',
      })),
    )
  return createClient(
    httpTransport({
      baseUrl: new URL('https://kpi.example.com/api'),
      login: 'ann@example.com',
      token: 'theirs',
      timeoutMs: 1000,
      now: () => 0,
      exchange: {
        ask: ({ query }) => Promise.resolve({ status: 200, header: () => undefined, body: body(answer(query)) }),
        close: () => Promise.resolve(),
      },
    }),
  )
}

const READABLE = { unchecked: new Set<never>() }
const at = (user_id: number, kpi_id: number, entry_date: number): EntryDraft => ({ user_id, kpi_id, entry_date })
const onDay = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

describe('a service of somebody else', () => {
  test('may hold several entries for a key: the latest counts, and all are told', async () => {
    const same = { user: 2, kpi: 1, date: onDay(START) }
    const client = foreignClient(() => [
      { id: 9, actual: 3, ...same },
      { id: 5_000_000_000, actual: 4, ...same },
      { id: 7, actual: 1, ...same },
    ])
    const drafts = [at(2, 1, START)]
    using folder = temporaryFolder()
    const reference = await fetchReference(
      foreignClient(() => []),
      { createAssignments: false, sources: false },
    )
    const ahead = prefetchExisting({
      client,
      reference,
      folder: folder.path,
      drafts: () => [drafts],
      isUnsure: () => false,
    })
    for (const existing of [readExisting(client, READABLE), ahead]) {
      expect((await existing.of(drafts))?.get(storedKey(2, 1, START))).toMatchObject({
        actual: 4_0000n,
        target: null,
        notes: null,
        ids: [7, 9, 5_000_000_000],
        isTargetOpen: false,
      })
    }
    ahead.close()
  })

  test('may not know the filters, of users, KPIs or days: what was not asked for is left out, and read once', async () => {
    const held = Array.from({ length: 1200 }, (_, index) => ({
      id: index + 1,
      user: (index % 3) + 1,
      kpi: 1,
      date: onDay(START + Math.floor(index / 3)),
      actual: index,
    }))
    const client = foreignClient(({ page }) => held.slice((Number(page) - 1) * 500, Number(page) * 500))
    const drafts = [at(2, 1, START + 200), at(2, 1, START + 201), at(3, 2, START + 200)]
    const stored = await readExisting(client, READABLE).of(drafts)
    expect(drafts.map((draft) => stored?.get(storedKey(...keyOf(draft)))?.actual)).toEqual([
      601_0000n,
      604_0000n,
      undefined,
    ])
    expect(stored?.size).toBeLessThanOrEqual(4)
    expect(client.requests()).toBe(3)
  })

  test('that answers the same page for ever is told so, not asked for ever', async () => {
    const page = Array.from({ length: 500 }, (_, index) => ({
      id: index + 1,
      user: index + 1,
      kpi: 1,
      date: onDay(START),
      actual: 1,
    }))
    const client = foreignClient(() => page)
    await expect(readExisting(client, READABLE).of([at(2, 1, START), at(3, 2, START)])).rejects.toThrow(
      'answers the same page of entries again and again',
    )
    expect(client.requests()).toBe(3)
  })

  test('is asked for one series at a time only where it holds too much beside what is wanted', async () => {
    const day = onDay(START)
    const held = Array.from({ length: 5000 }, (_, index) => ({
      id: index + 1,
      user: index + 1,
      kpi: 1,
      date: day,
      actual: 1,
    }))
    const client = foreignClient(({ page, userid }) =>
      held
        .filter(({ user }) => userid === undefined || user === Number(userid))
        .slice((Number(page) - 1) * 500, Number(page) * 500),
    )
    const few = await readExisting(client, READABLE).of([at(7, 1, START), at(4000, 1, START)])
    expect([few?.size, client.requests()]).toEqual([2, 5])
    const before = client.requests()
    const many = await readExisting(client, READABLE).of(
      Array.from({ length: 300 }, (_, index) => at(index * 10 + 1, 1, START)),
    )
    expect([many?.size, client.requests() - before]).toEqual([300, 11])
  })
})
