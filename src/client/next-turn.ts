import { setImmediate } from 'node:timers/promises'
import type { Pause } from '../domain/pause.ts'
import { Aborted } from './transport.ts'

/** Returns the error of work that ends before anything is sent, as it was asked to. */
export const stopped = (): Aborted => new Aborted('stopped before anything was sent; run the same command again')

/** Lets signals and timers run, and ends the work if they ask for it. */
export const nextTurn = async (signal: AbortSignal | undefined): Promise<void> => {
  await setImmediate()
  if (signal?.aborted) throw stopped()
}

/** Returns what `make` returns for each of many things, and pauses between them. */
export const mapWithPauses = async <T, U>(list: Iterable<T>, pause: Pause, make: (one: T) => U): Promise<U[]> => {
  const made: U[] = []
  for (const one of list) {
    const turn = pause()
    if (turn) await turn
    made.push(make(one))
  }
  return made
}

/** Creates a pause for a loop to call for each part of its work: every `parts` calls, signals and timers run. */
export const pauseEvery = (parts: number, signal: AbortSignal | undefined): Pause => {
  let done = 0
  return () => {
    done += 1
    return done % parts === 0 ? nextTurn(signal) : undefined
  }
}
