import { KpiError } from '../../domain/errors.ts'

/** How many answers in a row were lost, of what may not be sent again and cannot be read back. */
export type LostAnswers = {
  readonly inARow: () => number
  /** Takes whether the next answer was lost. */
  readonly note: (isLost: boolean) => void
}

/** Bounds the answers lost in a row before the run ends. */
const LOST_IN_A_ROW = 3

export const createLostAnswers = (): LostAnswers => {
  let inARow = 0
  return { inARow: () => inARow, note: (isLost) => void (inARow = isLost ? inARow + 1 : 0) }
}

/** Ends a run in which one answer after the other is lost, as each costs rows of which nobody can tell. */
export const mustAnswer = ({ inARow }: LostAnswers, what: 'entries' | 'batches'): void => {
  if (inARow() < LOST_IN_A_ROW) return
  throw new KpiError(
    'unavailable',
    `the answers to ${inARow()} ${what} in a row were lost, so no more were sent; see that the service answers, and run the same command`,
  )
}
