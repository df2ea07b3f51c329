import { type FSWatcher, watch } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Kind, kinds } from '../support/faulty/kinds.ts'
import { listenFaulty } from '../support/faulty/server.ts'
import { faultyService } from '../support/faulty/service.ts'
import { temporaryFolder } from '../support/folder.ts'
import { CLASSIC_TELLING, slidingLimiter } from '../support/limiters.ts'
import { some } from '../support/soak/tests.ts'
import { createRandom, type Random } from '../support/random.ts'
import { createAccount } from '../support/simulation/accounts.ts'
import { entriesInStore, fillStore } from '../support/simulation/embedded.ts'
import type { Job, OnConflict } from '../support/simulation/job.ts'
import { type Killed, type Killing, runKilled, type Target } from '../support/simulation/killed.ts'
import { createSheet } from '../support/simulation/sheet.ts'

/**
 * About how many processes are killed in all, and the seed that draws files and moments. `npm run soak -- kills 210 7` kills
 * 210, from the seed 7 on. The same seed loads and kills the same, as far as processes do.
 */
const { KILLS = '4', SEED = '20261122' } = process.env
const UNLIMITED = 1_000_000
const SHOWN = 10
/** The shares of the jobs in that: few kills of the slow ones, which wait for lists that may lag behind. */
const [MANY, SOME, FEW] = [0.26, 0.11, 0.07].map((share) => Math.ceil(Number(KILLS) * share)) as [
  number,
  number,
  number,
]

type Load = {
  readonly onConflict: OnConflict
  readonly rows: readonly [fewest: number, most: number]
  readonly days: number
  readonly hasUnlucky: boolean
}

const jobOf = (random: Random, kind: Kind, { onConflict, ...wants }: Load): Job => {
  const account = createAccount(random, wants.days)
  const sheet = createSheet(random, account, { ...wants, namesById: !kind.reads, alwaysActual: onConflict === 'add' })
  const troubles = { share: 0, most: 0, mayLockOut: false, mayDouble: false }
  return {
    kind,
    account,
    sheet,
    onConflict,
    onDuplicate: 'last',
    onlyChanges: false,
    clear: false,
    troubles,
    interruptions: [],
  }
}

const kindNamed = (name: string): Kind => kinds.find((one) => one.name === name) as Kind

/** Loads a file into a service on a port of this machine, in a process that is killed. */
const killRemote = async (random: Random, kind: Kind, load: Load, killing: Killing): Promise<Killed> => {
  const job = jobOf(random, kind, load)
  const service = faultyService({
    kind,
    account: job.account,
    troubles: () => undefined,
    limiter: slidingLimiter(UNLIMITED),
    // Of a limit that is told, what a killed process had under way is counted for 30 seconds more.
    telling: { ...CLASSIC_TELLING, headers: 'none' },
    latencyMs: () => random.whole(0, 6),
  })
  let listener = (): void => undefined
  await using server = await listenFaulty({
    serve: (request, now) => {
      listener()
      return service.serve(request, now)
    },
  })
  const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: 'ann@example.com', KPI_TOKEN: 'kpi_token_x' }
  const entries = (): Promise<ReturnType<typeof service.entries>> => Promise.resolve(service.entries())
  const target: Target = { env, entries, onSight: (next) => (listener = next) }
  return await runKilled(job, target, random, killing)
}

const disposable = (watcher: FSWatcher): Disposable => ({ [Symbol.dispose]: () => watcher.close() })

/** The same with the embedded store. */
const killEmbedded = async (random: Random, load: Load, killing: Killing): Promise<Killed> => {
  const job = jobOf(random, kindNamed('ours'), load)
  using folder = temporaryFolder()
  const dataDir = folder.in('data')
  await fillStore(dataDir, job.account)
  const entries = (): ReturnType<typeof entriesInStore> => entriesInStore(dataDir)
  let listener = (): void => undefined
  using _watcher = disposable(watch(dataDir, () => listener()))
  const target: Target = { env: { KPI_DATA_DIR: dataDir }, entries, onSight: (next) => (listener = next) }
  return await runKilled(job, target, random, killing)
}

const SINGLES: Load = { onConflict: 'update', rows: [60, 80], days: 12, hasUnlucky: true }
const BATCHES: Load = { onConflict: 'update', rows: [7000, 9000], days: 3000, hasUnlucky: true }
const ONES: Killing = { kills: 8, sights: [1, 50] }
const LISTS: Killing = { kills: 6, sights: [6, 11] }
const STORE: Killing = { kills: 6, sights: [10, 24] }

/** What is killed: its name, about how often, in each run at most how often and when, and the run. */
type KillJob = readonly [
  name: string,
  times: number,
  killing: Killing,
  run: (random: Random, killing: Killing) => Promise<Killed>,
]

/** Loads a file into a service that answers in some way. */
const remotely =
  (kind: string, load: Load): KillJob[3] =>
  (random, killing) =>
    killRemote(random, kindNamed(kind), load, killing)

/** The same with the embedded store. */
const embedded =
  (load: Load): KillJob[3] =>
  (random, killing) =>
    killEmbedded(random, load, killing)

const jobs: readonly KillJob[] = [
  ['in batches', SOME, LISTS, remotely('ours', BATCHES)],
  ['in batches, by a third-party service', SOME, LISTS, remotely('foreign', BATCHES)],
  ['in batches that add', SOME, LISTS, remotely('ours', { ...BATCHES, onConflict: 'add' })],
  ['one at a time', FEW, ONES, remotely('foreign, no batches (404)', SINGLES)],
  ['one at a time, adding', MANY, ONES, remotely('foreign, no batches (405)', { ...SINGLES, onConflict: 'add' })],
  ['one at a time, where POST makes doubles', FEW, ONES, remotely('foreign, no batches, POST makes doubles', SINGLES)],
  ['into the embedded store', SOME, STORE, embedded({ ...BATCHES, hasUnlucky: false })],
  ['into the embedded store, adding', SOME, STORE, embedded({ ...BATCHES, onConflict: 'add', hasUnlucky: false })],
]

describe.concurrent('an import whose process is killed at any moment loses nothing and sends nothing twice', () => {
  test.each(some(2, jobs))(
    '%s',
    async (name, times, killing, run) => {
      const random = createRandom(Number(SEED) + jobs.findIndex(([one]) => one === name))
      for (let kills = 0; kills < times;) {
        const {
          complaints,
          said,
          kills: more,
        } = await run(random, {
          ...killing,
          kills: Math.min(killing.kills, times - kills),
        })
        expect(complaints.length > 0 ? [said, ...complaints.slice(0, SHOWN)] : []).toEqual([])
        kills += more
      }
    },
    300_000 + Number(KILLS) * 5000,
  )
})
