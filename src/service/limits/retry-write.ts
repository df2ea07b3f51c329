/** Does a task after a pause, unless the process ends before. */
export type Later = (task: () => void) => void

/** Returns a `Later` with a pause of some seconds, which does not keep the process alive. */
export const afterSeconds =
  (seconds: number): Later =>
  (task) => {
    setTimeout(task, seconds * 1000).unref()
  }

/** Sets how often to repeat a write, and after which pause. */
type Retries = { readonly times: number; readonly later: Later }

/**
 * Repeats an optional write, for which no request waits, if its first attempt fails. Resolves once an attempt succeeds or
 * all have failed.
 */
export const retryWrite = async (
  first: Promise<void>,
  again: () => Promise<void> | undefined,
  { times, later }: Retries,
): Promise<void> => {
  let writing: Promise<void> | undefined = first
  for (let left = times; ; left -= 1) {
    try {
      await writing
      return
    } catch {
      if (left === 0) return
    }
    await new Promise<void>((resolve) => later(resolve))
    writing = again()
  }
}
