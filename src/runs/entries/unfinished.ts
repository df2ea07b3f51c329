import { countOf, nounOf } from '../../domain/count-text.ts'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import type { EntryBlock } from '../../domain/entry-block.ts'
import { JOURNAL_ENDING, type JournalHead, type JournalPlace, journalPath, type UndoneImport } from './journal.ts'
import { countKnown } from './key-samples.ts'
import { forgetJournal, readJournal, readSamples, type KeptRun } from './open-journal.ts'

const journalsIn = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(JOURNAL_ENDING))
    .map((name) => join(folder, name))

/** Returns what the journal of another run says; empty if it is in use, or cannot be read. */
const look = (path: string): Kept[] => {
  try {
    return [{ ...readJournal(path), at: path }]
  } catch {
    return []
  }
}

/** Holds another run whose journal is kept, with the path of that. */
type Kept = KeptRun & { readonly at: string }

/** Tells whether a run has more to do: not one that an undo takes back, nor one of which all is sent. */
const isUnfinished = ({ isTakenBack, isWhole }: Kept): boolean => !isTakenBack && !isWhole

const keptIn = (folder: string): Kept[] => journalsIn(folder).flatMap(look)

/** Finds the runs in a folder of journals that did not end, are not under way, and can be continued. */
export const findUnfinished = (folder: string): Kept[] => keptIn(folder).filter(isUnfinished)

/** Sets how long after a run began its word for a day still means the same day: less than from one night to the next. */
const SAME_RUN_MS = 12 * 3_600_000

/**
 * Returns the day that the word for the date of all rows stood for when a run with the same rows and flags began that did
 * not end, as that is the run to continue; undefined if there is none, or it began long ago.
 */
export const settledDay = (
  place: JournalPlace,
  fingerprint: string,
  options: { readonly date?: string | undefined; readonly dateWord?: string | undefined },
  now: number,
): string | undefined => {
  if (options.dateWord === undefined || existsSync(journalPath(place, fingerprint, options))) return undefined
  return keptIn(place.folder).find(
    ({ settledDate, beganAt, at, isTakenBack }) =>
      !isTakenBack &&
      settledDate !== undefined &&
      settledDate.word === options.dateWord &&
      Math.abs(now - beganAt) < SAME_RUN_MS &&
      at === journalPath(place, fingerprint, { ...options, date: settledDate.day }),
  )?.settledDate?.day
}

/** Says that a run goes on that was cut off, and how much of it is done. */
export const continuingText = (
  beganAt: number,
  done: number,
  [one, many]: readonly [one: string, many: string],
  what = 'the import that',
): string =>
  `continuing ${what} began at ${minuteOf(beganAt)}: ${countOf(done, one, many)} ${nounOf(done, 'is', 'are')} done`

const othersIn = (folder: string, own: string, { service }: JournalHead): Kept[] =>
  journalsIn(folder)
    .filter((path) => path !== own)
    .flatMap(look)
    .filter((other) => other.service === service)

/** Returns a time as text for messages, to the minute. */
export const minuteOf = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const hasSameAccount = (left: JournalHead, right: JournalHead): boolean => left.account.for === right.account.for

/** Returns what differs between two runs of the same rows. */
const differenceOf = (head: JournalHead, other: JournalHead): 'flags' | 'credentials' =>
  hasSameAccount(head, other) ? 'flags' : 'credentials'

/** Returns what another run of the same rows is continued with: its word for a day may stand for another one by now. */
const continuedWith = (head: JournalHead, other: JournalHead): string => {
  const { settledDate } = other
  const day = settledDate && ` (--date ${settledDate.day} for --date ${settledDate.word})`
  return `those ${differenceOf(head, other)}${day ?? ''}`
}

/**
 * Tells whether two runs may be for the same account. Only if the service names both accounts, different names prove
 * that they are not.
 */
const mayShareAccount = (head: JournalHead, other: JournalHead): boolean =>
  hasSameAccount(head, other) || !(other.account.isSure && head.account.isSure)

/** Returns the error for an import that would add again what an undo has left of another one, with what to do. */
const addsToRest = (file: string, beganAt: number, command = 'kpi entries undo lists the receipts'): KpiError =>
  new KpiError(
    'malformed',
    `an import of ${basename(file)} with --on-conflict add began at ${minuteOf(beganAt)} and was taken back in part only; ` +
      `what is left of it would be added again: take back the rest (${command}), or use --add-again`,
  )

