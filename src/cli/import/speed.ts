import type { Progress } from '../../load/prepare.ts'

/** How fast it goes, as far as that can be told. */
export type Speed = {
  /** Rows or entries a second. */
  readonly perSecond: number | undefined
  /** Milliseconds until all is done, at that speed. */
  readonly leftMs: number | undefined
}

/** Sooner than that a speed is chance. */
const LEAST_MS = 1000

/** Measures how fast each phase of the work on a file goes, from what was done when it began, as a run may continue another. */
export const createSpeedometer = (): ((step: Progress, now: number) => Speed) => {
  let from: (Progress & { readonly at: number }) | undefined
  return (step, now) => {
    if (!from || from.phase !== step.phase || from.total !== step.total) from = { ...step, at: now }
    const [done, time] = [step.done - from.done, now - from.at]
    if (done <= 0 || time < LEAST_MS) return { perSecond: undefined, leftMs: undefined }
    const leftMs = step.total === undefined ? undefined : ((step.total - step.done) * time) / done
    return { perSecond: Math.round((done * 1000) / time), leftMs }
  }
}
