import { existsSync } from 'node:fs'
import type { StatementSync } from 'node:sqlite'
import { KpiError } from '../../domain/errors.ts'
import {
  type FileFormat,
  findSealedFile,
  headIn,
  openSealedFile,
  RunFileFault,
  type SealedFile,
  writeHead,
} from '../file/sealed-file.ts'
import type { Intent, Journal, JournalHead } from './journal.ts'
import { INTENT_COLUMNS, intervalOf, knownToRow, oneOf, valuesOf } from './journal-rows.ts'
import type { KeySamples } from './key-samples.ts'
import type { Tally } from './tally.ts'

const columnsOf = (text: string): string[] => text.split(', ')

/** Describes the file of a journal. The column `created` is empty: it stays so that journals of earlier releases are continued. */
export const JOURNAL: FileFormat = {
  version: 5,
  schema: `
create table intervals (
  id integer primary key,
  first_owner integer not null, first_kpi integer not null, first_day integer not null,
  last_owner integer not null, last_kpi integer not null, last_day integer not null,
  count integer not null, digest text not null, way text not null, places text, stage text not null,
  sent_at integer not null, run text not null, outcome text,
  created integer
);
create table marks (interval integer primary key, marks blob not null);
create index intervals_by_key on intervals (first_owner >= 0, abs(first_owner), first_kpi, first_day);
create table ones (
  interval integer not null, owner integer not null, kpi integer not null, day integer not null,
  digest text not null, known integer, sent_at integer not null, outcome text,
  primary key (interval, owner, kpi, day)
) without rowid`,
  tables: {
    intervals: columnsOf(`id, ${INTENT_COLUMNS}, outcome, created`),
    marks: columnsOf('interval, marks'),
    ones: columnsOf('interval, owner, kpi, day, digest, known, sent_at, outcome'),
  },
  bytes: new Set(['marks']),
  noun: 'journal',
  whenBusy: 'the same import is running already; wait until it has ended, or stop it',
  whenDamaged:
    'delete it to start again: entries that are stored already are recognised, but with --on-conflict add they would be added again',
}

const isHead = (head: unknown): head is JournalHead => typeof head === 'object' && head !== null && 'runId' in head

const readHead = (file: SealedFile): JournalHead => {
  const head = headIn(file)
  if (!isHead(head)) throw new Error('a journal without a head')
  return head
}

/**
 * Reads the head of a journal. Under other credentials the run gets a new id, so new Idempotency-Keys, and the head is
 * rewritten.
 */
const ownHead = (file: SealedFile, { runId, caller }: JournalHead): JournalHead => {
  const before = readHead(file)
  if (before.caller === caller) return before
  const head = { ...before, runId, caller }
  file.write(true, () => writeHead(file, head))
  return head
}

/**
 * Removes the journal of a run that has ended; if another process continues it, the journal is left to that process.
 */
export const forgetJournal = (path: string | undefined, head: JournalHead): void => {
  if (path === undefined || !existsSync(path)) return
  try {
    openJournal(path, head).finish()
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
  }
}

const doneIn = ({ database }: SealedFile): number =>
  Number(
    database
      .prepare(
        `select (select total(count) from intervals where outcome is not null) +
           (select count(*) from ones where outcome is not null) as done`,
      )
      .get()?.['done'] ?? 0,
  )

/** Names what a journal notes about its run: an undo has begun to take it back, or all of it is sent. */
type Mark = 'taken_back' | 'whole'

const hasMark = ({ database }: SealedFile, mark: Mark): boolean =>
  database.prepare('select 1 from meta where name = ?').get(mark) !== undefined

const setMark = ({ database }: SealedFile, mark: Mark): void =>
  void database.prepare("insert or replace into meta values (?, 'true')").run(mark)

/**
 * Describes another run whose journal is kept: what it has done, whether an undo has begun to take that back, and whether
 * it is whole, so that only other files of its command are left to do.
 */
export type KeptRun = JournalHead &
  Pick<Journal, 'doneBefore'> & { readonly isTakenBack: boolean; readonly isWhole: boolean }

const lookInto = <T>(path: string, read: (file: SealedFile) => T): T => {
  const file = findSealedFile(path, JOURNAL)
  try {
    return read(file)
  } finally {
    file.close()
  }
}

/** Reads the journal of another run. */
export const readJournal = (path: string): KeptRun =>
  lookInto(path, (file) => {
    const [isTakenBack, isWhole] = [hasMark(file, 'taken_back'), hasMark(file, 'whole')]
    return { ...readHead(file), doneBefore: doneIn(file), isTakenBack, isWhole }
  })

/** Holds the journal of a run that was stopped, so that nobody continues it while it is taken back. */
type HeldJournal = {
  /** Notes that an undo begins to take back what the journal holds as stored, so that the run cannot be continued. */
  readonly noteTakenBack: () => void
  /**
   * Ends an undo. The journal is of no more use once all is taken back, or anything: only one of a run that added to
   * entries is kept while some of these are left, so that nothing is added to them again.
   */
  readonly end: (isAll: boolean) => void
}

/** Locks the journal of a run that is to be taken back. */
export const holdForUndo = (path: string): HeldJournal => {
  const file = findSealedFile(path, JOURNAL)
  return {
    noteTakenBack: () => file.write(true, () => setMark(file, 'taken_back')),
    end: (isAll) => {
      if (isAll || (hasMark(file, 'taken_back') && !readHead(file).isAdding)) file.remove()
      else file.close()
    },
  }
}

const samplesIn = (marks: unknown): KeySamples =>
  marks instanceof Uint8Array ? new Int32Array(marks.slice().buffer) : new Int32Array()

