import type { Progress } from '../../load/import.ts'

/** How fast it goes, as far as that can be told. */
export type Speed = {
  /** Rows or entries a second. */
  readonly perSecond: number | undefined
  /** Milliseconds until all is done, at that speed. */
  readonly leftMs: number | undefined
  /** What a request did, on average. */
  readonly perRequest?: number | undefined
}

/** Sooner than that a speed is chance. */
const LEAST_MS = 1000

/** Of what is slow, hundredths still tell something. */
const rounded = (value: number): number => (value < 10 ? Math.round(value * 100) / 100 : Math.round(value))

/** Measures how fast each phase of the work on a file goes, from what was done when it began, as a run may continue another. */
export const createSpeedometer = (requests: () => number = () => 0): ((step: Progress, now: number) => Speed) => {
  let from: (Progress & { readonly at: number; readonly requests: number }) | undefined
  return (step, now) => {
    if (!from || from.phase !== step.phase || from.total !== step.total)
      from = { ...step, at: now, requests: requests() }
    const [done, time] = [step.done - from.done, now - from.at]
    const sent = requests() - from.requests
    const perRequest = done > 0 && sent > 0 ? { perRequest: done / sent } : {}
    if (done <= 0 || time < LEAST_MS) return { perSecond: undefined, leftMs: undefined, ...perRequest }
    const leftMs = step.total === undefined ? undefined : ((step.total - step.done) * time) / done
    return { perSecond: rounded((done * 1000) / time), leftMs, ...perRequest }
  }
}
