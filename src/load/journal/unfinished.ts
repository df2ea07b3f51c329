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
    const found = readJournal(path)
    return found ? [{ ...found, at: path }] : []
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

/**
 * Refuses to add what a run with other credentials has added already, as far as it came: nobody can tell whether they are
 * those of the same account. Where our own service names the account of both, that is no question.
 */
export const mustNotAddAgain = (folder: string, own: string, head: JournalHead): void => {
  if (!head.isAdding || existsSync(own)) return
  const { account, content, path } = head
  const same = othersIn(folder, own, head).find(
    (other) =>
      other.isAdding &&
      other.account.for !== account.for &&
      !(other.account.isSure && account.isSure) &&
      (other.content === content || other.path === path),
  )
  if (!same) return
  throw new KpiError(
    'malformed',
    `an import of ${basename(same.path)} with --on-conflict add and other credentials began at ${minuteOf(same.beganAt)} and was not finished; ` +
      `${same.doneBefore} of its entries were sent, and would be added again: go on with those credentials, or remove ${same.at} (or name another folder with --journal) to begin anew`,
  )
}

/** What there is to say of runs that loaded an earlier content of the same file into the same service, and did not end. */
export const notesOnUnfinished = (folder: string, own: string, head: JournalHead): string[] =>
  othersIn(folder, own, head)
    .filter(({ path }) => path === head.path)
    .map(
      ({ path, beganAt, doneBefore, at }) =>
        `an import of an earlier ${basename(path)} that began at ${minuteOf(beganAt)} was not finished (${doneBefore} of its entries were sent); this one is another run, remove ${at} once that one is not needed`,
    )
