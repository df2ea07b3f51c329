import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Journal, type JournalHead, openJournal } from './journal.ts'
import { JOURNAL_ENDING } from './journal-identity.ts'

const journalsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(JOURNAL_ENDING))
    .map((name) => join(folder, name))

/** Opens another run's journal to look at it; not there where it is in use, or cannot be read. */
const look = (path: string, head: JournalHead): Journal | undefined => {
  try {
    return openJournal(path, head)
  } catch {
    return undefined
  }
}

/** When something was, for people. */
export const minuteOf = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** What there is to say of runs that loaded an earlier content of the same file into the same service, and did not end. */
export const notesOnUnfinished = (folder: string, own: string, head: JournalHead): string[] =>
  journalsIn(folder).flatMap((path) => {
    const journal = path === own ? undefined : look(path, head)
    if (!journal) return []
    const { service, path: file, beganAt, doneBefore } = journal
    journal.close()
    if (service !== head.service || file !== head.path) return []
    return [
      `an import of an earlier ${basename(file)} that began at ${minuteOf(beganAt)} was not finished (${doneBefore} of its entries were sent); this one is another run, remove ${path} once that one is not needed`,
    ]
  })
