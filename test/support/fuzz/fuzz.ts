import fc from 'fast-check'
import { curlOf, type FuzzRequest } from './request.ts'
import { requestsTo } from './requests.ts'
import type { Fuzzed } from './run.ts'

/** Which runs are made: so many from a seed, or, with a path, just the one that once failed and what it was shrunk to. */
export type Runs = { readonly seed: number; readonly count: number; readonly path?: string | undefined }

/** Reads what a failure has named: a seed, and after a colon the path. */
export const parseSeed = (text: string): Pick<Runs, 'seed' | 'path'> => {
  const [seed = '', ...path] = text.split(':')
  return { seed: Number(seed), path: path.length > 0 ? path.join(':') : undefined }
}

const MOST_REQUESTS = 8

/** What failed: how to run it again, the requests that it was shrunk to, and what was wrong with the last answer. */
const toldOf = (seed: string, requests: readonly FuzzRequest[], faults: string): string =>
  [`SEED=${seed} npx vitest run test/server/fuzz.test.ts`, ...requests.map(curlOf), faults].join('\n')

class Wrong extends Error {}

/** Leaves out requests, one after another, without which it fails, too: what is drawn as a list is not shrunk in its middle. */
const fewest = async ({ run }: Fuzzed, failed: readonly FuzzRequest[]): Promise<readonly FuzzRequest[]> => {
  let left = failed
  for (const request of failed.toReversed()) {
    const fewer = left.filter((one) => one !== request)
    if (fewer.length > 0 && (await run(fewer)).length > 0) left = fewer
  }
  return left
}

/** Sends drawn requests, and answers what failed, shrunk; undefined where nothing did. */
export const fuzz = async (fuzzed: Fuzzed, { seed, count, path }: Runs): Promise<string | undefined> => {
  const requests = fc.array(requestsTo(fuzzed.descriptions), { minLength: 1, maxLength: MOST_REQUESTS })
  const property = fc.asyncProperty(requests, async (all) => {
    const faults = await fuzzed.run(all)
    if (faults.length > 0) throw new Wrong(faults.join('\n'))
  })
  const details = await fc.check(property, { seed, numRuns: count, ...(path !== undefined && { path }) })
  if (!details.failed) return undefined
  const { counterexample, counterexamplePath, errorInstance } = details
  const left = await fewest(fuzzed, counterexample?.[0] ?? [])
  const faults = (await fuzzed.run(left)).join('\n')
  const again = [seed, counterexamplePath].join(':')
  return toldOf(again, left, faults === '' ? `not again: ${String(errorInstance)}` : faults)
}
