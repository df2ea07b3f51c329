import { describe, expect, onTestFinished, test } from 'vitest'
import { type Database, postgresDatabase, sqliteDatabase } from '../support/databases.ts'
import { type MeasuredServer, startMeasured } from '../support/contention/measure.ts'
import { type Attack, ATTACKS } from '../support/contention/requests.ts'
import { IS_SOAK, some } from '../support/soak/tests.ts'
import { type Contenders, makeContenders, type Size } from '../support/contention/world.ts'

/*
 * The suite draws some of the attacks; `npm run soak -- combinations` has all of them.
 */

const SIZE: Size = { entries: IS_SOAK ? 600_000 : 6_000, users: 60, groupItems: IS_SOAK ? 60 : 20, crowd: 10_000 }
/** Which part of the connections of an attack the suite opens; `npm run soak -- combinations` opens all. */
const SHARE = IS_SOAK ? 1 : 0.1

const partOf = ({ name, wires, isWhole = false }: Attack): Attack => ({
  name,
  wires: (world) => {
    const all = wires(world)
    return isWhole ? all : all.slice(0, Math.ceil(all.length * SHARE))
  },
})

/** Attacks that are such only by all of their connections take longest, and are left to the soak. */
const working = ATTACKS.working.filter(({ isWhole = false }) => IS_SOAK || !isWhole)

const LONGEST_TURN_MS = 100
const MEMORY_MB = 600
/** How often a turn that is too long is measured: one that is so by itself is so each time, one on a busy machine is not. */
const TRIES = 3

const startIn = async (make: () => Promise<Database>): Promise<{ server: MeasuredServer; world: Contenders }> => {
  const database = await make()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const db = await database.open()
  const world = await makeContenders(db, SIZE)
  await db.close()
  const server = await startMeasured(database.flags, database.env, world)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return { server, world }
}

// How long others wait is measured in processor time here, which a busy machine does not change; `npm run bench serve`
// measures the time that passes.
describe.each([
  ['what is read before a database is asked', sqliteDatabase, some(16, ATTACKS.reading)],
  ['what SQLite does', sqliteDatabase, some(6, working)],
  ['what PostgreSQL does', postgresDatabase, some(6, working)],
] as const)('%s', (_, make, attacks: readonly Attack[]) => {
  test('keeps no other client waiting, whatever one sends', { timeout: 300_000 }, async () => {
    const { server, world } = await startIn(make)
    const failed: object[] = []
    for (const attack of attacks) {
      const most = attack.isOnce ? 1 : TRIES
      for (let tries = 1; tries <= most; tries += 1) {
        const waits = await server.measure(partOf(attack), world)
        const isFailing = [...waits.statuses.keys()].some((status) => status >= 500 || status === 0)
        const isWrong = waits.wrong > 0 || waits.peakMb > MEMORY_MB || isFailing
        const isTooLong = waits.turnMs > LONGEST_TURN_MS
        if (isWrong || (isTooLong && tries === most)) failed.push(waits)
        if (isWrong || !isTooLong) break
      }
    }
    expect(failed).toEqual([])
  })
})
