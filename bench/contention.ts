import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../src/store/db.ts'
import { openPostgres } from '../src/store/postgres/open-postgres.ts'
import { openStore } from '../src/store/schema/open-store.ts'
import { startMeasured, type Waits } from '../test/support/contention/measure.ts'
import { ATTACKS } from '../test/support/contention/requests.ts'
import { makeContenders, type Size } from '../test/support/contention/world.ts'
import { startCluster } from '../test/support/postgres.ts'
import type { Figure } from './figure.ts'

const SIZE: Size = { entries: 1_400_000, users: 1000, groupItems: 1000, crowd: 50_000 }
const LONGEST_WAIT_MS = 100
const MEMORY_MB = 600

/** A store that is empty, and how a server is told of it. */
type Place = {
  readonly name: string
  readonly db: Db
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const waitOf = ({ healthMs, getMs }: Waits): number => Math.max(healthMs, getMs)

const figuresOf = (name: string, all: readonly Waits[]): Figure[] => {
  const worst = all.reduce((left, right) => (waitOf(right) > waitOf(left) ? right : left))
  const peak = Math.max(...all.map(({ peakMb }) => peakMb))
  return [
    {
      what: `longest wait beside ${all.length} hostile requests on ${name} (${worst.name})`,
      measured: waitOf(worst),
      unit: 'ms',
      against: `${LONGEST_WAIT_MS} ms`,
      ratio: waitOf(worst) / LONGEST_WAIT_MS,
      limit: 1,
    },
    {
      what: `most memory that the server held meanwhile, on ${name}`,
      measured: peak,
      unit: 'MB',
      against: `${MEMORY_MB} MB`,
      ratio: peak / MEMORY_MB,
      limit: 1,
    },
  ]
}

const lineOf = ({ name, turnMs, healthMs, getMs, wrong, statuses, peakMb }: Waits): string => {
  const answers = [...statuses].map(([status, times]) => `${status} × ${times}`).join(', ')
  const waits = `health ${healthMs.toFixed(0)} ms, GET ${getMs.toFixed(0)} ms, turn ${turnMs.toFixed(0)} ms`
  return `${name}: ${waits}, ${peakMb.toFixed(0)} MB, answered ${answers}${wrong > 0 ? `, others refused ${wrong}` : ''}`
}

const measureIn = async ({ name, db, flags, env }: Place): Promise<Figure[]> => {
  const world = await makeContenders(db, SIZE)
  await db.close()
  await using server = await startMeasured(flags, env, world)
  const all: Waits[] = []
  for (const attack of [...ATTACKS.reading, ...ATTACKS.working]) {
    const waits = await server.measure(attack, world)
    all.push(waits)
    process.stdout.write(`  ${lineOf(waits)}\n`)
  }
  return figuresOf(name, all)
}

/** The longest that a client waits while another one sends what keeps a server busy, on both databases. */
export const contending = async (folder: string): Promise<Figure[]> => {
  const dataDir = join(folder, 'contention')
  mkdirSync(dataDir)
  const sqlite = await openStore(join(dataDir, 'kpi.db'))
  const figures = await measureIn({ name: 'SQLite', db: sqlite, flags: ['--data-dir', dataDir], env: {} })
  const cluster = await startCluster([])
  try {
    const db = await openPostgres({ url: cluster.url })
    const place = { name: 'PostgreSQL', db, flags: ['--store', 'postgres'], env: { KPI_POSTGRES_URL: cluster.url } }
    return [...figures, ...(await measureIn(place))]
  } finally {
    await cluster.stop()
  }
}
