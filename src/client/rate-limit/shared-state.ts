import { rmSync } from 'node:fs'
import { isObject } from '../../codec/json.ts'
import { isBrokenFile } from '../../domain/sqlite-result.ts'
import { openSqlite, prepareSqliteFile } from '../../files/sqlite-file.ts'
import type { SharedState } from './limiter.ts'
import { dropOldRequests, initialState, type WindowKind, type LimitState, type SentRequests } from './state.ts'

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

/** Returns the state of a limit as text, for the file. */
const serializeState = (state: LimitState): string => JSON.stringify(state)

/** Reads the state from text. Unreadable values count as unknown, as the file may hold anything. */
const parseState = (text: string): LimitState | undefined => {
  const fields = parsed(text)
  const fresh = initialState()
  if (!isObject(fields)) return undefined
  const limit = fields['limit']
  // The limit is null until the service states it or refuses a request; the rest still tells what was sent.
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
    untold: numberOf('untold', 0),
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
    forgetAt: numberOf('forgetAt', Infinity),
    heldMs: Math.max(1000, numberOf('heldMs', fresh.heldMs)),
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

/** Sets how often to read the file while no limit is known, in case another process has found one. */
const RECHECK_MS = 1000
/** Sets the age at which a state is discarded. */
const STALE_MS = 3_600_000

/**
 * Configures the database: its content need not survive a loss of power, and changes are small. A process that is
 * killed in the middle of a change leaves the file as it was.
 */
const SETTINGS = `
  pragma busy_timeout = 1000;
  pragma journal_mode = truncate;
  pragma synchronous = off;
  create table if not exists pace (id integer primary key check (id = 1), text text not null)`

type File = {
  /** Begins a transaction, and returns the state in the file. */
  readonly begin: () => LimitState | undefined
  readonly commit: (state: LimitState) => void
  readonly close: () => void
}

const openFile = (path: string, isKept: (state: LimitState) => boolean): File => {
  // Create the file first: SQLite would create it readable for everybody.
  prepareSqliteFile(path)
  const database = openSqlite(path)
  try {
    database.exec(SETTINGS)
    const read = database.prepare('select text from pace')
    const write = database.prepare('insert or replace into pace (id, text) values (1, ?)')
    return {
      begin: () => {
        database.exec('begin immediate')
        const text = read.get()?.['text']
        return typeof text === 'string' ? parseState(text) : undefined
      },
      commit: (state) => {
        // A limit that is forgotten is forgotten for all.
        if (isKept(state) || read.get() !== undefined) write.run(serializeState(state))
        database.exec('commit')
      },
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens the file; recreates it if it is not a database. */
const openOrRecreate = (path: string, isKept: (state: LimitState) => boolean): File => {
  try {
    return openFile(path, isKept)
  } catch (error) {
    if (!isBrokenFile(error)) throw error
    rmSync(path)
    return openFile(path, isKept)
  }
}

/** Returns when the state was last used. */
const usedAt = ({ log, judgedAt }: LimitState): number => Math.max(log.at(-1)?.[0] ?? 0, judgedAt)

/** Merges the state of another process with what this one sent before it read that. */
const mergeStates = (known: LimitState, own: LimitState): LimitState => {
  const log = [...known.log, ...own.log].sort(([a], [b]) => a - b)
  return { ...known, log, pending: { ...known.pending, ...own.pending } }
}

/**
 * Creates a state in a file, for all processes that share a limit. If the file fails, the process goes on alone, and
 * `onTrouble` gets the reason. With `isRated`, the file keeps sent requests even while no limit is known, so that the
 * next process respects the rate.
 */
export const fileState = (path: string, onTrouble: (reason: string) => void, isRated = false): SharedState => {
  let [state, readAt, isJoined] = [initialState(), -Infinity, false]
  let file: File | undefined
  const goAlone = (error: unknown): void => {
    onTrouble(error instanceof Error ? error.message : String(error))
    try {
      file?.close()
    } catch {
      // The process no longer uses the file.
    }
    file = undefined
  }
  const begin = (now: number): void => {
    readAt = now
    const held = file?.begin()
    const known = isRated || held?.limit !== null ? held : undefined
    if (known && (isJoined || now - usedAt(known) < STALE_MS)) state = isJoined ? known : mergeStates(known, state)
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
  guarded(() => (file = openOrRecreate(path, isKept)))
  return {
    update: (now, work) => {
      const isQuiet = !isKept(state) && Math.abs(now - readAt) < RECHECK_MS
      const usesFile = file !== undefined && !isQuiet
      if (usesFile) guarded(() => begin(now))
      dropOldRequests(state, now)
      const result = work(state)
      if (usesFile) guarded(() => file?.commit(state))
      return result
    },
    isShared: () => file !== undefined && isKept(state),
    close: () => {
      guarded(() => file?.close())
      file = undefined
    },
  }
}
