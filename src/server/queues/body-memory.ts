import { clearInterval, setInterval } from 'node:timers'
import { KpiError } from '../../domain/errors.ts'
import { MEBIBYTE } from '../../domain/limits.ts'
import { createFairSemaphore, createCountByAccount } from './shares.ts'

/** Sets the size up to which a body needs no permission: small bodies are read and processed as they come. */
const SMALL_BYTES = 16_384
/** Sets the size above which a body always needs permission, before it is read. */
export const LARGE_BYTES = MEBIBYTE
/** Sets the bytes in memory, of one account or of all, above which also medium bodies need permission. */
const HELD_BYTES = { perAccount: 8 * MEBIBYTE, total: 32 * MEBIBYTE }
/** Sets the bytes in memory above which an account over its own `HELD_BYTES` gets an error instead. */
const MAX_HELD_BYTES = 128 * MEBIBYTE
/** Estimates how much of a body may have arrived before the service reads any of it. */
const ARRIVED_BYTES = 65_536
/** Sets how many bodies with permission are read at a time; so many are processed, and so many drained. */
const BODY_SLOTS = { max: 3, maxPerAccount: 2 }
/** Sets how much of a body must arrive in each period while others wait. */
const MIN_PROGRESS_BYTES = 131_072
const PERIOD_MS = 2000
const RETRY_SECONDS = 5

/** Decides when one body may be read and processed. */
export type BodyPlace = {
  /** Waits until a body with this Content-Length may be read; returns undefined if it may be read at once. */
  readonly onAnnounced: (bytes: number) => Promise<void> | undefined
  /** Counts a chunk, and waits until the body may be read further; returns undefined if it may at once. */
  readonly onChunk: (bytes: number) => Promise<void> | undefined
  /** Notes that the whole body arrived, and waits until it may be processed; returns undefined if it may at once. */
  readonly onWhole: () => Promise<void> | undefined
  /** Frees the memory and slots of the body, so that others may go on. */
  readonly leave: () => void
}

/** Bounds the memory that bodies, and the work on them, take together. */
export type BodyMemory = {
  /** Creates the place of one body; `cut` stops reading it, if it comes too slowly. */
  readonly place: (account: () => string, cut: (reason: KpiError) => void) => BodyPlace
  /** Waits until the rest of an unwanted body from an address may be drained; resolves to a function that ends it. */
  readonly beginDrain: (address: string) => Promise<() => void>
}

type BodyReader = { readonly cut: (reason: KpiError) => void; isReading: boolean; bytes: number }

const tooSlowError = (): KpiError =>
  new KpiError('too_slow', 'the body came too slowly while other large ones waited; send it again, or in smaller parts')

/** Returns the error for too many large bodies. */
export const tooManyBodiesError = (): KpiError =>
  new KpiError('too_slow', 'too many large bodies came at once; send it again later', { retryAfter: RETRY_SECONDS })

/** Cuts the bodies of which too little arrived since the last call. */
const cutSlow = (readers: Iterable<BodyReader>): void => {
  for (const reader of readers) {
    if (reader.isReading && reader.bytes < MIN_PROGRESS_BYTES) reader.cut(tooSlowError())
    reader.bytes = 0
  }
}

/** Creates the limit of bodies read at a time. It cuts slow senders, but only while others wait. */
const createReading = (periodMs: number) => {
  const places = createFairSemaphore(BODY_SLOTS)
  const readers = new Set<BodyReader>()
  let looking: NodeJS.Timeout | undefined
  const look = (): void => {
    if (places.isAwaited()) return cutSlow(readers)
    clearInterval(looking)
    looking = undefined
  }
  return async (account: string, reader: BodyReader): Promise<() => void> => {
    const beginning = places.begin(account)
    if (places.isAwaited()) looking ??= setInterval(look, periodMs).unref()
    const end = await beginning
    readers.add(reader)
    return () => {
      readers.delete(reader)
      end()
    }
  }
}

/** Creates the memory for bodies, shared fairly between accounts. */
export const createBodyMemory = (periodMs = PERIOD_MS): BodyMemory => {
  const [read, work, drains] = [
    createReading(periodMs),
    createFairSemaphore(BODY_SLOTS),
    createFairSemaphore(BODY_SLOTS),
  ]
  const held = createCountByAccount()

  const needsPermission = (account: string, size: number, more = 0): boolean => {
    if (size <= SMALL_BYTES) return false
    const isOverShare = held.of(account) + more > HELD_BYTES.perAccount
    if (isOverShare && held.total() > MAX_HELD_BYTES) throw tooManyBodiesError()
    return size > LARGE_BYTES || isOverShare || held.total() + more > HELD_BYTES.total
  }
  const place: BodyMemory['place'] = (accountOf, cut) => {
    const reader: BodyReader = { cut, isReading: true, bytes: 0 }
    const ends: (() => void)[] = []
    let [size, isLetIn, isOver] = [0, false, false]
    const keep = (end: () => void): void => {
      // The request may have ended while it waited.
      if (isOver) end()
      else ends.push(end)
    }
    const letIn = (): Promise<void> => {
      isLetIn = true
      return read(accountOf(), reader).then(keep)
    }
    const count = (bytes: number): void => {
      if (isOver) return
      size += bytes
      held.add(accountOf(), bytes)
    }
    return {
      onAnnounced: (bytes) => {
        if (!needsPermission(accountOf(), bytes, bytes)) return undefined
        const arrived = Math.min(bytes, ARRIVED_BYTES)
        count(arrived)
        return letIn().then(() => count(-arrived))
      },
      onChunk: (bytes) => {
        count(bytes)
        reader.bytes += bytes
        return !isLetIn && !isOver && needsPermission(accountOf(), size) ? letIn() : undefined
      },
      onWhole: () => {
        reader.isReading = false
        return size > SMALL_BYTES ? work.begin(accountOf()).then(keep) : undefined
      },
      leave: () => {
        count(-size)
        isOver = true
        for (const end of ends.splice(0)) end()
      },
    }
  }
  return { place, beginDrain: drains.begin }
}
