import { nextTurn, stopped } from '../../client/next-turn.ts'
import type { FileBytes } from './inspect.ts'

/** Returns the signal that asks to stop. Once it is read, Ctrl-C asks to stop instead of ending the process. */
export type StopSignal = () => AbortSignal

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
