import type { KpiError } from '../domain/errors.ts'
import { createAssignments } from './assign.ts'
import { type Journal, openJournal } from './journal.ts'
import { journalPath } from './journal-identity.ts'
import type { JournalPlace } from './journal-place.ts'
import { minuteOf, notesOnUnfinished } from './unfinished.ts'
import { type Import, type Prepared, withPrepared } from './prepare.ts'
import { type Rejects, writeRejects } from './rejects.ts'
import { tellUnchecked } from './reference.ts'
import { sendAll } from './send.ts'
import type { Summary } from './summary.ts'
import { type Verified, verifyRun } from './verify.ts'

/** How an import ended: with entries left where it was stopped, or where the service failed or refused in mid-run. */
export type Ending = {
  readonly summary: Summary
  readonly left: number
  readonly failure: KpiError | undefined
  /** What reading everything back came to, where that was asked for and all had been sent. */
  readonly verified?: Verified | undefined
}

/** An import that is meant: with a place for what is rejected. */
export type Load = Import & {
  readonly rejectsPath: string
  /** Where it is kept how far a run is; nowhere where there is no continuing. */
  readonly journal: JournalPlace | undefined
  /** Where it is kept what was found out about the service; nowhere where that is found out each time. */
  readonly learnedPath?: string | undefined
  /** Names for what is sent, so that our own service does nothing twice. */
  readonly random: (bytes: number) => Uint8Array
}

const countLines = (rejects: Rejects): number => {
  let count = 0
  for (const _ of rejects.lines()) count += 1
  return count
}

/** Writes what has been rejected so far, and answers how many rows that is. */
const layDownRejects = async ({ table, rejectsPath }: Load, rejects: Rejects): Promise<number> => {
  const count = countLines(rejects)
  if (count > 0) await writeRejects(rejectsPath, table, rejects)
  return count
}

const NAME_BYTES = 12

/** Opens the journal of a run, and says what there is to say of it, and of others of the same file. */
const beginJournal = ({ journal: place, table, options, clock, random, onNote }: Load): Journal => {
  const runId = Buffer.from(random(NAME_BYTES)).toString('hex')
  const head = { runId, service: place?.service ?? '', path: place?.path ?? '', beganAt: clock.now() }
  const path = place && journalPath(place, table, options)
  const journal = openJournal(path, head)
  if (journal.doneBefore > 0) {
    onNote(
      `going on with the import that began at ${minuteOf(journal.beganAt)}: ${journal.doneBefore} entries are done`,
    )
  } else if (place && path !== undefined) for (const note of notesOnUnfinished(place.folder, path, head)) onNote(note)
  return journal
}

const isWhole = ({ left, failure }: Omit<Ending, 'summary'>): boolean => left === 0 && failure === undefined

/** Sends what was prepared, and lays down what was rejected on the way. */
const run = async (work: Load, prepared: Prepared, journal: Journal): Promise<Ending> => {
  const { summary, rejects } = prepared
  summary.rejected = await layDownRejects(work, rejects)
  const known = rejects.size()
  await createAssignments(work, prepared)
  const ending = await sendAll(work, prepared, journal)
  if (rejects.size() > known) summary.rejected = await layDownRejects(work, rejects)
  summary.unchecked = tellUnchecked(prepared.reference)
  if (!isWhole(ending)) return { summary, ...ending }
  journal.finish()
  return { summary, ...ending, verified: await verifyRun(work, prepared, summary) }
}

/**
 * Loads a file of entries: all of it is read and checked first, then what is good is sent in the order of its keys, and
 * what is not goes to the rejects file (command line, section 6). That file is there before anything is sent, so that a
 * folder that cannot be written stops the run in time; so does a journal that cannot be written.
 */
export const importFile = (work: Load): Promise<Ending> =>
  withPrepared(work, async (prepared) => {
    const journal = beginJournal(work)
    try {
      return await run(work, prepared, journal)
    } finally {
      journal.close()
    }
  })
