/** Codes of the errors that a wait for an answer is ended with here, as those of the network have theirs. */
export const TOO_SLOW = 'ANSWER_TOO_SLOW'
export const NOT_CONNECTED = 'NOT_CONNECTED_IN_TIME'
export const GIVEN_UP = 'ANSWER_GIVEN_UP'
export const TOO_LARGE = 'ANSWER_TOO_LARGE'

/** An error with a code. */
export const failure = (code: string): Error => Object.assign(new Error(code), { code })

/** Ends a wait once its time is over, or somebody no longer wants it. */
export type GivingUp = {
  /** Is aborted then, with the error to end with. */
  readonly signal: AbortSignal
  /** So many milliseconds from now on, whatever was allowed before; then it ends with an error of that code. */
  readonly allow: (milliseconds: number, code: () => string) => void
  /** The wait is over. */
  readonly end: () => void
}

/** What a timer can wait. */
const LONGEST_MS = 2 ** 31 - 1

/** Watches a wait that is given up when `unwanted` is aborted. */
export const watchWait = (unwanted: AbortSignal | undefined): GivingUp => {
  const controller = new AbortController()
  const giveUp = (): void => controller.abort(failure(GIVEN_UP))
  let timer: NodeJS.Timeout | undefined
  if (unwanted?.aborted) giveUp()
  unwanted?.addEventListener('abort', giveUp)
  return {
    signal: controller.signal,
    allow: (milliseconds, code) => {
      clearTimeout(timer)
      timer = setTimeout(() => controller.abort(failure(code())), Math.min(LONGEST_MS, milliseconds))
    },
    end: () => {
      clearTimeout(timer)
      unwanted?.removeEventListener('abort', giveUp)
    },
  }
}
