import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const LOOK_MS = 50
/** How often in a row all threads have to be found asleep. */
const TIMES_ASLEEP = 6
/** How much a process may compute before it counts as busy, in clock ticks of 10 ms: several times what its start takes. */
const BUSY_TICKS = 150
/** How much a process has computed at least once it has begun: a fast machine starts it in five ticks. */
const BEGUN_TICKS = 2

const orElse = <T>(act: () => T, otherwise: T): T => {
  try {
    return act()
  } catch {
    // The process has ended.
    return otherwise
  }
}

/** The processes whose working directory is a folder: what was started there, and what that has started. */
export const processesIn = (folder: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => orElse(() => readlinkSync(`/proc/${name}/cwd`), '') === folder)
    .map(Number)

/** What Linux tells of a thread behind its name: its state, and the ticks that it has computed. */
const statOf = (path: string): { readonly state: string; readonly ticks: number } => {
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return { state: fields[0] ?? '', ticks: Number(fields[11]) + Number(fields[12]) }
}

const threadsOf = (pid: number): string[] =>
  orElse(() => readdirSync(`/proc/${pid}/task`), []).map((thread) => `/proc/${pid}/task/${thread}/stat`)

/**
 * Resolves once the processes in a folder hold: all of their threads sleep for a while after they have done something, or
 * they compute far longer than their start does.
 */
export const untilHolding = async (folder: string): Promise<void> => {
  for (let [asleep, before] = [0, -1]; asleep < TIMES_ASLEEP;) {
    await setTimeout(LOOK_MS)
    const stats = processesIn(folder)
      .flatMap(threadsOf)
      .flatMap((path) => orElse(() => [statOf(path)], []))
    const ticks = stats.reduce((sum, one) => sum + one.ticks, 0)
    if (ticks > BUSY_TICKS) return
    const isAsleep = ticks >= BEGUN_TICKS && ticks === before && stats.every(({ state }) => state === 'S')
    asleep = isAsleep ? asleep + 1 : 0
    before = ticks
  }
}

/** Resolves with the processes that are still in a folder when they have had the time to end. */
export const leftIn = async (folder: string, milliseconds: number): Promise<number[]> => {
  let left = processesIn(folder)
  for (let waited = 0; left.length > 0 && waited < milliseconds; waited += LOOK_MS) {
    await setTimeout(LOOK_MS)
    left = processesIn(folder)
  }
  return left
}
