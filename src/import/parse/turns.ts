import { setImmediate } from 'node:timers/promises'
import { Aborted } from '../../client/transport.ts'
import type { Pause } from '../../domain/pause.ts'
import type { FileBytes } from './inspect.ts'

/** Returns the signal that asks to stop. Once it is read, Ctrl-C asks to stop instead of ending the process. */
export type StopSignal = () => AbortSignal

const stopped = (): Aborted => new Aborted('stopped before anything was sent; run the same command again')

/** Lets signals and timers run, and ends the work if they ask for it. */
export const nextTurn = async (signal: AbortSignal | undefined): Promise<void> => {
  await setImmediate()
  if (signal?.aborted) throw stopped()
}

/** Creates a pause for a loop to call for each part of its work: every `parts` calls, signals and timers run. */
export const pauseEvery = (parts: number, signal: AbortSignal | undefined): Pause => {
  let done = 0
  return () => {
    done += 1
    return done % parts === 0 ? nextTurn(signal) : undefined
  }
}

/** Yields bytes until the work is asked to end: for bytes that are waited for, so that signals and timers run anyway. */
export async function* untilStopped(content: FileBytes, signal: AbortSignal): FileBytes {
  for await (const chunk of content) {
    if (signal.aborted) throw stopped()
    yield chunk
  }
}

/** Sets how many bytes are read in one turn: few, as a byte may stand for a thousand cells. */
const BYTES_PER_TURN = 1 << 13

/** Yields bytes in small parts, between which signals and timers run. */
export async function* inTurns(content: FileBytes, signal: AbortSignal | undefined): FileBytes {
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += BYTES_PER_TURN) {
      await nextTurn(signal)
      yield chunk.subarray(at, at + BYTES_PER_TURN)
    }
  }
}
