import { mkdirSync, writeFileSync } from 'node:fs'
import type { TextRequest } from '../../../src/client/http/network-exchange.ts'
import type { FaultyAccount } from '../faulty/account.ts'
import type { Kind } from '../faulty/kinds.ts'
import { type FaultyService, faultyService, type Served } from '../faulty/service.ts'
import { LOSSES, type Troubles } from '../faulty/trouble.ts'
import type { Folder } from '../folder.ts'
import { slidingLimiter } from '../limiters.ts'
import { createRandom } from '../random.ts'
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts'
import { dateOf } from './days.ts'
import { type Ended, runIn } from './run.ts'
import { bytesFrom, environmentOf } from './simulate.ts'

const USERS = 10
const KPIS = 10

const account: FaultyAccount = {
  kpis: Array.from({ length: KPIS }, (_, at) => ({ id: at + 1, name: `K${at + 1}`, target: null, isActive: true })),
  users: Array.from({ length: USERS }, (_, at) => ({
    id: at + 2,
    name: `U${at + 2}`,
    isLocked: false,
    kpis: Array.from({ length: KPIS }, (_one, kpi) => kpi + 1),
  })),
  entries: [],
}

/** A file of so many rows, each of a key of its own. */
export const fileOf = (rows: number, actual: (row: number) => number, notes = ''): string => {
  const lines = Array.from({ length: rows }, (_, at) => {
    const [user, kpi] = [(at % USERS) + 2, (Math.floor(at / USERS) % KPIS) + 1]
    return `#${user},#${kpi},${dateOf(Math.floor(at / (USERS * KPIS)))},${actual(at)},${notes}`
  })
  return `user,kpi,date,actual,notes\n${lines.join('\n')}\n`
}

/** Loses a share of the answers to what is written, half of it done. */
export const losing = (share: number, seed: number): Troubles => {
  const { chance, pick } = createRandom(seed)
  return (isWrite) => (isWrite && chance(share) ? { what: 'lost', isDone: chance(0.5), how: pick(LOSSES) } : undefined)
}

/** A third-party service, and imports into it from one machine. */
export type ThirdParty = {
  readonly service: FaultyService
  /** Imports a file, with flags; the same command goes on while work is left, for some times. */
  readonly importFile: (text: string, ...flags: readonly string[]) => Promise<Ended>
  readonly clock: VirtualClock
  /** How many requests about entries and reports there have been. */
  readonly requests: () => number
}

/** Answers a request, or has the service do so. */
export type Wrap = (request: TextRequest, now: number, serve: FaultyService['serve']) => Served

/** Opens a service of a kind that holds nothing yet; `wrap` may answer in its place. */
export const openThirdParty = (
  kind: Kind,
  folder: Folder,
  {
    troubles = () => undefined,
    wrap = (request, now, serve) => serve(request, now),
    isQuiet = true,
  }: { readonly troubles?: Troubles; readonly wrap?: Wrap; readonly isQuiet?: boolean } = {},
): ThirdParty => {
  const clock = createVirtualClock()
  const telling = { headers: 'both', status: kind.variant === 'v1' ? 429 : 403, retryAfter: 'seconds' } as const
  const service = faultyService({ kind, account, troubles, limiter: slidingLimiter(200), telling, latencyMs: () => 50 })
  let requests = 0
  const counting: FaultyService = {
    ...service,
    serve: (request, now) => {
      if (/kpientries|reports/.test(request.path)) requests += 1
      return wrap(request, now, service.serve)
    },
  }
  const home = folder.in('home')
  mkdirSync(home)
  const newHome = (): string => folder.in('other')
  const machine = { env: environmentOf({ kind }), clock, service: counting, newHome, random: bytesFrom(0) }
  const args = ['entries', 'import', 'data.csv', '-o', 'json', ...(isQuiet ? ['--quiet'] : [])]
  const importFile = (text: string, ...flags: readonly string[]): Promise<Ended> => {
    writeFileSync(`${home}/data.csv`, text)
    return clock.run(async () => {
      for (let runs = 1; ; runs += 1) {
        const ended = await runIn(machine, home, [...args, ...flags], undefined)
        if (ended.code !== 6 || runs === 5) return ended
      }
    })
  }
  return { service, importFile, clock, requests: () => requests }
}
