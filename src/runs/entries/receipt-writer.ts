import type { CreatedKind, CreatedRecord } from '../../domain/kinds.ts'
import { basename, join } from 'node:path'
import { AppendedFile, blankOut } from '../../files/appended-file.ts'
import { makePrivateFolder } from '../../files/place.ts'
import { RunFileFault } from '../file/sealed-file.ts'
import { changesToText, type EntryChange } from '../../domain/entry-changes.ts'
import { type ChangeCounts, ENDING, entriesPath, type UndoReceiptHead, type SentSeries } from './receipt.ts'

/** Receives what is created. */
export type CreationLog = {
  /** Notes what is about to be created, by names or e-mail addresses, before any request for it is sent. */
  readonly intend: (kind: CreatedKind, keys: readonly string[]) => void
  /** Notes what was created, as soon as it is. */
  readonly add: (thing: CreatedRecord) => void
  /** Notes that what has a name is not of this run: another machine made it, and what this run made beside it is removed. */
  readonly disown: (kind: CreatedKind, key: string, id?: number) => void
  /** Notes that all of it is there, and none of it twice. */
  readonly settle: () => void
}

/** Receives what an import is about to make of entries. */
export type ChangeLog = {
  /** Adds changes; returns what takes them out again, as they were not sent after all. */
  readonly add: (changes: readonly EntryChange[]) => () => void
  /** Takes out changes that were added, as the service refused them. */
  readonly refuse: (changes: readonly EntryChange[]) => void
  /** Returns once everything that was added is on the disk. */
  readonly sync: () => void
  /** Receives why what follows cannot be noted. */
  readonly giveUp: (why: string) => void
  /** Notes that the service keeps what the run replaces, of which KPIs and owners; returns once that is on the disk. */
  readonly keep: (some: SentSeries) => void
  /** Counts entries of which the service has answered that the run created or changed them. */
  readonly count: (created: number, changed: number) => void
  /** Notes that something may have been stored although nothing says so. */
  readonly touch: () => void
}

/** Writes down what a run creates and changes, as it happens. */
export type UndoReceiptWriter = {
  readonly path: string
  /** Names it on the command line. */
  readonly name: string
  readonly created: CreationLog
  readonly changes: Omit<ChangeLog, 'giveUp' | 'keep' | 'count' | 'touch'>
  /** Notes that the service keeps what the run replaces. */
  readonly keep: ChangeLog['keep']
  /** Counts entries that the run created and changed, where the service keeps what it replaces. */
  readonly count: ChangeLog['count']
  /** Notes why what the run stores from now on is not in the receipt. */
  readonly leaveOut: (why: string) => void
  /** Notes when changes are sent, by the clock of the service. */
  readonly send: (at: string) => void
  /** Notes the journal of the run, its id once it has one, and the file from which it adds to entries, if it does. */
  readonly journal: (of: {
    readonly journal: string | undefined
    readonly run: string | undefined
    readonly added_from: string | undefined
  }) => void
  /** Counts the entries so far. */
  readonly entries: () => ChangeCounts
  /** Ends the receipt; `served` is the time by the clock of the service, where that says it. */
  readonly close: (at: string, served?: string) => void
}

/** Describes a file that text is appended to. */
type Appended = {
  /** Adds a text; returns what overwrites it with blanks. */
  readonly write: (text: string) => () => void
  readonly sync: () => void
  readonly close: () => void
}

/** Creates a file that only its owner can read; a fault says that without it nothing is sent. */
const appendTo = (path: string): Appended => {
  const orExplain = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const advice = 'make room for it, or import with --no-undo, which keeps no receipt'
      throw new RunFileFault('unusable', `cannot write the receipt ${path}: ${why}; ${advice}`, { cause: error })
    }
  }
  const file = orExplain(() => new AppendedFile(path, { isNew: true }))
  let isWritten = false
  return {
    write: (text) => {
      const from = file.size()
      orExplain(() => file.write(text))
      const to = file.size()
      isWritten = true
      return () => {
        blankOut(path, from, to)
        isWritten = true
      }
    },
    sync: () => {
      if (isWritten) orExplain(() => file.sync())
      isWritten = false
    },
    close: () => file.close(),
  }
}

/** Creates the file of what becomes of entries, once there is any. */
const createChangesFile = (
  path: string,
  write: (line: object) => void,
): Pick<UndoReceiptWriter, 'changes' | 'entries' | 'count'> & Pick<Appended, 'close'> => {
  let file: Appended | undefined
  let [created, changed] = [0, 0]
  const refused = new WeakSet<EntryChange>()
  const count = (changes: readonly EntryChange[], by: 1 | -1): void => {
    for (const change of changes) {
      if (refused.has(change)) continue
      if (change.before) changed += by
      else created += by
    }
  }
  return {
    entries: () => ({ created, changed }),
    count: (news, olds) => {
      created += news
      changed += olds
    },
    changes: {
      add: (changes) => {
        file ??= appendTo(path)
        const blank = file.write(changesToText(changes))
        count(changes, 1)
        return () => {
          blank()
          count(changes, -1)
        }
      },
      refuse: (changes) => {
        write({ refused: changes.map(({ key }) => key) })
        count(changes, -1)
        for (const change of changes) refused.add(change)
      },
      sync: () => file?.sync(),
    },
    close: () => file?.close(),
  }
}

/** Creates a receipt in a folder; only its owner can read it. Each line is on the disk before the next request. */
export const createUndoReceipt = (folder: string, head: UndoReceiptHead, suffix: string): UndoReceiptWriter => {
  makePrivateFolder(folder)
  const path = join(folder, `${head.at.replaceAll(/[-:]/g, '').slice(0, 15)}-${suffix}${ENDING}`)
  const file = appendTo(path)
  const write = (line: object): void => void file.write(`${JSON.stringify(line)}\n`)
  const { changes, entries, count, close } = createChangesFile(entriesPath(path), write)
  write(head)
  return {
    path,
    name: basename(path, ENDING),
    created: {
      intend: (intends, keys) => {
        write({ intends, keys })
        file.sync()
      },
      add: write,
      disown: (disowns, key, id) => write({ disowns, key, id }),
      settle: () => write({ settled: true }),
    },
    changes,
    keep: (series) => {
      write({ kept_by: 'service', ...series })
      file.sync()
    },
    count,
    leaveOut: (why) => {
      write({ left_out: why })
      file.sync()
    },
    send: (sent) => write({ sent }),
    journal: write,
    entries,
    close: (ended, served) => {
      changes.sync()
      close()
      write({ ended, served, entries: entries() })
      file.sync()
      file.close()
    },
  }
}
