import type { EntryBlock } from '../domain/entry-block.ts'
import type { ImportRun } from './prepare/import-types.ts'
import type { ImportOptions } from '../reading/options/options.ts'
import { type Journal, type JournalHead, journalPath } from '../runs/entries/journal.ts'
import { openJournal } from '../runs/entries/open-journal.ts'
import { continuingText, forgetTakenBack, notesOnUnfinished, rejectRepeatedAdding } from '../runs/entries/unfinished.ts'

const RUN_ID_BYTES = 12

/** Describes a run that is journaled; all of its options are part of its identity. */
type JournaledRun = Pick<ImportRun, 'client' | 'journal' | 'clock' | 'random' | 'onNote' | 'table' | 'equalFiles'> & {
  readonly options: Pick<ImportOptions, 'onConflict' | 'addAgain' | 'date' | 'dateWord'>
}

const NOBODY: JournalHead['account'] = { for: '', isSure: false }

/**
 * Returns the scope within which the service recognizes an Idempotency-Key: the account in our newer variant, else the
 * credentials.
 */
const keyScopeOf = ({ client, journal: place }: JournaledRun): string => {
  const account = place?.account()
  return client.variant === 'v1' && account?.isSure ? account.for : (place?.caller ?? '')
}

const headOf = (work: JournaledRun, fingerprint: string): JournalHead => {
  const { journal: place, options, clock, random } = work
  return {
    runId: Buffer.from(random(RUN_ID_BYTES)).toString('hex'),
    service: place?.service ?? '',
    path: place?.path ?? '',
    beganAt: clock.now(),
    content: fingerprint,
    account: place?.account() ?? NOBODY,
    caller: keyScopeOf(work),
    isAdding: options.onConflict === 'add',
    ...(options.dateWord !== undefined && { settledDate: { word: options.dateWord, day: options.date ?? '' } }),
  }
}

/** Returns the contents of the other files that the same command has begun with, which add beside this one. */
const contentsBeside = ({ table, equalFiles = new Map() }: JournaledRun): ReadonlySet<string> =>
  new Set([...equalFiles].flatMap(([content, tables]) => (tables.includes(table) ? [] : [content])))

/**
 * Opens the journal of a run. If the same command was stopped or killed before, that is the journal that it left at
 * `journalPath`, and the run continues; otherwise it is a new one. Notes what this journal and those of other
 * unfinished runs of the file say, and throws if this run would add again what another one may have added. `fingerprint`
 * identifies the rows of the file, and `blocks` are their entries.
 */
export const beginJournal = (work: JournaledRun, fingerprint: string, blocks: () => Iterable<EntryBlock>): Journal => {
  const { journal: place, options, onNote } = work
  const head = headOf(work, fingerprint)
  const path = place && journalPath(place, fingerprint, options)
  if (place && path !== undefined) forgetTakenBack(path, head, options.addAgain, place.undone)
  if (place && path !== undefined && !options.addAgain)
    rejectRepeatedAdding(place.folder, path, head, { blocks, beside: contentsBeside(work) })
  const journal = openJournal(path, head)
  if (journal.doneBefore > 0) {
    onNote(continuingText(journal.beganAt, journal.doneBefore, ['entry', 'entries']))
  } else if (place && path !== undefined) {
    for (const note of notesOnUnfinished(place.folder, path, head)) onNote(note)
  }
  return journal
}
