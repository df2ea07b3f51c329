import { expect, test } from 'vitest'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { day } from '../support/calendar.ts'
import { addCrowd } from '../support/contention/crowd.ts'
import { databases } from '../support/databases.ts'
import { carryGroupItems, putGroupItems } from '../support/group-items.ts'
import { kpiNamed } from '../support/import.ts'
import { startService, wayTo } from '../support/service.ts'

/** So many people, and as many KPIs with a target: far more pairs than entries, and more KPIs than one query takes. */
const CROWD = 2100
const REGION = 90_000
const DATE = day('2026-03-02')

// Were each pair looked up, a report would take minutes.
test.each(databases)(
  'a report of millions of pairs of people and KPIs has the few entries that there are, on %s',
  async (_, makeDatabase) => {
    await using service = await startService(undefined, makeDatabase)
    await using way = await wayTo(service)
    const { client } = way
    const { id: first } = await client.kpis.add(kpiNamed('Sales', { target_default: 50_0000n }))
    const { id: account } = await ensureDefaultAccount(service.db, 0)
    await addCrowd(service.db, account, client, first, CROWD)
    await putGroupItems(service.db, [{ id: REGION, name: 'North' }])
    const pairs = [
      { user_id: 3, kpi_id: 1, target: 10_0000n },
      { user_id: 900, kpi_id: 2000, target: null },
      { user_id: 2000, kpi_id: 7, target: 20_0000n },
    ]
    for (const { user_id, kpi_id, target } of pairs) {
      await client.assignments(user_id).add({ id: kpi_id, sort_order: 1, user_target: target })
      await client.entries.add({ user_id, kpi_id, entry_date: DATE, actual: BigInt(user_id) })
    }
    await carryGroupItems(service.db, [{ item: 900, kpi_id: 2000, entry_date: DATE, groups: [REGION] }])

    const asked = { from: DATE, to: DATE }
    const { rows } = await client.report(asked)
    expect(rows.map(({ itemId, kpiId, actual, target }) => ({ itemId, kpiId, actual, target }))).toEqual([
      { itemId: 3, kpiId: 1, actual: 3n, target: 10_0000n },
      { itemId: 2000, kpiId: 7, actual: 2000n, target: 20_0000n },
      { itemId: 900, kpiId: 2000, actual: 900n, target: 50_0000n },
    ])
    const some = await client.report({ ...asked, kpiIds: [7, 2000], userIds: [900, 2000] })
    expect(some.rows).toEqual(rows.slice(1))
    const ofRegion = await client.report({ ...asked, groupItemIds: [REGION] })
    expect(ofRegion.rows.map(({ kpiId, actual }) => ({ kpiId, actual }))).toEqual([{ kpiId: 2000, actual: 900n }])
  },
)
