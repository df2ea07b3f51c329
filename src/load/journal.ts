import { existsSync } from 'node:fs'
import type { StatementSync } from 'node:sqlite'
import { KpiError } from '../domain/errors.ts'
import { type JournalFile, openJournalFile } from './journal-file.ts'
import type { EntryKey } from './journal-key.ts'
import { headOf, intervalOf, knownToRow, oneOf, valuesOf } from './journal-rows.ts'
import type { Tally } from './tally.ts'

/** How entries are sent: together, or one at a time. */
export type Way = 'batch' | 'one'

/** What is written down of entries that follow each other, before they are sent. */
export type Intent = {
  readonly first: EntryKey
  readonly last: EntryKey
  readonly count: number
  /** Of what the file gives. */
  readonly digest: string
  readonly way: Way
  /** The places of those that are sent, where some are settled before. */
  readonly places: readonly number[] | undefined
  /** What became of the others. */
  readonly stage: Tally
  readonly sentAt: number
}

/** The same, once it is written; with what became of it, where that is known. */
export type Interval = Intent & { readonly id: number; readonly outcome: Tally | undefined }

/** What is written down of an entry that is sent by itself. */
export type One = {
  readonly key: EntryKey
  readonly digest: string
  /** The ids of what was there before, the latest last; null where there was nothing, undefined where that is not known. */
  readonly known: readonly number[] | null | undefined
  readonly sentAt: number
  readonly outcome?: Tally | undefined
}

/** What a run means to do and has done, kept so that the same command can go on. */
export type Journal = JournalHead & {
  /** How many entries have come to an end in earlier parts of the run. */
  readonly doneBefore: number
  /** The intervals of earlier parts of the run, in the order of their keys, so many from one on. */
  readonly earlier: (after: EntryKey | undefined, atMost: number) => Interval[]
  /** The entries of an interval that were sent by themselves. */
  readonly ones: (interval: number) => One[]
  /** Writes down what is about to be sent, and waits for the disk. */
  readonly intend: (intents: readonly Intent[]) => number[]
  /** The same for an interval that is written down already, and is another one now. */
  readonly intendAnew: (interval: number, intent: Intent) => void
  readonly intendOnes: (interval: number, ones: readonly One[]) => void
  /** Writes down what became of an interval, without waiting for the disk: where that is lost, it is found out again. */
  readonly acknowledge: (interval: number, outcome: Tally) => void
  readonly acknowledgeOne: (interval: number, key: EntryKey, outcome: Tally) => void
  /** Takes back what was not sent after all. */
  readonly withdraw: (intervals: readonly number[]) => void
  readonly withdrawOne: (interval: number, key: EntryKey) => void
  /** Removes it: there is nothing left to do. */
  readonly finish: () => void
  /** Ends its use when there is nothing left to do, and answers what removes it later. */
  readonly leave: () => () => void
  /** Ends its use; it stays where something was sent. */
  readonly close: () => void
}

/** What stands at the head of a journal. */
export type JournalHead = {
  /** The name of the whole run, of which the names of its requests are made. */
  readonly runId: string
  readonly service: string
  /** The file, as a whole path. */
  readonly path: string
  /** When the run began. */
  readonly beganAt: number
}

const KEY_COLUMNS = 'first_owner, first_kpi, first_day, last_owner, last_kpi, last_day'
const INTENT_COLUMNS = `${KEY_COLUMNS}, count, digest, way, places, stage, sent_at`

/** Reads the head of a journal, or writes it where there is none yet. */
const headIn = ({ database, write }: JournalFile, asked: JournalHead): JournalHead => {
  const found = database.prepare("select value from meta where name = 'head'").get()
  if (found) return headOf(found)
  write(true, () => database.prepare("insert into meta values ('head', ?)").run(JSON.stringify(asked)))
  return asked
}

/** Removes the journal of a run that has come to its end; one that another process goes on with is left to that. */
const forgetJournal = (path: string | undefined, head: JournalHead): void => {
  if (path === undefined || !existsSync(path)) return
  try {
    openJournal(path, head).finish()
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
  }
}

/** The journal of a run at a path, begun with a head where it is new; in memory where there is no path. */
export const openJournal = (path: string | undefined, asked: JournalHead): Journal => {
  const file = openJournalFile(path)
  const { database, write } = file
  const head = headIn(file, asked)
  const statements = new Map<string, StatementSync>()
  const sql = (text: string): StatementSync => {
    const known = statements.get(text) ?? database.prepare(text)
    statements.set(text, known)
    return known
  }
  const maxId = Number(sql('select max(id) as id from intervals').get()?.['id'] ?? 0)
  const doneBefore = Number(
    sql('select total(count) as done from intervals where outcome is not null').get()?.['done'] ?? 0,
  )
  const marks = '?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?'
  let isOpen = true
  const end = (isKept: boolean): void => {
    if (!isOpen) return
    isOpen = false
    if (isKept) file.close()
    else file.remove()
  }
  const close = (): void => {
    if (isOpen) end(sql('select 1 from intervals limit 1').get() !== undefined)
  }
  return {
    ...head,
    doneBefore,
    earlier: (after, atMost) =>
      sql(
        `select * from intervals where id <= ? and (first_owner, first_kpi, first_day) > (?, ?, ?)
         order by first_owner, first_kpi, first_day limit ?`,
      )
        .all(maxId, ...(after ?? [Number.MIN_SAFE_INTEGER, 0, 0]), atMost)
        .map(intervalOf),
    ones: (interval) => sql('select * from ones where interval = ?').all(interval).map(oneOf),
    intend: (intents) =>
      write(true, () =>
        intents.map((intent) =>
          Number(
            sql(`insert into intervals (${INTENT_COLUMNS}) values (${marks})`).run(...valuesOf(intent)).lastInsertRowid,
          ),
        ),
      ),
    intendAnew: (interval, intent) =>
      write(true, () => {
        sql(`update intervals set (${INTENT_COLUMNS}, outcome) = (${marks}, null) where id = ?`).run(
          ...valuesOf(intent),
          interval,
        )
      }),
    intendOnes: (interval, ones) =>
      write(true, () => {
        const insert = sql('insert or replace into ones values (?, ?, ?, ?, ?, ?, ?, null)')
        for (const { key, digest, known, sentAt } of ones) {
          insert.run(interval, ...key, digest, knownToRow(known), sentAt)
        }
      }),
    acknowledge: (interval, outcome) =>
      write(false, () => {
        sql('update intervals set outcome = ? where id = ?').run(JSON.stringify(outcome), interval)
        sql('delete from ones where interval = ?').run(interval)
      }),
    acknowledgeOne: (interval, key, outcome) =>
      write(false, () => {
        sql('update ones set outcome = ? where interval = ? and owner = ? and kpi = ? and day = ?').run(
          JSON.stringify(outcome),
          interval,
          ...key,
        )
      }),
    withdraw: (intervals) =>
      write(false, () => {
        for (const id of intervals) sql('delete from intervals where id = ?').run(id)
      }),
    withdrawOne: (interval, key) =>
      write(false, () => {
        sql('delete from ones where interval = ? and owner = ? and kpi = ? and day = ?').run(interval, ...key)
      }),
    finish: () => end(false),
    leave: () => {
      close()
      return () => forgetJournal(path, head)
    },
    close,
  }
}
