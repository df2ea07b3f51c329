import type { Io } from '../io.ts'

/** What asks a run to stop. */
export type Stops = {
  /** Is aborted then; from the first call on Ctrl-C asks to stop, instead of ending the process. */
  readonly signal: () => AbortSignal
}

/** Watches for whatever asks a run to stop. */
export const watchStops = (io: Io): Stops => ({ signal: () => io.interruption() })