/**
 * Tells whether an import adds to what is left of one that is taken back: it is the same, or one of the same file, whose rows
 * may have been mended, while the undo has not come to its end.
 */
const addsTo = (path: string, head: JournalHead, one: UndoneImport): boolean =>
  (one.journal !== undefined && basename(one.journal) === basename(path)) ||
  (one.isOpen && one.addedFrom === head.path && (one.account ?? head.account.for) === head.account.for)

/**
 * Removes the journal of a run that was taken back, so that the same import begins anew; refuses that for one that adds to
 * entries while some of the run are left, unless these may be added again.
 */
export const forgetTakenBack = (
  path: string,
  head: JournalHead,
  mayAddAgain: boolean,
  undone: () => readonly UndoneImport[],
): void => {
  for (const run of existsSync(path) ? look(path) : []) {
    const known = undone().filter(({ runId }) => runId === run.runId)
    if (!run.isTakenBack && known.length === 0) continue
    const left = known.find(({ isLeft }) => isLeft)
    if (run.isAdding && !mayAddAgain && (left || known.length === 0))
      throw addsToRest(run.path, run.beganAt, left?.command)
    forgetJournal(path, run)
  }
  // Only this needs all receipts of an import that begins anew.
  const rest = head.isAdding && !mayAddAgain ? undone().find((one) => one.isLeft && addsTo(path, head, one)) : undefined
  if (rest) throw addsToRest(rest.file, rest.beganAt, rest.command)
}

/** Returns the error for an import that would add again what another one may have added, with what to do. */
const addsAgain = (head: JournalHead, other: Kept, again: number): KpiError => {
  const { path, beganAt, doneBefore, at, isWhole } = other
  const isSame = other.content === head.content
  const state = isWhole ? 'is whole, but the command that began it is not' : 'was not finished'
  const [what, goOn] = isSame
    ? [` and other ${differenceOf(head, other)}`, `continue it with ${continuedWith(head, other)}`]
    : [
        '',
        `${countOf(again, 'row of this file has', 'rows of this file have')} the same user, KPI and date as rows of that import: finish it first, with the file that it began with`,
      ]
  const sent = `${doneBefore} of its entries ${nounOf(doneBefore, 'was', 'were')} sent`
  return new KpiError(
    'malformed',
    `an import of ${basename(path)} with --on-conflict add${what} began at ${minuteOf(beganAt)} and ${state}; ` +
      `${sent}, and would be added again: ${goOn}, or use --add-again; if you do not need to continue that import, delete ${at} (or name another folder with --journal)`,
  )
}

/** Holds the entries of a run, and the contents of other files of the same command, to whose entries it may add. */
type AddingRun = { readonly blocks: () => Iterable<EntryBlock>; readonly beside: ReadonlySet<string> }

/**
 * Refuses to add rows that another run may have added: one of the same rows with other flags or credentials, or of a
 * file with some of them. Such a run is allowed if the bundled service names both accounts and they differ, or the same command
 * adds the rows of both files.
 */
export const rejectRepeatedAdding = (
  folder: string,
  own: string,
  head: JournalHead,
  { blocks, beside }: AddingRun,
): void => {
  if (!head.isAdding || existsSync(own)) return
  for (const other of othersIn(folder, own, head)) {
    if (!other.isAdding || !mayShareAccount(head, other) || beside.has(other.content)) continue
    const again = other.content === head.content ? 0 : countKnown(readSamples(other.at), blocks())
    if (again === 0 && other.content !== head.content) continue
    throw other.isTakenBack ? addsToRest(other.path, other.beganAt) : addsAgain(head, other, again)
  }
}

/**
 * Returns the note on another run of the same file and service, with an earlier content of the file or other options.
 */
const noteOn = (head: JournalHead, other: Kept): string => {
  const { path, content, beganAt, doneBefore, at } = other
  const unlike = differenceOf(head, other)
  const [what, goingOn] =
    content === head.content
      ? [`${basename(path)} with other ${unlike}`, `: with ${continuedWith(head, other)} it would continue`]
      : [`an earlier ${basename(path)}`, '']
  return `an import of ${what} that began at ${minuteOf(beganAt)} was not finished (${doneBefore} of its entries were sent)${goingOn}; this is a different run; delete ${at} if you do not need to continue that one`
}

/** Returns the notes on other runs of the same file and service that did not end. */
export const notesOnUnfinished = (folder: string, own: string, head: JournalHead): string[] =>
  othersIn(folder, own, head)
    .filter((other) => other.path === head.path && isUnfinished(other))
    .map((other) => noteOn(head, other))
