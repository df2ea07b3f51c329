import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { blockOf } from '../../src/domain/entry-block.ts'
import { KpiError } from '../../src/domain/errors.ts'
import type { BatchResult, EntryDraft } from '../../src/domain/resources/entry.ts'
import { type EntryValues, faultsOfValues, mergeEntry, sameValues } from '../../src/domain/rules.ts'
import { databases } from '../support/databases.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { servedTo, type Service, startService, type Way, wayTo } from '../support/service.ts'

const [ANN, BOB] = [2, 3]
/** Of the KPIs, the first has no target, the second has one. */
const KPIS = [{ target_default: null }, { target_default: 100n }]
const FIRST = 20_000

const decimal = fc.oneof(
  fc.bigInt({ min: -50_000n, max: 50_000n }),
  fc.constantFrom(0n, 2n ** 53n + 1n, 10n ** 18n - 1n, -(10n ** 18n) + 1n),
)
const value = fc.option(decimal, { nil: null })
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })

const row: fc.Arbitrary<EntryDraft> = fc
  .record({
    user_id: fc.constantFrom(ANN, BOB),
    kpi_id: fc.constantFrom(1, 2),
    day: fc.nat(3),
    actual: maybe(value),
    target: maybe(value),
    notes: maybe(fc.constantFrom(null, 'a', 'b')),
    addToActual: fc.boolean(),
  })
  .map(({ user_id, kpi_id, day, actual, target, notes, addToActual }) => ({
    user_id,
    kpi_id,
    entry_date: FIRST + day,
    ...(actual !== undefined && { actual }),
    ...(target !== undefined && { target }),
    ...(notes !== undefined && { notes }),
    ...(addToActual && { addToActual }),
  }))

/** The ways in which a batch comes: as columns, as drafts of this process, or as JSON. */
type Sending = 'block' | 'drafts' | 'json'
const way = fc.constantFrom<Sending>('block', 'drafts', 'json')
const batches = fc.array(fc.tuple(fc.array(row, { minLength: 1, maxLength: 12 }), way), { minLength: 1, maxLength: 5 })

const keyOf = ({ user_id, kpi_id, entry_date }: EntryDraft): string => `${user_id}/${kpi_id}/${entry_date}`

/** Applies rows one after the other, each by the rules; returns the counts, or the places of the rows that are refused. */
const applyOneByOne = (held: Map<string, EntryValues>, list: readonly EntryDraft[]): BatchResult | number[] => {
  const next = new Map(held)
  const counts = { created: 0, updated: 0, unchanged: 0 }
  const refused: number[] = []
  for (const [at, draft] of list.entries()) {
    const kpi = KPIS[draft.kpi_id - 1] ?? { target_default: null }
    const before = next.get(keyOf(draft))
    const after = mergeEntry(before, draft, kpi)
    if (faultsOfValues(after, kpi).length > 0) {
      refused.push(at)
      continue
    }
    counts[before ? (sameValues(before, after) ? 'unchanged' : 'updated') : 'created'] += 1
    next.set(keyOf(draft), after)
  }
  if (refused.length > 0) return refused
  for (const [key, values] of next) held.set(key, values)
  const { created, updated, unchanged } = counts
  return {
    rows_added: created + updated,
    rows_created: created,
    rows_updated: updated,
    rows_unchanged: unchanged,
  }
}

describe.each(databases)('batches on %s', (_, makeDatabase) => {
  let service: Service
  let here: Client
  let served: Way
  beforeAll(async () => {
    service = await startService(NOW, makeDatabase)
    here = (await wayTo(service)).client
    served = await servedTo(service, 'classic')
    for (const [at, { target_default }] of KPIS.entries())
      await here.kpis.add(kpiNamed(`KPI ${at}`, { target_default }))
    for (const name of ['Ann', 'Bob']) {
      const { id } = await here.users.add(userNamed(name))
      for (const kpi of [1, 2]) await here.assignments(id).add({ id: kpi, sort_order: kpi })
    }
  })
  afterAll(async () => {
    await served[Symbol.asyncDispose]()
  })

  const send = async (list: readonly EntryDraft[], way: Sending): Promise<BatchResult | number[]> => {
    try {
      if (way === 'json') return (await served.client.entries.putMany(list)).counts
      return (await here.entries.putMany(way === 'block' ? blockOf(list) : list)).counts
    } catch (error) {
      if (!(error instanceof KpiError)) throw error
      return [...new Set(error.issues.map(({ index = -1 }) => index))]
    }
  }

  test('come to the same as their rows one by one, in whatever order and way they are sent', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (sent) => {
        await service.db.write((tx) => tx.run('delete from entries'))
        const held = new Map<string, EntryValues>()
        for (const [list, way] of sent) expect(await send(list, way)).toEqual(applyOneByOne(held, list))
        const stored = await service.db.read((tx) => tx.all('select * from entries'))
        const found = stored.map(({ item_id, kpi_id, entry_date, actual, target, notes }) => [
          `${item_id}/${kpi_id}/${entry_date}`,
          { actual, target, notes },
        ])
        expect(Object.fromEntries(found)).toEqual(Object.fromEntries(held))
      }),
      { numRuns: 60 },
    )
  })
})
