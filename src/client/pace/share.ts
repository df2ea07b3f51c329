import { forget, freshPace, type Pace } from './state.ts'

/** Where it is kept what is known of a limit: for one gate, or for those of several processes. */
export type Share = {
  /** Works on what is known, with nobody between. */
  readonly update: <T>(now: number, work: (pace: Pace) => T) => T
  /** Whether others may be using it. */
  readonly isShared: () => boolean
  readonly close: () => void
}

/** What one gate alone knows. */
export const loneShare = (pace: Pace = freshPace()): Share => ({
  update: (now, work) => {
    forget(pace, now)
    return work(pace)
  },
  isShared: () => false,
  close: () => undefined,
})
