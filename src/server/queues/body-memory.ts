import { clearInterval, setInterval } from 'node:timers'
import { KpiError } from '../../domain/errors.ts'
import { MEBIBYTE } from '../../domain/limits.ts'
import { createFairSemaphore, createCountByAccount } from './shares.ts'

/** Tells small bodies, which are read and worked on as they come. */
const SMALL_BYTES = 16_384
/** Tells large bodies, which have to be let in before they are read. */
export const LARGE_BYTES = MEBIBYTE
/** Sets the bytes from which all bodies of an account, or of all, wait for permission unless they are small. */
const HELD_BYTES = { ofOne: 8 * MEBIBYTE, ofAll: 32 * MEBIBYTE }
/** Sets the bytes of all bodies from which those of an account above its share are refused. */
const MOST_HELD_BYTES = 128 * MEBIBYTE
/** Counts what may have arrived of a body before anything of it is read. */
const ARRIVED_BYTES = 65_536
/** Sets how many large bodies are read at a time, and how many that are not small are worked on. */
const SHARE = { most: 3, ofOne: 2 }
/** Sets how much of a body must arrive in each period while others wait. */
const LEAST_BYTES = 131_072
const LOOK_MS = 2000
const RETRY_SECONDS = 5

/** Lets one body be read and worked on when it is its turn. */
export type BodyPlace = {
  /** Waits until a body that announces so many bytes may be read; undefined where that is at once. */
  readonly onAnnounced: (bytes: number) => Promise<void> | undefined
  /** Counts a chunk, and waits until the body may be read on; undefined where that is at once. */
  readonly onChunk: (bytes: number) => Promise<void> | undefined
  /** Takes note that all of it has come, and waits until it may be worked on; undefined where that is at once. */
  readonly onWhole: () => Promise<void> | undefined
  /** Lets the next ones in. */
  readonly leave: () => void
}

/** Lets the bodies of requests in, so that together they do not fill the memory, nor what is made of them. */
export type BodyMemory = {
  /** Makes a place for the body of a request; `cut` ends the reading of one that comes too slowly. */
  readonly place: (account: () => string, cut: (reason: KpiError) => void) => BodyPlace
  /** Waits until what is left of a body that nobody wanted may be read, for an address; answers how to end that. */
  readonly beginDrain: (address: string) => Promise<() => void>
}

type BodyReader = { readonly cut: (reason: KpiError) => void; isReading: boolean; bytes: number }

const tooSlow = (): KpiError =>
  new KpiError('too_slow', 'the body came too slowly while other large ones waited; send it again, or in smaller parts')

/** Makes the error for a body that is not to blame for there being no room. */
export const tooManyBodies = (): KpiError =>
  new KpiError('too_slow', 'too many large bodies came at once; send it again later', { retryAfter: RETRY_SECONDS })

/** Ends the reading of bodies of which too little came since the last look. */
const cutSlow = (readers: Iterable<BodyReader>): void => {
  for (const reader of readers) {
    if (reader.isReading && reader.bytes < LEAST_BYTES) reader.cut(tooSlow())
    reader.bytes = 0
  }
}

/** Lets large bodies be read a few at a time. A sender who is slow keeps its place only as long as nobody waits for it. */
const createReading = (lookMs: number) => {
  const places = createFairSemaphore(SHARE)
  const readers = new Set<BodyReader>()
  let looking: NodeJS.Timeout | undefined
  const look = (): void => {
    if (places.isAwaited()) return cutSlow(readers)
    clearInterval(looking)
    looking = undefined
  }
  return async (account: string, reader: BodyReader): Promise<() => void> => {
    const beginning = places.begin(account)
    if (places.isAwaited()) looking ??= setInterval(look, lookMs).unref()
    const end = await beginning
    readers.add(reader)
    return () => {
      readers.delete(reader)
      end()
    }
  }
}

/** Creates the memory for bodies, shared fairly between accounts. */
export const createBodyMemory = (lookMs = LOOK_MS): BodyMemory => {
  const [read, work, drains] = [createReading(lookMs), createFairSemaphore(SHARE), createFairSemaphore(SHARE)]
  const held = createCountByAccount()

  const needsPermission = (account: string, size: number, more = 0): boolean => {
    if (size <= SMALL_BYTES) return false
    const isOverShare = held.of(account) + more > HELD_BYTES.ofOne
    if (isOverShare && held.total() > MOST_HELD_BYTES) throw tooManyBodies()
    return size > LARGE_BYTES || isOverShare || held.total() + more > HELD_BYTES.ofAll
  }
  const place: BodyMemory['place'] = (accountOf, cut) => {
    const reader: BodyReader = { cut, isReading: true, bytes: 0 }
    const ends: (() => void)[] = []
    let [size, isLetIn, isOver] = [0, false, false]
    const keep = (end: () => void): void => {
      // It may have been given up while it waited.
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
