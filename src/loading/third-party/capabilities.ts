import { dirname } from 'node:path'
import { isObject } from '../../codec/json.ts'
import { BATCH_LIMIT } from '../../domain/resources/entry.ts'
import { readRegularFile } from '../../files/read-file.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { makePrivateFolder } from '../../files/place.ts'

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
  /** Assumes for some time, in this run alone, that batches update nothing: what was tried has shown nothing. */
  readonly assumeNoUpdates: () => void
  /** Tells that the answer to a single entry has proven, at least once, that it was stored. */
  provesEntries: boolean
  /** Tells whether the service removes entries; undefined until the run has tried. */
  removes: boolean | undefined
  /** Tells whether batches may be sent now: not for some time after one was refused or got no answer. */
  readonly maySendBatch: () => boolean
  /** Tells whether batches were refused or got no answer since one was accepted. */
  readonly doubtsBatches: () => boolean
  /** Notes that batches were refused or got no answer: the next one is tried some time later, each time twice as long. */
  readonly avoidBatches: () => void
  /** Notes that a batch of so many entries was accepted; after several of the largest size, larger ones are tried again. */
  readonly noteBatch: (entries: number) => void
  /** Returns the most entries of a batch. */
  readonly mostInBatch: () => number
  /** Halves the size of batches, because those of so many entries get no answers. */
  readonly halveBatches: (entries: number) => void
  /** Holds the time from which the list shows everything that earlier runs wrote. */
  readonly settledAt: number
  /** Runs `work` once all earlier calls have ended, so that only one interval at a time tries something out. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
}

const DAYS_KEPT = 7
/** Sets how long entries are sent one by one until a batch is tried again, at first and at most. */
const FIRST_AVOIDANCE_MS = 60_000
const LONGEST_AVOIDANCE_MS = 16 * 60_000
/** Sets how many batches in a row must be accepted until larger ones are tried again, at first. */
const ACCEPTED_IN_A_ROW = 10
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
  /** Tells whether a time is still to come; if the clock was set back meanwhile, no longer than it was to last. */
  const isAhead = (time: number, lastsMs: number): boolean => now() < time && time - now() <= lastsMs
  let last: Promise<unknown> = Promise.resolve()
  let avoidanceMs = 0
  let batchesFrom = -Infinity
  const avoidBatches = (): void => {
    avoidanceMs = Math.min(LONGEST_AVOIDANCE_MS, Math.max(FIRST_AVOIDANCE_MS, avoidanceMs * 2))
    batchesFrom = now() + avoidanceMs
  }
  if (learned.takesBatches === false) avoidBatches()
  let assumedUntil = -Infinity
  let most: number = BATCH_LIMIT
  let [accepted, needed] = [0, ACCEPTED_IN_A_ROW]
  const { lagMs = 0, wroteAt = 0 } = learned
  return {
    path,
    // If the clock was set back meanwhile, wait no longer than the list lagged.
    settledAt: Math.min(wroteAt, now()) + LAG_FACTOR * lagMs,
    known: () => (isAhead(assumedUntil, LONGEST_AVOIDANCE_MS) ? { ...learned, updatesInBatches: false } : learned),
    assumeNoUpdates: () => {
      assumedUntil = now() + LONGEST_AVOIDANCE_MS
    },
    learn: (more) => {
      const before = JSON.stringify(learned)
      learned = { ...learned, ...more }
      if (JSON.stringify(learned) !== before) keep()
    },
    provesEntries: false,
    removes: undefined,
    maySendBatch: () => !isAhead(batchesFrom, avoidanceMs),
    doubtsBatches: () => avoidanceMs > 0,
    avoidBatches,
    noteBatch: (entries) => {
      ;[avoidanceMs, batchesFrom] = [0, -Infinity]
      if (entries < most || most === BATCH_LIMIT) return
      accepted += 1
      if (accepted < needed) return
      most = Math.min(BATCH_LIMIT, most * 2)
      ;[accepted, needed] = [0, needed * 2]
    },
    mostInBatch: () => most,
    halveBatches: (entries) => {
      most = Math.min(most, Math.ceil(entries / 2))
      accepted = 0
    },
    alone: (work) => {
      const turn = last.then(work)
      last = turn.catch(() => undefined)
      return turn
    },
  }
}
