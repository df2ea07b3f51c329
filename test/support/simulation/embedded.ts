import { embeddedTransport } from '../../../src/cli/embedded.ts'
import { type Client, createClient } from '../../../src/client/client.ts'
import { formatDay, parseDay } from '../../../src/domain/day.ts'
import type { FaultyAccount, Kept } from '../faulty/account.ts'
import { kpiNamed, userNamed } from '../import.ts'
import { NOW } from '../io.ts'

const withStore = async <T>(dataDir: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = createClient(await embeddedTransport(dataDir, () => NOW))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

const draftOf = ({ user, kpi, date, actual, target, notes }: Kept) => ({
  user_id: user,
  kpi_id: kpi,
  entry_date: parseDay(date) ?? 0,
  actual,
  target,
  notes,
})

/** Makes in a fresh embedded store what an account of a simulation holds. */
export const fillStore = (dataDir: string, { kpis, users, entries }: FaultyAccount): Promise<void> =>
  withStore(dataDir, async (client) => {
    const pairs = new Set(users.flatMap((user) => user.kpis.map((kpi) => `${user.id} ${kpi}`)))
    for (const { name, target } of kpis) await client.kpis.add(kpiNamed(name, { target_default: target }))
    for (const { name } of users) await client.users.add(userNamed(name))
    for (const user of users) {
      for (const { id } of kpis) await client.assignments(user.id).add({ id, sort_order: id })
    }
    if (entries.length > 0) await client.entries.addMany(entries.map(draftOf))
    for (const user of users) {
      for (const { id } of kpis) if (!pairs.has(`${user.id} ${id}`)) await client.assignments(user.id).remove(id)
      if (user.isLocked) await client.users.update(user.id, { user_status_id: 'L' })
    }
    for (const { id, isActive } of kpis) if (!isActive) await client.kpis.update(id, { is_active: false })
  })

/** What an embedded store holds. */
export const entriesInStore = (dataDir: string): Promise<readonly Kept[]> =>
  withStore(dataDir, async (client) => {
    const kept: Kept[] = []
    for (let page = 1; ; page += 1) {
      const list = await client.entries.list({
        from: parseDay('1900-01-01') ?? 0,
        to: parseDay('2199-12-31') ?? 0,
        page,
      })
      for (const { id, user_id, kpi_id, entry_date, actual, target, notes } of list) {
        kept.push({ id, user: user_id ?? 0, kpi: kpi_id, date: formatDay(entry_date), actual, target, notes })
      }
      if (list.length < 500) return kept
    }
  })
