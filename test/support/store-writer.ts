// A process that writes to a store: `node store-writer.ts PATH TIMES`. Each transaction counts one up in the entry of
// day 0 and adds a batch of entries; when it is on the disk, its number is printed as a line. With `held` behind, all
// of that happens in one transaction, which says so and then stays open as long as standard input does.
import { text } from 'node:stream/consumers'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { takeIds } from '../../src/store/tables/table.ts'
import type { Db, Writer } from '../../src/store/db.ts'
import { entries } from '../../src/store/tables/entries.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { entryRow, kpiRecord, insertEntries } from './store.ts'

/** So many entries take more than one statement. */
export const BATCH = 150
/** However fast the machine is, days stay within the calendar: so many of a KPI, and so many KPIs. */
const DAYS = 50_000
const KPIS = 400

const makeKpis = async (tx: Writer, account: number): Promise<void> => {
  const first = await takeIds(tx, account, 'kpis', KPIS)
  for (let id = first; id < first + KPIS; id += 1)
    await kpis.insert(tx, account, kpiRecord({ id, name: `Sales ${id}` }))
}

const step = async (tx: Writer, account: number): Promise<void> => {
  const [tally] = await entries.within(tx, account, [{ item: 1, kpi: 1, from: 0, to: 0 }])
  if (tally) await entries.update(tx, account, [{ ...tally, actual: (tally.actual ?? 0n) + 1n }])
  else {
    await makeKpis(tx, account)
    await insertEntries(tx, account, [entryRow({ id: await takeIds(tx, account, 'entries') })])
  }
  const first = await takeIds(tx, account, 'entries', BATCH)
  const ids = Array.from({ length: BATCH }, (_, index) => first + index)
  const rows = ids.map((id) => entryRow({ id, kpi_id: 1 + Math.floor(id / DAYS), entry_date: id % DAYS }))
  await insertEntries(tx, account, rows)
}

const writeEach = async (db: Db, account: number, times: number): Promise<void> => {
  for (let done = 1; done <= times; done += 1) {
    await db.write((tx) => step(tx, account))
    // What a reader that is slow has not taken would be lost with the process.
    await new Promise((resolve) => process.stdout.write(`${done}\n`, resolve))
  }
}

const holdAll = (db: Db, account: number, times: number): Promise<void> =>
  db.write(async (tx) => {
    for (let done = 1; done <= times; done += 1) await step(tx, account)
    process.stdout.write('held\n')
    await text(process.stdin)
  })

if (import.meta.main) {
  const [path = '', times = '1', held] = process.argv.slice(2)
  const db = await openStore(path)
  const { id: account } = await ensureDefaultAccount(db, 0)
  await (held === undefined ? writeEach : holdAll)(db, account, Number(times))
  await db.close()
}
