import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import type { Journal, JournalHead } from './journal.ts'
import { readJournal } from './open.ts'
import { JOURNAL_ENDING } from './identity.ts'

const journalsIn = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(JOURNAL_ENDING))
    .map((name) => join(folder, name))

/** What is said at the head of another run's journal; not there where it is in use, or cannot be read. */
const look = (path: string): Unfinished[] => {
  try {
    return [{ ...readJournal(path), at: path }]
  } catch {
    return []
  }
}

/** Another run that did not end. */
type Unfinished = JournalHead & Pick<Journal, 'doneBefore'> & { readonly at: string }

const othersIn = (folder: string, own: string, { service }: JournalHead): Unfinished[] =>
  journalsIn(folder)
    .filter((path) => path !== own)
    .flatMap(look)
    .filter((other) => other.service === service)

/** When something was, for people. */
export const minuteOf = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const hasSameAccount = (left: JournalHead, right: JournalHead): boolean => left.account.for === right.account.for

/** In what two runs differ that are not the same one, though they load the same. */
const differenceOf = (head: JournalHead, other: JournalHead): 'flags' | 'credentials' =>
  hasSameAccount(head, other) ? 'flags' : 'credentials'

/** Whether what a run adds may have been added by another: a file that has changed is no such case in one account. */
const mayAddTheSame = (head: JournalHead, other: JournalHead): boolean => {
  if (!other.isAdding) return false
  if (hasSameAccount(head, other)) return other.content === head.content
  const areSureOthers = other.account.isSure && head.account.isSure
  return !areSureOthers && (other.content === head.content || other.path === head.path)
}

/**
 * Refuses to add what another run has added already, as far as it came: one with other flags, of which nobody can tell
 * whether they mean the same, or with other credentials, of which nobody can tell whether they are those of the same
 * account. Where our own service names the account of both, the latter is no question.
 */
export const mustNotAddAgain = (folder: string, own: string, head: JournalHead): void => {
  if (!head.isAdding || existsSync(own)) return
  const same = othersIn(folder, own, head).find((other) => mayAddTheSame(head, other))
  if (!same) return
  const unlike = differenceOf(head, same)
  throw new KpiError(
    'malformed',
    `an import of ${basename(same.path)} with --on-conflict add and other ${unlike} began at ${minuteOf(same.beganAt)} and was not finished; ` +
      `${same.doneBefore} of its entries were sent, and would be added again: go on with those ${unlike}, or remove ${same.at} (or name another folder with --journal) to begin anew`,
  )
}

/** What is said of a run that loaded the same file into the same service: an earlier content of it, or in another way. */
const noteOn = (head: JournalHead, other: Unfinished): string => {
  const { path, content, beganAt, doneBefore, at } = other
  const unlike = differenceOf(head, other)
  const [what, goingOn] =
    content === head.content
      ? [`${basename(path)} with other ${unlike}`, `: with those ${unlike} it goes on`]
      : [`an earlier ${basename(path)}`, '']
  return `an import of ${what} that began at ${minuteOf(beganAt)} was not finished (${doneBefore} of its entries were sent)${goingOn}; this one is another run, remove ${at} once that one is not needed`
}

/** What there is to say of other runs that loaded the same file into the same service, and did not end. */
export const notesOnUnfinished = (folder: string, own: string, head: JournalHead): string[] =>
  othersIn(folder, own, head)
    .filter(({ path }) => path === head.path)
    .map((other) => noteOn(head, other))
