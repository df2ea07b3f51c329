import { simulate, toldOf } from '../simulation/simulate.ts'
import { simulateUndo } from '../simulation/undo.ts'
import { inProcesses, type Part } from './processes.ts'

/*
 * The simulated imports and undos of test/loading/simulation.test.ts, but many more of them. As a program it soaks its part of some
 * seeds: each process takes every so-manieth.
 */

/** After so many it is told how it goes. */
const SEEDS_A_ROUND = 1000
const SHOWN = 5

/** What came of some seeds. */
type Soaked = { seeds: number; runs: number; kills: number; troubles: number; readonly failed: string[] }

const nothing = (): Soaked => ({ seeds: 0, runs: 0, kills: 0, troubles: 0, failed: [] })

/** What is simulated: imports alone, or with undos between them. */
const SIMULATIONS = { imports: simulate, undos: simulateUndo }
type Simulation = keyof typeof SIMULATIONS

const soakPart = async (what: Simulation, first: number, count: number, { at, of }: Part): Promise<Soaked> => {
  const soaked = nothing()
  for (let seed = first + at; seed < first + count; seed += of) {
    const simulated = await SIMULATIONS[what](seed)
    soaked.seeds += 1
    soaked.runs += simulated.codes.length
    soaked.kills += simulated.codes.filter((code) => code === undefined).length
    soaked.troubles += simulated.troubles.length
    if (simulated.complaints.length > 0) soaked.failed.push(toldOf(simulated))
  }
  return soaked
}

/** Soaks some seeds with all processors, and tells what came of them. */
const round = async (what: Simulation, first: number, count: number): Promise<number> => {
  const began = Date.now()
  const all = nothing()
  await inProcesses([import.meta.filename, what], [first, count], count, (line) => {
    const part = line as Soaked
    all.seeds += part.seeds
    all.runs += part.runs
    all.kills += part.kills
    all.troubles += part.troubles
    all.failed.push(...part.failed)
  })
  const seconds = Math.round((Date.now() - began) / 1000)
  const { seeds, runs, kills, troubles, failed } = all
  for (const told of failed.slice(0, SHOWN)) process.stdout.write(`${told}\n\n`)
  process.stdout.write(
    `${seeds} seeds from ${first} on, ${runs} runs, ${kills} killed, ${troubles} troubles, ${seconds} s: ${failed.length} failed\n`,
  )
  return failed.length
}

const soak = async (what: Simulation, count: number, first: number): Promise<number> => {
  let failed = 0
  for (let done = 0; done < count; done += SEEDS_A_ROUND)
    failed += await round(what, first + done, Math.min(SEEDS_A_ROUND, count - done))
  process.stdout.write(`${count} ${what}: ${failed} failed\n`)
  return failed
}

/** Soaks imports, tells how it goes, and answers how many failed. */
export const soakImports = (count = 20_000, first = 1_000_001): Promise<number> => soak('imports', count, first)

/** Soaks imports and their undos, on one machine or two. */
export const soakUndos = (count = 20_000, first = 1_000_001): Promise<number> => soak('undos', count, first)

if (import.meta.main) {
  const [what = '', ...numbers] = process.argv.slice(2)
  const [first = 0, count = 0, at = 0, of = 1] = numbers.map(Number)
  process.stdout.write(`${JSON.stringify(await soakPart(what as Simulation, first, count, { at, of }))}\n`)
}
