import { beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { EntryDraft } from '../../src/domain/resources/entry.ts'
import { databases } from '../support/databases.ts'
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
      const rows = await tx.all('select * from entry_items order by item_id, kpi_id, entry_date, group_item_id')
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

  test('a refused batch leaves nothing behind', async () => {
    await expect(client.entries.addMany([draft(), draft({ kpi_id: 99 })])).rejects.toMatchObject({ code: 'invalid' })
    expect(await carried()).toEqual([])
  })
})
