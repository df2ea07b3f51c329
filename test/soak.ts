import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { json } from 'node:stream/consumers'
import { simulate, toldOf } from './support/simulation/simulate.ts'

/*
 * The simulated imports of test/load/simulation.test.ts, but many more of them: `npm run soak`, or `npm run soak -- 500 7`
 * for 500 seeds from 7 on. Each process takes every so-manieth seed.
 */

const [SEEDS, FIRST] = [20_000, 1_000_001]
/** After so many it is told how it goes. */
const SEEDS_A_ROUND = 1000
const SHOWN = 5

/** What came of some seeds. */
type Soaked = { seeds: number; runs: number; kills: number; troubles: number; readonly failed: string[] }

const nothing = (): Soaked => ({ seeds: 0, runs: 0, kills: 0, troubles: 0, failed: [] })

const soak = async (first: number, count: number, step: number): Promise<Soaked> => {
  const soaked = nothing()
  for (let seed = first; seed < first + count; seed += step) {
    const simulated = await simulate(seed)
    soaked.seeds += 1
    soaked.runs += simulated.codes.length
    soaked.kills += simulated.codes.filter((code) => code === undefined).length
    soaked.troubles += simulated.troubles.length
    if (simulated.complaints.length > 0) soaked.failed.push(toldOf(simulated))
  }
  return soaked
}

const inProcess = async (...numbers: readonly number[]): Promise<Soaked> => {
  const args = [import.meta.filename, ...numbers.map(String)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [soaked] = await Promise.all([json(child.stdout), once(child, 'close')])
  return soaked as Soaked
}

/** Soaks some seeds with all processors, and tells what came of them. */
const round = async (first: number, count: number): Promise<number> => {
  const began = Date.now()
  const processes = Math.min(availableParallelism(), count)
  const parts = await Promise.all(
    Array.from({ length: processes }, (_, at) => inProcess(first + at, count - at, processes)),
  )
  const all = nothing()
  for (const { seeds, runs, kills, troubles, failed } of parts) {
    all.seeds += seeds
    all.runs += runs
    all.kills += kills
    all.troubles += troubles
    all.failed.push(...failed)
  }
  const seconds = Math.round((Date.now() - began) / 1000)
  const { seeds, runs, kills, troubles, failed } = all
  for (const told of failed.slice(0, SHOWN)) process.stdout.write(`${told}\n\n`)
  process.stdout.write(
    `${seeds} seeds from ${first} on, ${runs} runs, ${kills} killed, ${troubles} troubles, ${seconds} s: ${failed.length} failed\n`,
  )
  return failed.length
}

const main = async (count = SEEDS, first = FIRST): Promise<void> => {
  let failed = 0
  for (let done = 0; done < count; done += SEEDS_A_ROUND)
    failed += await round(first + done, Math.min(SEEDS_A_ROUND, count - done))
  process.stdout.write(`${count} seeds: ${failed} failed\n`)
  process.exitCode = failed > 0 ? 1 : 0
}

const [first, count, step] = process.argv.slice(2).map(Number)
if (first !== undefined && count !== undefined && step !== undefined) {
  process.stdout.write(JSON.stringify(await soak(first, count, step)))
} else await main(first, count)
