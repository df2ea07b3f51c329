import { endConnections, postgresDatabase, sqliteDatabase } from '../databases.ts'
import { fuzz } from '../fuzz/fuzz.ts'
import { openFuzzed } from '../fuzz/run.ts'
import { SETTINGS, startCluster } from '../postgres.ts'
import { inProcesses, type Part } from './processes.ts'

/*
 * The drawn requests of test/server/fuzz.test.ts, but many more of them. As a program it soaks its part of the seeds, one
 * after another, until it has sent its part of the requests.
 */

/** Runs of each seed, of some requests each. */
const RUNS_A_SEED = 300
/** No request may keep others waiting longer, in milliseconds. */
const MOST_MS = 100
/** After so many seeds everything has been loaded and remembered that ever will be. */
const WARM_SEEDS = 5
/** By so much memory may grow after that, in MiB. */
const MOST_GROWTH = 16
const SECONDS_A_LINE = 60
const MEBIBYTE = 1024 * 1024

/** What came of one seed, and the memory that is in use after it, in bytes. */
type Soaked = {
  readonly seed: number
  readonly requests: number
  readonly stall: number
  readonly memory: number
  readonly failed?: string | undefined
}

const memoryInUse = (): number => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const soakPart = async (first: number, count: number, { at, of }: Part): Promise<void> => {
  const server = process.env['KPI_TEST_POSTGRES_URL']
  await using fuzzed = await openFuzzed({
    databases: [sqliteDatabase, () => postgresDatabase(server)],
    mostMs: MOST_MS,
  })
  for (let [seed, sent] = [first + at, 0]; sent < count / of; seed += of) {
    const failed = await fuzz(fuzzed, { seed, count: RUNS_A_SEED })
    const { requests, longestStall } = fuzzed.tally()
    const soaked: Soaked = { seed, requests: requests - sent, stall: longestStall, memory: memoryInUse(), failed }
    sent = requests
    process.stdout.write(`${JSON.stringify(soaked)}\n`)
  }
}

/** By how much the memory of a process grew, in MiB, from when it was warm until its end. */
const growthOf = (memory: readonly number[]): number => {
  const warm = memory.slice(WARM_SEEDS)
  const [least, last] = [Math.max(...warm.slice(0, WARM_SEEDS)), Math.min(...warm.slice(-WARM_SEEDS))]
  return (last - least) / MEBIBYTE
}

const withPostgres = async <T>(work: () => Promise<T>): Promise<T> => {
  if (process.env['KPI_TEST_POSTGRES_URL'] !== undefined) return work()
  const cluster = await startCluster(SETTINGS)
  process.env['KPI_TEST_POSTGRES_URL'] = cluster.url
  try {
    return await work()
  } finally {
    await cluster.stop()
  }
}

/** Soaks the service with so many requests, tells how it goes, and answers how many seeds failed. */
export const soakRequests = (count = 1_000_000, first = 1_000_001): Promise<number> =>
  withPostgres(async () => {
    let [requests, failed, stall, toldAt] = [0, 0, 0, Date.now()]
    const memory = new Map<number, number[]>()
    const tell = (): void => {
      process.stdout.write(`${requests} requests, at most ${Math.round(stall)} ms of waiting: ${failed} failed\n`)
      toldAt = Date.now()
    }
    const program = ['--expose-gc', import.meta.filename]
    await inProcesses(program, [first, count], Math.ceil(count / RUNS_A_SEED), (line, at) => {
      const soaked = line as Soaked
      requests += soaked.requests
      stall = Math.max(stall, soaked.stall)
      memory.set(at, [...(memory.get(at) ?? []), soaked.memory])
      if (soaked.failed !== undefined) {
        failed += 1
        process.stdout.write(`${soaked.failed}\n\n`)
      }
      if (Date.now() - toldAt > SECONDS_A_LINE * 1000) tell()
    })
    tell()
    const growth = Math.max(0, ...[...memory.values()].map(growthOf))
    process.stdout.write(`memory has grown by ${growth.toFixed(1)} MiB, which may be ${MOST_GROWTH}\n`)
    return growth > MOST_GROWTH ? failed + 1 : failed
  })

if (import.meta.main) {
  const [first = 0, count = 0, at = 0, of = 1] = process.argv.slice(2).map(Number)
  await soakPart(first, count, { at, of })
  await endConnections()
}
