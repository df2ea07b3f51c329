/** Time as whoever waits needs it. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds since some moment, which go on evenly whatever the clock is set to. */
  readonly uptime: () => number
  /** Resolves after so many milliseconds, or at once where `signal` is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}
