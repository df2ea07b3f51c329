import { dirname } from 'node:path'
import { isObject } from '../../codec/json.ts'
import { BATCH_LIMIT } from '../../domain/resources/entry.ts'
import { readRegularFile } from '../../files/read-file.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { makePrivateFolder } from '../journal/private-folder.ts'

/**
 * Describes an entry that a service accepted but did not list: its key, when it was sent, and whether the answer proved
 * that it was stored.
 */
export type UnlistedEntry = { readonly key: string; readonly at: number; readonly isProven: boolean }

/** Holds what was learned about a third-party service, so that later runs need not learn it again. */
type Learned = {
  /** Tells whether the service takes batches; true once an answer has proven that one was stored. */
  readonly takesBatches?: boolean
  /** Tells whether a batch updates a stored entry instead of making a second one beside it. */
  readonly updatesInBatches?: boolean
  /**
   * Tells that the run has found an entry that it sent in the list; not kept for other runs, as a list may lag at
   * times.
   */
  readonly isRecognised?: boolean | undefined
  /** Tells that the service rounds numbers when it stores them. */
  readonly isRounding?: boolean
  /** Names the entry that an earlier run sent and did not find in the list. */
  readonly unlisted?: UnlistedEntry | undefined
  /** Holds by how many milliseconds the list lags, and when the last write was. */
  readonly lagMs?: number
  readonly wroteAt?: number
}

/** Holds what is known about the service of a run, and what the run learns. */
export type Capabilities = {
  /** Names the file that keeps it for later runs. */
  readonly path: string | undefined
  readonly known: () => Learned
  readonly learn: (more: Learned) => void
  /** Tells that the answer to a single entry has proven, at least once, that it was stored. */
  provesEntries: boolean
  /** Tells whether the service removes entries; undefined until the run has tried. */
  removes: boolean | undefined
  /** Tells that this run sends no batches, because they get no answers. */
  avoidsBatches: boolean
  /** Sets the most entries of a batch. */
  mostInBatch: number
  /** Holds the time from which the list shows everything that earlier runs wrote. */
  readonly settledAt: number
  /** Runs `work` once all earlier calls have ended, so that only one interval at a time tries something out. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
}

const DAYS_KEPT = 7
const DAY_MS = 86_400_000
/** Multiplies the lag of a list, for safety. */
export const LAG_FACTOR = 2

const unlistedIn = ({ key, at, isProven }: Readonly<Record<string, unknown>>): UnlistedEntry => ({
  key: String(key),
  at: Number(at),
  isProven: isProven === true,
})

/** Reads what an earlier run has kept; empty if there is no such file, or it is too old. */
const readKept = (path: string, now: number): Learned => {
  try {
    const kept: unknown = JSON.parse(readRegularFile(path).toString())
    if (!isObject(kept) || !(now - Number(kept['at']) < DAYS_KEPT * DAY_MS)) return {}
    const { takesBatches, updatesInBatches, isRounding, unlisted, lagMs, wroteAt } = kept
    return {
      ...(takesBatches === false && { takesBatches }),
      ...(typeof updatesInBatches === 'boolean' && { updatesInBatches }),
      ...(isRounding === true && { isRounding }),
      ...(isObject(unlisted) && { unlisted: unlistedIn(unlisted) }),
      ...(typeof lagMs === 'number' && typeof wroteAt === 'number' && { lagMs, wroteAt }),
    }
  } catch {
    return {}
  }
}

/**
 * Opens what is known about a service. It is kept in a file if there is a path for one; what cannot be kept is learned
 * again.
 */
export const openCapabilities = (path: string | undefined, now: () => number): Capabilities => {
  let learned = path === undefined ? {} : readKept(path, now())
  const keep = (): void => {
    if (path === undefined) return
    try {
      makePrivateFolder(dirname(path))
      replaceFile(path, `${JSON.stringify({ ...learned, at: now() })}\n`)
    } catch {
      // It is learned again.
    }
  }
  let last: Promise<unknown> = Promise.resolve()
  const { lagMs = 0, wroteAt = 0 } = learned
  return {
    path,
    // If the clock was set back meanwhile, wait no longer than the list lagged.
    settledAt: Math.min(wroteAt, now()) + LAG_FACTOR * lagMs,
    known: () => learned,
    learn: (more) => {
      const before = JSON.stringify(learned)
      learned = { ...learned, ...more }
      if (JSON.stringify(learned) !== before) keep()
    },
    provesEntries: false,
    removes: undefined,
    avoidsBatches: false,
    mostInBatch: BATCH_LIMIT,
    alone: (work) => {
      const turn = last.then(work)
      last = turn.catch(() => undefined)
      return turn
    },
  }
}
