import { type FSWatcher, watch } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Kind, kinds } from '../support/faulty/kinds.ts'
import { listenFaulty } from '../support/faulty/server.ts'
import { faultyService } from '../support/faulty/service.ts'
import { temporaryFolder } from '../support/folder.ts'
import { CLASSIC_TELLING, slidingLimiter } from '../support/limiters.ts'
import { createRandom, type Random } from '../support/random.ts'
import { createAccount } from '../support/simulation/accounts.ts'
import { entriesInStore, fillStore } from '../support/simulation/embedded.ts'
import type { Job, OnConflict } from '../support/simulation/job.ts'
import { type Killed, type Killing, runKilled, type Target } from '../support/simulation/killed.ts'
import { createSheet } from '../support/simulation/sheet.ts'

/** A test begins with its own seed, so that it loads and kills the same each time, as far as processes do. */
const SEED = 20_261_122
const UNLIMITED = 1_000_000
const SHOWN = 10
/** How often processes are killed in all, about: KILLS=200 npx vitest run test/e2e/import-killed.test.ts */
const { KILLS = '45' } = process.env
/** Their shares in that: few of those that are slow, as they wait for lists that may lag behind. */
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

/** What is killed, by name. */
const jobs: readonly (readonly [name: string, times: number, run: (random: Random) => Promise<Killed>])[] = [
  ['in batches', SOME, (random) => killRemote(random, kindNamed('ours'), BATCHES, LISTS)],
  ['in batches, by a service of others', SOME, (random) => killRemote(random, kindNamed('foreign'), BATCHES, LISTS)],
  [
    'in batches that add',
    SOME,
    (random) => killRemote(random, kindNamed('ours'), { ...BATCHES, onConflict: 'add' }, LISTS),
  ],
  ['one at a time', FEW, (random) => killRemote(random, kindNamed('foreign, no batches (404)'), SINGLES, ONES)],
  [
    'one at a time, adding',
    MANY,
    (random) => killRemote(random, kindNamed('foreign, no batches (405)'), { ...SINGLES, onConflict: 'add' }, ONES),
  ],
  [
    'one at a time, where POST makes doubles',
    FEW,
    (random) => killRemote(random, kindNamed('foreign, no batches, POST makes doubles'), SINGLES, ONES),
  ],
  ['into the embedded store', SOME, (random) => killEmbedded(random, { ...BATCHES, hasUnlucky: false }, STORE)],
  [
    'into the embedded store, adding',
    SOME,
    (random) => killEmbedded(random, { ...BATCHES, onConflict: 'add', hasUnlucky: false }, STORE),
  ],
]

describe.concurrent('an import whose process is killed at any moment loses nothing and sends nothing twice', () => {
  test.each(jobs)(
    '%s',
    async (name, times, run) => {
      const random = createRandom(SEED + jobs.findIndex(([one]) => one === name))
      for (let kills = 0; kills < times;) {
        const { complaints, said, kills: more } = await run(random)
        expect(complaints.length > 0 ? [said, ...complaints.slice(0, SHOWN)] : []).toEqual([])
        kills += more
      }
    },
    300_000 + Number(KILLS) * 5000,
  )
})
