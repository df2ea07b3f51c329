import { closeSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Share } from './share.ts'
import { forget, freshPace, type Pace } from './state.ts'
import { paceOfText, textOfPace } from './text.ts'

/** Where no limit is known, it is looked so often whether another process has found one. */
const LOOK_MS = 1000
/** What was last used longer ago is found out anew. */
const STALE_MS = 3_600_000

/**
 * Nothing in it has to outlast the loss of power, and each change is so small that whoever waits does not wait long. A process
 * that ends in the middle of one leaves the file as it was before.
 */
const SETTINGS = `
  pragma busy_timeout = 1000;
  pragma journal_mode = truncate;
  pragma synchronous = off;
  create table if not exists pace (id integer primary key check (id = 1), text text not null)`

type File = {
  /** Begins to work on what the file holds, with nobody between. */
  readonly begin: () => Pace | undefined
  readonly commit: (pace: Pace) => void
  readonly close: () => void
}

const openFile = (path: string, isKept: (pace: Pace) => boolean): File => {
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
      commit: (pace) => {
        if (isKept(pace)) write.run(textOfPace(pace))
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
const openAnew = (path: string, isKept: (pace: Pace) => boolean): File => {
  try {
    return openFile(path, isKept)
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    // SQLITE_CORRUPT and SQLITE_NOTADB.
    if (code !== 11 && code !== 26) throw error
    rmSync(path)
    return openFile(path, isKept)
  }
}

/** When requests were last sent by what is known. */
const usedAt = ({ log, judgedAt }: Pace): number => Math.max(log.at(-1)?.[0] ?? 0, judgedAt)

/** What another process knows, and what was sent by this one before it looked. */
const join = (known: Pace, own: Pace): Pace => {
  const log = [...known.log, ...own.log].sort(([a], [b]) => a - b)
  return { ...known, log, pending: { ...known.pending, ...own.pending } }
}

/**
 * What is known of a limit in a file, for all processes that use it at the same time. Where the file cannot be used, this
 * process goes on alone, and `onTrouble` is told why. Where a rate was asked for, what was sent counts for whoever comes next,
 * so that it is kept even though no limit is known.
 */
export const fileShare = (path: string, onTrouble: (reason: string) => void, isRated = false): Share => {
  let [pace, lookedAt, isJoined] = [freshPace(), -Infinity, false]
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
    if (known && (isJoined || now - usedAt(known) < STALE_MS)) pace = isJoined ? known : join(known, pace)
    isJoined ||= known !== undefined || isKept(pace)
  }
  const guarded = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      goAlone(error)
    }
  }
  const isKept = ({ limit }: Pace): boolean => isRated || limit !== null
  guarded(() => (file = openAnew(path, isKept)))
  return {
    update: (now, work) => {
      const isQuiet = !isKept(pace) && Math.abs(now - lookedAt) < LOOK_MS
      const isTaken = file !== undefined && !isQuiet
      if (isTaken) guarded(() => begin(now))
      forget(pace, now)
      const result = work(pace)
      if (isTaken) guarded(() => file?.commit(pace))
      return result
    },
    isShared: () => file !== undefined && isKept(pace),
    close: () => {
      guarded(() => file?.close())
      file = undefined
    },
  }
}