/** Reads the samples of all entries that the journal of another run may have sent. */
export const readSamples = (path: string): KeySamples[] =>
  lookInto(path, ({ database }) =>
    database
      .prepare('select marks from marks')
      .all()
      .map(({ marks }) => samplesIn(marks)),
  )

/** Bounds the outcomes that wait to be written with the next intervals. */
const WAITING_OUTCOMES = 8

/** Opens the journal of a run at a path, creating it with a head if there is none; in memory if there is no path. */
export const openJournal = (path: string | undefined, asked: JournalHead): Journal => {
  const file = openSealedFile(path, JOURNAL, asked)
  const { database, write } = file
  const head = ownHead(file, asked)
  const statements = new Map<string, StatementSync>()
  const sql = (text: string): StatementSync => {
    const known = statements.get(text) ?? database.prepare(text)
    statements.set(text, known)
    return known
  }
  if (hasMark(file, 'whole')) write(false, () => sql("delete from meta where name = 'whole'").run())
  const maxId = Number(sql('select max(id) as id from intervals').get()?.['id'] ?? 0)
  const doneBefore = doneIn(file)
  const marksBefore = new Map<number, KeySamples>()
  const marksIn = (interval: number): KeySamples =>
    samplesIn(sql('select marks from marks where interval = ?').get(interval)?.['marks'])
  const writeMarks = (interval: number, samples: KeySamples | undefined): void => {
    if (!samples) return
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
    sql('insert or replace into marks values (?, ?)').run(interval, bytes)
  }
  const rewrite = (interval: number, intent: Intent, run: string, outcome: Tally | undefined): void => {
    sql(`update intervals set (${INTENT_COLUMNS}, outcome) = (${places}, ?) where id = ?`).run(
      ...valuesOf(intent),
      run,
      outcome ? JSON.stringify(outcome) : null,
      interval,
    )
    writeMarks(interval, intent.samples)
  }
  const places = '?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?'
  const waiting = new Map<number, Tally>()
  /** Runs a write in a transaction that also writes the outcomes that wait. */
  const writeAll = <T>(isSynced: boolean, work: () => T): T => {
    const result = write(isSynced, () => {
      for (const [interval, outcome] of waiting) {
        sql('update intervals set outcome = ? where id = ?').run(JSON.stringify(outcome), interval)
        sql('delete from ones where interval = ?').run(interval)
      }
      return work()
    })
    waiting.clear()
    return result
  }
  const writeWaiting = (): void => {
    if (waiting.size > 0) writeAll(false, () => undefined)
  }
  let isOpen = true
  const end = (isKept: boolean, isWhole = false): void => {
    if (!isOpen) return
    isOpen = false
    try {
      if (isKept && isWhole) writeAll(false, () => setMark(file, 'whole'))
      else if (isKept) writeWaiting()
    } catch (error) {
      // Go on without the last intervals, as on a full disk: the next run finds out what became of them.
      if (!(error instanceof RunFileFault)) throw error
    }
    if (isKept) file.close()
    else file.remove()
  }
  const close = (isWhole = false): void => {
    if (isOpen) end(sql('select 1 from intervals limit 1').get() !== undefined, isWhole)
  }
  return {
    ...head,
    doneBefore,
    earlier: (after, atMost) =>
      sql(
        `select * from intervals where id <= ?1
           and (?2 is null or (first_owner >= 0, abs(first_owner), first_kpi, first_day) > (?2 >= 0, abs(?2), ?3, ?4))
         order by first_owner >= 0, abs(first_owner), first_kpi, first_day limit ?5`,
      )
        .all(maxId, ...(after ?? [null, null, null]), atMost)
        .map(intervalOf),
    ones: (interval) => sql('select * from ones where interval = ?').all(interval).map(oneOf),
    samples: (interval) => marksBefore.get(interval) ?? marksIn(interval),
    intend: (intents) =>
      writeAll(true, () =>
        intents.map((intent) => {
          const insert = sql(`insert into intervals (${INTENT_COLUMNS}) values (${places})`)
          const id = Number(insert.run(...valuesOf(intent), head.runId).lastInsertRowid)
          writeMarks(id, intent.samples)
          return id
        }),
      ),
    intendAnew: (interval, intent) => {
      if (!marksBefore.has(interval)) marksBefore.set(interval, marksIn(interval))
      write(true, () => rewrite(interval, intent, head.runId, undefined))
    },
    restore: ({ id, run, outcome, ...intent }) =>
      write(true, () => rewrite(id, { ...intent, samples: marksBefore.get(id) }, run, outcome)),
    intendOnes: (interval, ones) =>
      write(true, () => {
        const insert = sql('insert or replace into ones values (?, ?, ?, ?, ?, ?, ?, null)')
        for (const { key, digest, known, sentAt } of ones) {
          insert.run(interval, ...key, digest, knownToRow(known), sentAt)
        }
      }),
    acknowledge: (interval, outcome) => {
      waiting.set(interval, outcome)
      if (waiting.size === WAITING_OUTCOMES) writeWaiting()
    },
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
        for (const id of intervals) {
          sql('delete from intervals where id = ?').run(id)
          sql('delete from marks where interval = ?').run(id)
        }
      }),
    withdrawOne: (interval, key) =>
      write(false, () => {
        sql('delete from ones where interval = ? and owner = ? and kpi = ? and day = ?').run(interval, ...key)
      }),
    finish: () => end(false),
    leave: () => {
      close(true)
      return () => forgetJournal(path, head)
    },
    close: () => close(),
  }
}
