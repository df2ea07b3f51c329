import { Aborted } from '../../../../client/transport.ts'
import { KpiError } from '../../../../domain/errors.ts'
import { alarmAt, type Deadline, GRACE_MS, STOPPED_GRACE_MS } from '../../../args/deadline.ts'
import type { Io } from '../../../io.ts'

/** Describes what stops a run: the user, or its deadline. */
export type StopSignals = {
  /** Is aborted then. Once it is read, Ctrl-C asks to stop instead of ending the process. */
  readonly signal: () => AbortSignal
  /** Is aborted a while after that, when no answer is waited for any longer. */
  readonly late: AbortSignal
  /** Says of a stop what those cannot know who did not ask for it. */
  readonly explain: (text: string) => string
  /** Returns an error with the reason for the stop, where it comes from one. */
  readonly withStopReason: (error: unknown) => unknown
}

const when = (signal: AbortSignal, act: () => void): void => {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

/** Watches for whatever asks a run to stop. */
export const watchStopSignals = (io: Io, { at, spelling }: Deadline): StopSignals => {
  const [controller, late] = [new AbortController(), new AbortController()]
  let isLate = false
  when(alarmAt(io, at), () => {
    isLate = !controller.signal.aborted
    controller.abort()
    when(io.alarm(GRACE_MS), () => late.abort())
  })
  let isWatching = false
  const explain = (text: string): string => (isLate ? `the deadline (${spelling}) has passed; ${text}` : text)
  return {
    signal: () => {
      if (!isWatching)
        when(io.interruption(), () => {
          controller.abort()
          when(io.alarm(STOPPED_GRACE_MS), () => late.abort())
        })
      isWatching = true
      return controller.signal
    },
    late: late.signal,
    explain,
    withStopReason: (error) => {
      if (error instanceof Aborted) return new Aborted(explain(error.message))
      const isCut = controller.signal.aborted && error instanceof KpiError && error.mayBeDone
      return isCut ? new Aborted(explain(`${error.message}; run the same command to continue`)) : error
    },
  }
}

const STOPPING = 'stopping once the requests in flight are answered; press Ctrl-C again to end at once'

/** Says at a terminal that a run stops, as soon as it is asked to. */
export const tellStopping = (
  { stderr }: Io,
  { signal, explain }: Pick<StopSignals, 'signal' | 'explain'>,
  note: (text: string) => void,
): void => {
  if (stderr.isTerminal) signal().addEventListener('abort', () => note(explain(STOPPING)))
}
