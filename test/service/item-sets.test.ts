import { beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { EntryDraft } from '../../src/domain/resources/entry.ts'
import { databases } from '../support/databases.ts'
import { checkStore } from '../../src/service/check-store.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { type Service, startService, wayTo } from '../support/service.ts'

const [ANN, BOB, NORTH, SOUTH] = [2, 3, 4, 5]
const DAY = 20_000

describe.each(databases)('on %s', (_, makeDatabase) => {
  let service: Service
  let client: Client

  /** Ann has North, Bob has South; both report KPI 1 and 2. */
  beforeEach(async () => {
    service = await startService(NOW, makeDatabase)
    client = (await wayTo(service)).client
    for (const name of ['Revenue', 'Visits']) await client.kpis.add(kpiNamed(name))
    for (const name of ['Ann', 'Bob']) {
      const { id } = await client.users.add(userNamed(name))
      for (const kpi of [1, 2]) await client.assignments(id).add({ id: kpi, sort_order: kpi })
    }
    const { id: group } = await client.groups.add({ name: 'Region' })
    for (const name of ['North', 'South']) await client.groupItems(group).add({ name })
    await client.userGroupItems(ANN).add({ id: NORTH })
    await client.userGroupItems(BOB).add({ id: SOUTH })
    return () => service[Symbol.asyncDispose]()
  })

  /** What entries carry, as `user KPI day item`. */
  const carried = (): Promise<string[]> =>
    service.db.read(async (tx) => {
      const rows = await tx.all(
        `select e.item_id, e.kpi_id, e.entry_date, m.group_item_id from entries e
         join item_set_members m on m.account_id = e.account_id and m.set_id = e.item_set
         order by e.item_id, e.kpi_id, e.entry_date, m.group_item_id`,
      )
      return rows.map(({ item_id, kpi_id, entry_date, group_item_id }) =>
        [item_id, kpi_id, Number(entry_date) - DAY, group_item_id].join(' '),
      )
    })

  const draft = (fields: Partial<EntryDraft> = {}): EntryDraft => ({
    user_id: ANN,
    kpi_id: 1,
    entry_date: DAY,
    actual: 1n,
    ...fields,
  })

  describe('an entry', () => {
    test('carries what its user had when it was made, whatever becomes of the user', async () => {
      await client.entries.add(draft())
      await client.userGroupItems(ANN).add({ id: SOUTH })
      await client.entries.add(draft({ entry_date: DAY + 1 }))
      await client.userGroupItems(ANN).remove(NORTH)
      await client.entries.add(draft({ actual: 2n }))
      await client.entries.add(draft({ entry_date: DAY + 2 }))
      expect(await carried()).toEqual(['2 1 0 4', '2 1 1 4', '2 1 1 5', '2 1 2 5'])
    })

    test('in a batch too, those that are updated as they were', async () => {
      await client.entries.add(draft())
      await client.userGroupItems(ANN).add({ id: SOUTH })
      await client.entries.addMany([
        draft({ actual: 5n }),
        draft({ user_id: BOB }),
        draft({ entry_date: DAY + 1 }),
        draft({ kpi_id: 2 }),
      ])
      expect(await carried()).toEqual(['2 1 0 4', '2 1 1 4', '2 1 1 5', '2 2 0 4', '2 2 0 5', '3 1 0 5'])
    })

    test('of a user who has none carries none', async () => {
      await client.userGroupItems(ANN).remove(NORTH)
      await client.entries.addMany([draft(), draft({ kpi_id: 2 })])
      expect(await carried()).toEqual([])
    })

    test('does not carry what is archived; one that did goes on to', async () => {
      await client.entries.add(draft())
      await service.db.write((tx) => tx.run('update items set is_archived = 1 where id = ?', [NORTH]))
      await client.entries.add(draft({ kpi_id: 2 }))
      await client.entries.add(draft({ actual: 9n }))
      expect(await carried()).toEqual(['2 1 0 4'])
    })

    test('that is given to another user carries what that one has now', async () => {
      const { id } = await client.entries.add(draft())
      await client.userGroupItems(BOB).add({ id: NORTH })
      await client.entries.update(id, { user_id: BOB })
      expect(await carried()).toEqual(['3 1 0 4', '3 1 0 5'])
      await client.userGroupItems(BOB).remove(SOUTH)
      await client.entries.update(id, { user_id: BOB, actual: 7n })
      expect(await carried()).toEqual(['3 1 0 4', '3 1 0 5'])
    })

    test('keeps what it carries when only its KPI or date moves', async () => {
      const { id } = await client.entries.add(draft())
      await client.userGroupItems(ANN).add({ id: SOUTH })
      await client.entries.update(id, { kpi_id: 2, entry_date: DAY + 3 })
      expect(await carried()).toEqual(['2 2 3 4'])
    })

    test('that is removed, or whose KPI is, leaves nothing behind', async () => {
      const { id } = await client.entries.add(draft())
      await client.entries.add(draft({ kpi_id: 2 }))
      await client.entries.remove(id)
      expect(await carried()).toEqual(['2 2 0 4'])
      await client.kpis.remove(2)
      expect(await carried()).toEqual([])
    })
  })

  test('entries that carry the same share one set, whoever they are of and when they were made', async () => {
    const sets = (): Promise<number> =>
      service.db.read(async (tx) => Number((await tx.all('select count(*) as sets from item_sets'))[0]?.['sets']))
    await client.userGroupItems(BOB).add({ id: NORTH })
    await client.userGroupItems(ANN).add({ id: SOUTH })
    await client.entries.addMany([draft(), draft({ kpi_id: 2 }), draft({ user_id: BOB })])
    await client.entries.remove(1)
    await client.entries.add(draft())
    expect(await sets()).toBe(1)
    await client.userGroupItems(ANN).remove(SOUTH)
    await client.entries.add(draft({ entry_date: DAY + 1 }))
    expect(await sets()).toBe(2)
  })

  test('a group item goes with the sets that no entry carries any more', async () => {
    const { id } = await client.entries.add(draft())
    await expect(client.groupItems(2).remove(NORTH)).rejects.toMatchObject({ code: 'conflict' })
    await client.entries.remove(id)
    await client.groupItems(2).remove(NORTH)
    expect(await checkStore(service.db, undefined)).toMatchObject({ faults: [] })
  })

  test('a user has at most a thousand group items', async () => {
    await service.db.write(async (tx) => {
      const columns = 'account_id, id, breakdown_id, name, user_id, is_archived, sort_order, created_at, updated_at'
      for (let id = 1001; id <= 1999; id += 1) {
        await tx.run(`insert into items (${columns}) values (1, ?, 2, 'x', null, 0, 1, 0, 0)`, [id])
        await tx.run('insert into user_items (account_id, user_id, id, created_at) values (1, ?, ?, 0)', [ANN, id])
      }
    })
    await expect(client.userGroupItems(ANN).add({ id: SOUTH })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has 1000 group items, the most there may be; remove one first'),
    })
    await client.entries.add(draft())
    expect(await carried()).toHaveLength(1000)
  })

  test('a refused batch leaves nothing behind', async () => {
    await expect(client.entries.addMany([draft(), draft({ kpi_id: 99 })])).rejects.toMatchObject({ code: 'invalid' })
    expect(await carried()).toEqual([])
  })
})
