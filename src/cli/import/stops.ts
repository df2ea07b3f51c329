import { Stopped } from '../../client/stopped.ts'
import type { Io } from '../io.ts'
import type { Deadline } from './deadline.ts'

/** What asks a run to stop: somebody, or its deadline. */
export type Stops = {
  /** Is aborted then; from the first call on Ctrl-C asks to stop, instead of ending the process. */
  readonly signal: () => AbortSignal
  /** Says of a stop what those cannot know who did not ask for it. */
  readonly explain: (text: string) => string
  /** An error with that, where it tells of a stop. */
  readonly told: (error: unknown) => unknown
}

const when = (signal: AbortSignal, act: () => void): void => {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

/** Watches for whatever asks a run to stop. */
export const watchStops = (io: Io, { at, said }: Deadline): Stops => {
  const controller = new AbortController()
  let isLate = false
  when(io.alarm(at - io.now()), () => {
    isLate = !controller.signal.aborted
    controller.abort()
  })
  let isWatching = false
  const explain = (text: string): string => (isLate ? `the deadline, ${said}, has come; ${text}` : text)
  return {
    signal: () => {
      if (!isWatching) when(io.interruption(), () => controller.abort())
      isWatching = true
      return controller.signal
    },
    explain,
    told: (error) => (error instanceof Stopped ? new Stopped(explain(error.message)) : error),
  }
}
