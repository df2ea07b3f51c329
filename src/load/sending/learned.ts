import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isObject } from '../../codec/json.ts'
import { makeMissing } from '../journal/private-folder.ts'

/** What was found out about a service, which need not be found out again for a while. */
export type Learned = {
  /** Whether it takes batches. */
  readonly takesBatches?: boolean
  /** Whether an entry of a batch changes the one that is there, and does not make another one beside it. */
  readonly updatesInBatches?: boolean
  /** What changes an entry that is there: adding it once more, as ours does, or only updating it by its id. */
  readonly changesBy?: 'post' | 'put'
}

/** What is known of the service of a run. */
export type Knowledge = { readonly known: () => Learned; readonly learn: (more: Learned) => void }

const DAYS_KEPT = 7
const DAY_MS = 86_400_000

/** What an earlier run has kept; nothing where there is no such thing, or it is too old. */
const readKept = (path: string, now: number): Learned => {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isObject(kept) || !(now - Number(kept['at']) < DAYS_KEPT * DAY_MS)) return {}
    const { takesBatches, updatesInBatches, changesBy } = kept
    return {
      ...(takesBatches === false && { takesBatches }),
      ...(updatesInBatches === true && { updatesInBatches }),
      ...((changesBy === 'post' || changesBy === 'put') && { changesBy }),
    }
  } catch {
    return {}
  }
}

/** What is known of a service, kept in a file where there is a path for it; what cannot be kept is found out again. */
export const knowledgeOf = (path: string | undefined, now: () => number): Knowledge => {
  let learned = path === undefined ? {} : readKept(path, now())
  const keep = (): void => {
    if (path === undefined) return
    try {
      makeMissing(dirname(path))
      writeFileSync(path, `${JSON.stringify({ ...learned, at: now() })}\n`, { mode: 0o600 })
    } catch {
      // It is found out again.
    }
  }
  return {
    known: () => learned,
    learn: (more) => {
      learned = { ...learned, ...more }
      keep()
    },
  }
}
