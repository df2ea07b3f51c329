import type { ExitCode } from '../../../exit.ts'
import { AsyncLocalStorage } from 'node:async_hooks'

/** Describes the journal of an import that has finished. */
type Finished = {
  /** Removes the journal. */
  readonly forget: () => void
  /** Tells whether the import added to what is stored, so that another one of the same rows would add them again. */
  readonly isAdding: boolean
}

const keeper = new AsyncLocalStorage<Finished[]>()

/** Removes the journals of finished imports, or leaves that to the job of which this command line is a part. */
export const endJournals = (finished: readonly Finished[]): void => {
  const kept = keeper.getStore()
  if (kept) kept.push(...finished)
  else for (const { forget } of finished) forget()
}

/**
 * Runs a command line that imports a file, and keeps its journal: until that is removed, the same command line sends
 * nothing of the file again. `forget` removes it; `forgetHarmless` only where sending the file again would change nothing.
 */
export const keepingJournals = async (
  run: () => Promise<ExitCode>,
): Promise<{ readonly code: ExitCode; readonly forget: () => void; readonly forgetHarmless: () => void }> => {
  const kept: Finished[] = []
  const code = await keeper.run(kept, run)
  const forgetAll = (some: readonly Finished[]): void => {
    for (const { forget } of some) forget()
  }
  return {
    code,
    forget: () => forgetAll(kept),
    forgetHarmless: () => forgetAll(kept.filter(({ isAdding }) => !isAdding)),
  }
}
