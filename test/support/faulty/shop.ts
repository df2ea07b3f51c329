import { mkdirSync, writeFileSync } from 'node:fs'
import type { Folder } from '../folder.ts'
import { slidingLimiter } from '../limiters.ts'
import type { Interruption } from '../simulation/job.ts'
import { type Ended, runIn } from '../simulation/run.ts'
import { bytesFrom, environmentOf } from '../simulation/simulate.ts'
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts'
import type { Kept } from './account.ts'
import { kinds } from './kinds.ts'
import { type FaultyService, faultyService } from './service.ts'
import type { Trouble } from './trouble.ts'

/** The days for which the shop holds entries: 1, 2 and 3 of Ann's sales. */
export const DATES = ['2026-03-01', '2026-03-02', '2026-03-03']
const ENTRIES: readonly Kept[] = DATES.map((date, at) => ({
  id: at + 1,
  user: 2,
  kpi: 1,
  date,
  actual: BigInt(at + 1) * 10_000n,
  target: null,
  notes: null,
}))

/** A file with an actual of Ann's sales for each day. */
export const salesOf = (days: Readonly<Record<string, number>>): string =>
  `user,kpi,date,actual\n${Object.entries(days)
    .map(([date, actual]) => `2,1,${date},${actual}\n`)
    .join('')}`

/** A service that things go wrong with, and machines beside it. */
export type FaultyShop = {
  readonly service: FaultyService
  readonly clock: VirtualClock
  /** What becomes of the requests from now on, one after another; only writes, unless all are meant. */
  readonly fail: (troubles: readonly (Trouble | undefined)[], what?: 'writes' | 'all') => void
  /** Returns what runs commands on a machine of its own, where `data.csv` holds a text. */
  readonly createMachine: (text: string) => (args: readonly string[], cut?: Interruption) => Promise<Ended>
  /** The actuals of all entries, by their days. */
  readonly actuals: () => Record<string, number>
}

/** Opens a service of a kind. */
export const openFaultyShop = (kindName: string, folder: Folder, entries: readonly Kept[] = ENTRIES): FaultyShop => {
  const kind = kinds.find(({ name }) => name === kindName)
  if (!kind) throw new Error(`there is no kind ${kindName}`)
  const clock = createVirtualClock()
  let [left, ofAll]: [(Trouble | undefined)[], boolean] = [[], false]
  const service = faultyService({
    kind,
    account: {
      kpis: [{ id: 1, name: 'Sales', target: null, isActive: true }],
      users: [{ id: 2, name: 'Ann', isLocked: false, kpis: [1] }],
      entries,
    },
    troubles: (isWrite) => (isWrite || ofAll ? left.shift() : undefined),
    limiter: slidingLimiter(600),
    telling: { headers: 'none', status: 403, retryAfter: 'seconds' },
    latencyMs: () => 10,
  })
  let homes = 0
  const newHome = (): string => folder.in(`home-${(homes += 1)}`)
  const machine = { env: environmentOf({ kind }), clock, service, newHome, random: bytesFrom(0) }
  return {
    service,
    clock,
    fail: (troubles, what = 'writes') => {
      left = [...troubles]
      ofAll = what === 'all'
    },
    createMachine: (text) => {
      let home = newHome()
      mkdirSync(home)
      writeFileSync(`${home}/data.csv`, text)
      return async (args, cut) => {
        const ended = await clock.run(() => runIn(machine, home, args, cut))
        home = ended.home
        return ended
      }
    },
    actuals: () =>
      Object.fromEntries(
        service
          .entries()
          .toSorted((one, other) => one.date.localeCompare(other.date))
          .map(({ date, actual }) => [date, Number(actual) / 10_000]),
      ),
  }
}
