import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { users } from '../../src/store/tables/users.ts'
import { startService, wayTo } from '../support/service.ts'
import { entryRow, kpiRecord, userRecord, insertEntries } from '../support/store.ts'

const [ACCOUNT, USERS, DAYS] = [1, 40, 4000]

/** How many of the users have an entry on each day: on some days all, mostly few, then none for a long time. */
const someDays = fc.array(fc.oneof(fc.constantFrom(0, 0, 1, USERS), fc.nat(USERS)), { minLength: 1, maxLength: 60 })
const someStart = fc.integer({ min: 0, max: DAYS - 60 })

test('all entries of any range come once and in order, in few requests', async () => {
  await using service = await startService()
  await service.db.write(async (tx) => {
    await kpis.insert(tx, ACCOUNT, kpiRecord())
    for (let id = 2; id < USERS + 2; id += 1) {
      await users.insert(tx, ACCOUNT, userRecord({ id, email: `user${id}@example.com` }))
    }
  })
  await using way = await wayTo(service)
  const { client } = way
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(someStart, someDays), { maxLength: 3 }), async (stretches) => {
      const keys = new Set<number>()
      for (const [start, counts] of stretches) {
        counts.forEach((count, at) => {
          for (let user = 0; user < count; user += 1) keys.add((start + at) * USERS + user)
        })
      }
      const sorted = [...keys].sort((left, right) => left - right)
      await service.db.write(async (tx) => {
        await tx.run('delete from entries')
        const rows = sorted.map((key, at) => ({
          id: at + 1,
          item_id: (key % USERS) + 2,
          entry_date: Math.floor(key / USERS),
        }))
        await insertEntries(tx, ACCOUNT, rows.map(entryRow))
      })
      const before = client.requests()
      const pages = await Array.fromAsync(entryPages(client, { from: 0, to: DAYS }))
      expect(pages.flat().map(({ user_id, entry_date }) => entry_date * USERS + (user_id ?? 0) - 2)).toEqual(sorted)
      expect(client.requests() - before).toBeLessThanOrEqual(Math.ceil(sorted.length / 500) * 2 + 12)
    }),
    { numRuns: 60 },
  )
})

test('entries that are stored while they are read hinder nobody, and none comes twice', async () => {
  await using service = await startService()
  await service.db.write(async (tx) => {
    await kpis.insert(tx, ACCOUNT, kpiRecord())
    for (let id = 2; id < 1502; id += 1) {
      await users.insert(tx, ACCOUNT, userRecord({ id, email: `user${id}@example.com` }))
    }
    const rows = Array.from({ length: 1200 }, (_, at) => ({ id: 1000 + at, item_id: 302 + at, entry_date: 5 }))
    await insertEntries(tx, ACCOUNT, rows.map(entryRow))
  })
  await using way = await wayTo(service)
  const client = { ...way.client, isBundled: () => false }
  const ids: number[] = []
  for await (const page of entryPages(client, { from: 0, to: DAYS })) {
    const isFirst = ids.length === 0
    ids.push(...page.map(({ id }) => id))
    if (!isFirst) continue
    const rows = page.map((_, at) => ({ id: at + 1, item_id: at + 2, entry_date: 4 }))
    await service.db.write((tx) => insertEntries(tx, ACCOUNT, rows.map(entryRow)))
  }
  expect(ids.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 1200 }, (_, at) => 1000 + at))
})
