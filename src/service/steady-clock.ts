import type { ClockMark, Millis } from '../store/limits.ts'

/**
 * The time by a clock that may be set back, as one that never goes back: it stands still for that moment and goes on
 * from there. What was counted then seems younger than it is, by no more than was left of its minute, so that nobody
 * gets through who should not, and nobody waits for the clock to catch up.
 */
export const steadyTime = ({ lastAt, shift }: ClockMark, now: Millis): ClockMark =>
  now + shift >= lastAt ? { lastAt: now + shift, shift } : { lastAt, shift: lastAt - now }
