import { AsyncLocalStorage } from 'node:async_hooks'
import type { Json } from '../../../codec/json.ts'

/** Describes something that a check found: as its JSON has it, and in a few words. */
type ToldProblem = { readonly record: Readonly<Record<string, Json>>; readonly words: string }

/** Holds the first problems that a check found, and how many it found in all. */
export type ToldProblems = { readonly count: number; readonly first: readonly ToldProblem[] }

/** Bounds how many problems are told one by one. */
const MOST_TOLD = 100

const hearer = new AsyncLocalStorage<(problems: ToldProblems) => void>()

/** Tells a job, of which this command line may be a part, what a check found. */
export const tellProblems = <T>(problems: readonly T[], describe: (problem: T) => ToldProblem): void => {
  hearer.getStore()?.({ count: problems.length, first: problems.slice(0, MOST_TOLD).map(describe) })
}

/** Runs a command line; returns its result, and what it found where it is a check. */
export const hearingProblems = async <T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly problems: ToldProblems | undefined }> => {
  let problems: ToldProblems | undefined
  const result = await hearer.run((told) => (problems = told), run)
  return { result, problems }
}
