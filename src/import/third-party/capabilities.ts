import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isObject } from '../../codec/json.ts'
import { BATCH_LIMIT } from '../../domain/resources/entry.ts'
import { makePrivateFolder } from '../journal/private-folder.ts'

/**
 * Describes an entry that a service accepted and did not list: its key, when that was, and whether the answer proved
 * it.
 */
export type UnlistedEntry = { readonly key: string; readonly at: number; readonly isProven: boolean }

/** Keeps what was found out about a third-party service, so that later runs need not find it out again. */
type Learned = {
  /** Tells that it takes batches, once an answer has proven that one was stored. */
  readonly takesBatches?: boolean
  /** Tells that a batch changes an entry that is stored, and makes no second one beside it. */
  readonly updatesInBatches?: boolean
  /** Tells that the run has found in the list what it sent; not saved for later runs, as a list may lag at times. */
  readonly isRecognised?: boolean | undefined
  /** Tells that it rounds numbers as it stores them. */
  readonly isRounding?: boolean
  /** Names the entry that an earlier run sent, and did not find listed. */
  readonly unlisted?: UnlistedEntry | undefined
  /** Holds the milliseconds by which its list lags, and when the last write was. */
  readonly lagMs?: number
  readonly wroteAt?: number
}

/** Collects what is known of the service of a run, and what the run finds out. */
export type Capabilities = {
  /** Names the file. */
  readonly path: string | undefined
  readonly known: () => Learned
  readonly learn: (more: Learned) => void
  /** Tells that an answer to a single entry has proven once that it was stored. */
  provesEntries: boolean
  /** Tells whether the service removes entries; undefined as long as it was not asked. */
  removes: boolean | undefined
  /** Keeps this run from sending batches, as no answer to one came. */
  avoidsBatches: boolean
  /** Bounds the entries of a batch. */
  mostInBatch: number
  /** Says when the list shows all that earlier runs have written. */
  readonly settledAt: number
  /** Lets one part of a run at a time probe the service. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
}

const DAYS_KEPT = 7
const DAY_MS = 86_400_000
/** Multiplies the lag of a list, to be sure. */
export const LAG_FACTOR = 2

const unlistedIn = ({ key, at, isProven }: Readonly<Record<string, unknown>>): UnlistedEntry => ({
  key: String(key),
  at: Number(at),
  isProven: isProven === true,
})

/** Reads what an earlier run has kept; nothing where there is no such file, or it is too old. */
const readKept = (path: string, now: number): Learned => {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'))
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

/** Opens what is known of a service, kept in a file where there is a path for it; what cannot be kept is found out again. */
export const openCapabilities = (path: string | undefined, now: () => number): Capabilities => {
  let learned = path === undefined ? {} : readKept(path, now())
  const keep = (): void => {
    if (path === undefined) return
    try {
      makePrivateFolder(dirname(path))
      writeFileSync(path, `${JSON.stringify({ ...learned, at: now() })}\n`, { mode: 0o600 })
    } catch {
      // It is found out again.
    }
  }
  let last: Promise<unknown> = Promise.resolve()
  const { lagMs = 0, wroteAt = 0 } = learned
  return {
    path,
    // Where the clock was set back meanwhile, no longer is waited for than the list was late.
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
