import { setImmediate } from 'node:timers/promises'
import type { Pause } from '../domain/pause.ts'

/**
 * Returns what a long loop calls for each row: after every so many of them it answers a promise, on which the rest of the
 * process has its turn. It waits for nobody else's long work, as a transaction may be open meanwhile.
 */
export const yieldEvery = (rows: number): Pause => {
  let done = 0
  return () => {
    done += 1
    return done % rows === 0 ? setImmediate() : undefined
  }
}
