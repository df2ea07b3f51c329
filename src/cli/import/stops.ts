import { Stopped } from '../../client/stopped.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Io } from '../io.ts'
import type { Deadline } from './deadline.ts'

/** What asks a run to stop: somebody, or its deadline. */
export type Stops = {
  /** Is aborted then; from the first call on Ctrl-C asks to stop, instead of ending the process. */
  readonly signal: () => AbortSignal
  /** Is aborted a while after the deadline, when no answer is waited for any longer. */
  readonly late: AbortSignal
  /** Says of a stop what those cannot know who did not ask for it. */
  readonly explain: (text: string) => string
  /** An error with that, where it tells of a stop, or of what nobody waited for any longer. */
  readonly told: (error: unknown) => unknown
}

/** So long after its deadline a run waits for the answers to what it has sent. */
const GRACE_MS = 5000

const when = (signal: AbortSignal, act: () => void): void => {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

/** Watches for whatever asks a run to stop. */
export const watchStops = (io: Io, { at, said }: Deadline): Stops => {
  const [controller, late] = [new AbortController(), new AbortController()]
  let isLate = false
  when(io.alarm(at - io.now()), () => {
    isLate = !controller.signal.aborted
    controller.abort()
    when(io.alarm(GRACE_MS), () => late.abort())
  })
  let isWatching = false
  const explain = (text: string): string => (isLate ? `the deadline, ${said}, has come; ${text}` : text)
  return {
    signal: () => {
      if (!isWatching) when(io.interruption(), () => controller.abort())
      isWatching = true
      return controller.signal
    },
    late: late.signal,
    explain,
    told: (error) => {
      if (error instanceof Stopped) return new Stopped(explain(error.message))
      const isCut = controller.signal.aborted && error instanceof KpiError && error.mayBeDone
      return isCut ? new Stopped(explain(`${error.message}; run the same command to continue`)) : error
    },
  }
}
