import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { faultyService, type FaultyService } from '../faulty/service.ts'
import { createTroubles, type Troubles } from '../faulty/trouble.ts'
import { temporaryFolder } from '../folder.ts'
import { bucketLimiter, fixedLimiter, type Limiter, slidingLimiter, type Telling } from '../limiters.ts'
import { createRandom, type Random } from '../random.ts'
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts'
import { drawJob, flagsOf, type Job } from './job.ts'
import { complaintsAtEnd, complaintsMeanwhile } from './judge.ts'
import { type Ended, type Machine, runIn } from './run.ts'

/** What a simulation came to. */
export type Simulated = {
  readonly seed: number
  /** Who loaded what where. */
  readonly about: string
  /** The exit code of each run; none where it was killed. */
  readonly codes: readonly (number | undefined)[]
  readonly troubles: readonly string[]
  /** What was wrong; nothing, where all is well. */
  readonly complaints: readonly string[]
  /** What the runs said, one after the other. */
  readonly said: string
}

/** What there is to say of a simulation that went wrong, and how to run it again. */
export const toldOf = ({ seed, about, codes, troubles, complaints, said }: Simulated): string =>
  [
    `SEED=${seed} npx vitest run test/loading/simulation.test.ts (${about})`,
    `exit codes ${codes.map((code) => code ?? 'killed').join(', ')}`,
    ...troubles,
    said,
    ...complaints,
  ].join('\n')

/** After so many runs nothing goes wrong any more. */
const CALM_AFTER = 12
const MOST_RUNS = 18
/** The longest that a single run may take, in hours of its time. */
const MOST_HOURS = 30

const drawLimiter = ({ pick, whole }: Random): Limiter => {
  const limit = pick([10, 30, 60, 200, 600])
  return pick([slidingLimiter, () => fixedLimiter(limit, whole(0, 59_999)), () => bucketLimiter(limit)])(limit)
}

const drawTelling = ({ pick }: Random, { kind }: Job): Telling => {
  const status = kind.variant === 'v1' ? 429 : 403
  if (kind.isBundled) return { headers: 'both', status, retryAfter: 'seconds' }
  return {
    headers: pick(['x', 'x-limit', 'draft', 'both', 'none'] as const),
    status,
    retryAfter: pick(['seconds', 'date'] as const),
  }
}

/** How a service of a kind is named to the command line. */
export const environmentOf = ({ kind }: Pick<Job, 'kind'>): Readonly<Record<string, string>> =>
  kind.variant === 'v1'
    ? { KPI_BASE_URL: 'http://127.0.0.1:9/v1', KPI_TOKEN: 'kpi_key_x' }
    : { KPI_BASE_URL: 'http://127.0.0.1:9/api', KPI_LOGIN: 'ann@example.com', KPI_TOKEN: 'kpi_token_x' }

/** The lines that stand in the rejects file. */
export const rejectedIn = (home: string): { readonly line: number; readonly reason: string }[] => {
  const path = `${home}/data.rejects.csv`
  if (!existsSync(path)) return []
  const rows: Record<string, string>[] = parse(readFileSync(path, 'utf8'), { columns: true })
  return rows.map((row) => ({ line: Number(row['_line']), reason: row['_reason'] ?? '' }))
}

const ENDS: ReadonlySet<number> = new Set([0, 1, 3])

/** What a job is played with: a machine, the folder on it that the file is in, and what ends all troubles. */
export type Play = {
  readonly job: Job
  readonly home: string
  readonly machine: Machine
  readonly service: FaultyService
  readonly clock: VirtualClock
  readonly calm: () => void
}

