import { closeSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isObject } from '../../codec/json.ts'
import { isBrokenFile } from '../../domain/sqlite-result.ts'
import type { SharedState } from './limiter.ts'
import { forgetOldRequests, initialState, type WindowKind, type LimitState, type SentRequests } from './state.ts'

const KINDS: readonly WindowKind[] = ['unknown', 'sliding', 'fixed', 'bucket', 'trial']

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const isSent = (value: unknown): value is SentRequests =>
  Array.isArray(value) && value.length === 2 && isNumber(value[0]) && isNumber(value[1]) && value[1] > 0

const sentIn = (value: unknown): SentRequests[] =>
  Array.isArray(value) ? value.filter(isSent).sort(([a], [b]) => a - b) : []

const pendingIn = (value: unknown): Record<string, number> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).flatMap(([name, at]) => (isNumber(at) ? [[name, at]] : [])))
    : {}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the state of a limit as text. */
const textOfPace = (state: LimitState): string => JSON.stringify(state)

/** Reads it from text; what cannot be read counts as not known, as a file may hold anything. */
const paceOfText = (text: string): LimitState | undefined => {
  const fields = parsed(text)
  const fresh = initialState()
  if (!isObject(fields)) return undefined
  const limit = fields['limit']
  // Nothing is known of a limit that was not met yet; what else there is tells what was sent.
  if (limit !== null && !(isNumber(limit) && limit >= 1)) return undefined
  const numberOf = (name: string, otherwise: number): number => {
    const value = fields[name]
    return isNumber(value) ? value : otherwise
  }
  const maybeNumber = (name: string): number | null => {
    const value = fields[name]
    return isNumber(value) && value > 0 ? value : null
  }
  return {
    limit,
    isTold: fields['isTold'] === true,
    windowMs: Math.max(1000, numberOf('windowMs', fresh.windowMs)),
    kind: KINDS.find((kind) => kind === fields['kind']) ?? fresh.kind,
    judgedAt: numberOf('judgedAt', 0),
    mistakes: numberOf('mistakes', 0),
    boundary: numberOf('boundary', 0),
    level: numberOf('level', 0),
    levelAt: numberOf('levelAt', 0),
    capacity: Math.max(1, numberOf('capacity', 1)),
    tried: numberOf('tried', 0),
    passed: numberOf('passed', 0),
    rate: maybeNumber('rate'),
    emptyAt: numberOf('emptyAt', 0),
    raiseAt: numberOf('raiseAt', 0),
    notBefore: numberOf('notBefore', 0),
    pauses: numberOf('pauses', 0),
    log: sentIn(fields['log']),
    foreign: sentIn(fields['foreign']),
    pending: pendingIn(fields['pending']),
    accepted: numberOf('accepted', 0),
    leadMs: maybeNumber('leadMs'),
    isMiscounted: fields['isMiscounted'] === true,
    guardMs: Math.max(0, numberOf('guardMs', fresh.guardMs)),
  }
}

/** Sets how often the file is read while no limit is known, in case another process has found one. */
const LOOK_MS = 1000
/** Sets the age at which a state is discarded. */
const STALE_MS = 3_600_000

/**
 * Configures the file: its content need not survive a loss of power, and changes are small. A process that is killed in
 * the middle of one leaves the file as it was.
 */
const SETTINGS = `
  pragma busy_timeout = 1000;
  pragma journal_mode = truncate;
  pragma synchronous = off;
  create table if not exists pace (id integer primary key check (id = 1), text text not null)`

type File = {
  /** Begins to work on what the file holds, with nobody between. */
  readonly begin: () => LimitState | undefined
  readonly commit: (state: LimitState) => void
  readonly close: () => void
}

const openFile = (path: string, isKept: (state: LimitState) => boolean): File => {
  // SQLite would make a file that everybody can read.
  closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path)
  try {
    database.exec(SETTINGS)
    const read = database.prepare('select text from pace')
    const write = database.prepare('insert or replace into pace (id, text) values (1, ?)')
    return {
      begin: () => {
        database.exec('begin immediate')
        const text = read.get()?.['text']
        return typeof text === 'string' ? paceOfText(text) : undefined
      },
      commit: (state) => {
        if (isKept(state)) write.run(textOfPace(state))
        database.exec('commit')
      },
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens the file; one that is none of SQLite's is made anew. */
const openAnew = (path: string, isKept: (state: LimitState) => boolean): File => {
  try {
    return openFile(path, isKept)
  } catch (error) {
    if (!isBrokenFile(error)) throw error
    rmSync(path)
    return openFile(path, isKept)
  }
}

/** Returns when requests were last sent. */
const usedAt = ({ log, judgedAt }: LimitState): number => Math.max(log.at(-1)?.[0] ?? 0, judgedAt)

/** Joins the state of another process with what this one sent before it looked. */
const join = (known: LimitState, own: LimitState): LimitState => {
  const log = [...known.log, ...own.log].sort(([a], [b]) => a - b)
  return { ...known, log, pending: { ...known.pending, ...own.pending } }
}

/**
 * Creates a state in a file for all processes that use a limit. Where the file cannot be used, this process goes on
 * alone and `onTrouble` is told why. With a rate, sent requests are kept for the next process even though no limit is
 * known.
 */
export const fileState = (path: string, onTrouble: (reason: string) => void, isRated = false): SharedState => {
  let [state, lookedAt, isJoined] = [initialState(), -Infinity, false]
  let file: File | undefined
  const goAlone = (error: unknown): void => {
    onTrouble(error instanceof Error ? error.message : String(error))
    try {
      file?.close()
    } catch {
      // It is given up anyway.
    }
    file = undefined
  }
  const begin = (now: number): void => {
    lookedAt = now
    const held = file?.begin()
    const known = isRated || held?.limit !== null ? held : undefined
    if (known && (isJoined || now - usedAt(known) < STALE_MS)) state = isJoined ? known : join(known, state)
    isJoined ||= known !== undefined || isKept(state)
  }
  const guarded = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      goAlone(error)
    }
  }
  const isKept = ({ limit }: LimitState): boolean => isRated || limit !== null
  guarded(() => (file = openAnew(path, isKept)))
  return {
    update: (now, work) => {
      const isQuiet = !isKept(state) && Math.abs(now - lookedAt) < LOOK_MS
      const isTaken = file !== undefined && !isQuiet
      if (isTaken) guarded(() => begin(now))
      forgetOldRequests(state, now)
      const result = work(state)
      if (isTaken) guarded(() => file?.commit(state))
      return result
    },
    isShared: () => file !== undefined && isKept(state),
    close: () => {
      guarded(() => file?.close())
      file = undefined
    },
  }
}
