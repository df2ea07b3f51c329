import { temporaryFolder } from '../folder.ts'
import { HOSTILE_FILES } from '../hostile/files.ts'
import { putHostile, runHostile } from '../hostile/run-hostile.ts'

const MOST = { memory: 600 * 1024 ** 2, temporary: 1024 ** 3, afterInterrupt: 2000, afterDeadline: 1000, turn: 1000 }
/** Files that take less are not interrupted. */
const LONG_MS = 1500
const KILL_MS = 60_000
const GRACE_MS = 20_000
const MEGABYTE = 1e6

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1)

/** Reads all hostile files: to their ends, until Ctrl-C and until a deadline. Returns how many broke a bound. */
export const soakHostile = async (count = HOSTILE_FILES.length, first = 0): Promise<number> => {
  let failed = 0
  for (const one of HOSTILE_FILES.slice(first, first + count)) {
    using home = temporaryFolder()
    const size = putHostile(home, one)
    const whole = await runHostile(home, one, { killAfter: KILL_MS })
    const parts = [
      `${one.name}: ${(size / MEGABYTE).toFixed(1)} MB, ${seconds(whole.elapsed)} s, ${Math.round(whole.memory / MEGABYTE)} MB, ${Math.round(whole.temporary / MEGABYTE)} MB temporary, longest turn ${seconds(whole.longestTurn)} s, ${whole.code}`,
    ]
    let isGood = whole.memory < MOST.memory && whole.temporary < MOST.temporary && whole.longestTurn < MOST.turn
    if (whole.elapsed > LONG_MS) {
      const middle = Math.min(whole.elapsed / 2, 10_000)
      const interrupted = await runHostile(home, one, { interruptAfter: middle, killAfter: middle + GRACE_MS })
      const deadline = Math.max(1, Math.round(middle / 1000))
      const late = await runHostile(home, one, { deadline, killAfter: deadline * 1000 + GRACE_MS })
      parts.push(
        `${seconds(interrupted.elapsedSince)} s after Ctrl-C, ${seconds(late.elapsedSince)} s after its deadline`,
      )
      isGood &&= interrupted.elapsedSince < MOST.afterInterrupt && late.elapsedSince < MOST.afterDeadline
    }
    if (!isGood) failed += 1
    process.stdout.write(`${isGood ? '' : 'FAILED '}${parts.join(', ')}\n`)
  }
  return failed
}