/** Runs the same command until it has nothing more to do. */
const play = async ({
  job,
  machine,
  service,
  clock,
  calm,
  home: first,
}: Play): Promise<{ codes: (number | undefined)[]; complaints: string[]; said: string }> => {
  const args = ['entries', 'import', 'data.csv', '-o', 'json', ...flagsOf(job)]
  const codes: (number | undefined)[] = []
  let home = first
  let said = ''
  for (let at = 0; at < MOST_RUNS; at += 1) {
    if (at >= CALM_AFTER) calm()
    const [began, writes, troubles] = [clock.elapsed(), service.written.length, service.log.length]
    const ended: Ended = await runIn(machine, home, args, job.interruptions[at])
    home = ended.home
    codes.push(ended.code)
    const run = {
      ended,
      writes: service.written.length - writes,
      troubles: service.log.slice(troubles),
      isLockedOut: service.isLockedOut(),
      isStopped: job.interruptions[at]?.how === 'stop',
      rejected: rejectedIn(home),
      isLate: clock.elapsed() - began > MOST_HOURS * 3_600_000,
    }
    if (ended.code !== undefined) said += `-- run ${at + 1}: exit ${ended.code}\n${ended.stderr}${ended.stdout}`
    else said += `-- run ${at + 1}: killed\n`
    const isRefused = ended.code === 4 && run.isLockedOut
    const isOver = ended.code !== undefined && (ENDS.has(ended.code) || isRefused)
    const complaints = [
      ...complaintsMeanwhile(job, service.entries(), run),
      ...(isOver && !isRefused ? complaintsAtEnd(job, service.entries(), run) : []),
    ]
    if (isOver || complaints.length > 0) return { codes, complaints, said }
    await clock.sleep((at + 1) * 61_000)
  }
  return { codes, complaints: [`it does not end, after ${MOST_RUNS} runs: ${codes.join(', ')}`], said }
}

const withCalm = (troubles: Troubles): { readonly troubles: Troubles; readonly calm: () => void } => {
  let isCalm = false
  return { troubles: (isWrite) => (isCalm ? undefined : troubles(isWrite)), calm: () => void (isCalm = true) }
}

/** Returns what draws bytes from a seed, which are others each time. */
export const bytesFrom = (seed: number): Machine['random'] => {
  let drawn = 0
  const draw = (): Buffer => hash('sha256', `${seed} ${(drawn += 1)}`, 'buffer')
  return (count) => new Uint8Array(Buffer.concat(Array.from({ length: Math.ceil(count / 32) }, draw), count))
}

/** Plays a job beside a faulty service that is drawn for it, on a machine of its own. */
export const simulateJob = async (
  seed: number,
  random: Random,
  job: Job,
  playJob: (play: Play) => Promise<Pick<Simulated, 'codes' | 'complaints' | 'said'>>,
): Promise<Simulated> => {
  const clock = createVirtualClock()
  const { troubles, calm } = withCalm(createTroubles(random, job.troubles))
  const service = faultyService({
    kind: job.kind,
    account: job.account,
    troubles,
    limiter: drawLimiter(random),
    telling: drawTelling(random, job),
    latencyMs: () => random.whole(1, 400),
  })
  using folder = temporaryFolder()
  let homes = 0
  const newHome = (): string => folder.in(`home-${(homes += 1)}`)
  const home = newHome()
  mkdirSync(home)
  writeFileSync(`${home}/data.csv`, job.sheet.text)
  const machine = { env: environmentOf(job), clock, service, newHome, random: bytesFrom(seed) }
  const { codes, complaints, said } = await clock
    .run(() => playJob({ job, machine, service, clock, calm, home }))
    .catch((error: unknown) => ({
      codes: [],
      complaints: [error instanceof Error ? (error.stack ?? '') : String(error)],
      said: '',
    }))
  const about = `${job.kind.name}; ${flagsOf(job).join(' ')}; ${job.sheet.rows.length} rows${job.sheet.isWide ? ', wide' : ''}`
  return { seed, about, codes, troubles: service.log, complaints, said }
}

/** Loads a drawn file into a drawn service, whatever comes between, and says what was wrong with what came of it. */
export const simulate = (seed: number): Promise<Simulated> => {
  const random = createRandom(seed)
  return simulateJob(seed, random, drawJob(random), play)
}
