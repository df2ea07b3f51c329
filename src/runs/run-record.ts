import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { StatementSync } from 'node:sqlite'
import { KpiError } from '../domain/errors.ts'
import type { Entry } from '../domain/resources/entry.ts'
import type { AnyRecord, FieldValue } from '../domain/schema.ts'
import { moveFile, moveInPlace } from '../files/move-file.ts'
import {
  type FileFormat,
  findSealedFile,
  headIn,
  openSealedFile,
  type SealedFile,
  writeHead,
} from './file/sealed-file.ts'

/** Describes a run that changes definitions. */
export type RunHead = {
  /** Names it on the command line: `20261130T020000-a1b2c3`. */
  readonly name: string
  /** Names the command: `kpis import`. */
  readonly command: string
  readonly service: string
  readonly account: string
  /** Names the file that it reads, by its absolute path; empty if there is none. */
  readonly source: string
  /** Identifies what it was asked to do: a run is continued by the same one. */
  readonly content: string
  readonly beganAt: number
  /** Holds when it ended, if all of it was sent. */
  readonly endedAt?: number
  /** Holds when all of it was taken back. */
  readonly takenBackAt?: number
}

/** Describes a change of a run: what stood before, and what was sent; values by the names of the interface. */
export type RecordedChange = {
  /** Holds the line of the file, or the place in the list, that asks for it. */
  readonly place: number
  /** Names the kind of the record. */
  readonly kind: string
  readonly action: 'create' | 'update' | 'delete'
  /** Holds the id of the record; undefined for one whose creation was not answered. */
  readonly recordId: number | undefined
  /** Holds the ids of what the record belongs to. */
  readonly parents: Readonly<Record<string, number>>
  /** Holds what the record is called in sentences. */
  readonly name: string
  readonly before: AnyRecord | undefined
  readonly after: AnyRecord | undefined
}

/** Names what became of a change; undefined where that is not known, as the run was cut off. */
type ChangeOutcome = 'done' | 'unchanged' | 'skip' | 'refused' | 'taken_back' | 'left'

/** Describes a change as a run holds it. */
export type NotedChange = RecordedChange & {
  readonly id: number
  readonly outcome: ChangeOutcome | undefined
  /** Holds why the service refused it, or why an undo has left it alone. */
  readonly reason: string | undefined
  /** Holds when the service says that the record was changed by it, in seconds. */
  readonly changedAt: number | undefined
}

/** Holds what is known of a change once it has an outcome. */
type Noted = Partial<Pick<NotedChange, 'recordId' | 'reason' | 'changedAt' | 'before'>>

const columns = (text: string): string[] => text.split(', ')

const CHANGES = 'id, place, kind, action, record_id, parents, name, before, after, outcome, reason, changed_at'
const ENTRIES = 'id, change, kpi, user, source, day, actual, target, notes'

const FORMAT: FileFormat = {
  version: 1,
  schema: `create table changes (
  id integer primary key, place integer not null, kind text not null, action text not null, record_id integer,
  parents text not null, name text not null, before text, after text, outcome text, reason text, changed_at integer
);
create table entries (
  id integer primary key, change integer not null, kpi integer not null, user integer, source integer, day integer not null,
  actual text, target text, notes text
);`,
  tables: { changes: columns(CHANGES), entries: columns(ENTRIES) },
  noun: 'record',
  whenBusy: 'the same is being done already; wait until that has ended, or stop it',
  whenDamaged: 'move it away to begin anew; what it changed cannot be taken back then',
}

/** Describes an entry that goes with a record that is deleted. */
export type NotedEntry = Pick<Entry, 'kpi_id' | 'user_id' | 'source_id' | 'entry_date' | 'actual' | 'target' | 'notes'>

/** Writes values as JSON, in which decimals stand as texts of ten-thousandths. */
const toText = (values: AnyRecord | undefined): string | null =>
  values === undefined
    ? null
    : JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? { decimal: String(value) } : value))

const isDecimal = (value: unknown): value is { readonly decimal: string } =>
  typeof value === 'object' && value !== null && 'decimal' in value && typeof value.decimal === 'string'

const valuesIn = (text: unknown): Record<string, FieldValue> =>
  JSON.parse(String(text), (_, value: unknown) => (isDecimal(value) ? BigInt(value.decimal) : value)) as Record<
    string,
    FieldValue
  >

type Row = ReturnType<StatementSync['get']> & {}

const ACTIONS = ['create', 'update', 'delete'] as const
const OUTCOMES = ['done', 'unchanged', 'skip', 'refused', 'taken_back', 'left'] as const

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

const changeOf = (row: Row): NotedChange => ({
  id: Number(row['id']),
  place: Number(row['place']),
  kind: String(row['kind']),
  action: ACTIONS.find((one) => one === row['action']) ?? 'update',
  recordId: numberIn(row['record_id']),
  parents: JSON.parse(String(row['parents'])) as Record<string, number>,
  name: String(row['name']),
  before: row['before'] === null ? undefined : valuesIn(row['before']),
  after: row['after'] === null ? undefined : valuesIn(row['after']),
  outcome: OUTCOMES.find((one) => one === row['outcome']),
  reason: textIn(row['reason']),
  changedAt: numberIn(row['changed_at']),
})

const decimalIn = (value: unknown): bigint | null => (typeof value === 'string' ? BigInt(value) : null)

const entryOf = (row: Row): NotedEntry => ({
  kpi_id: Number(row['kpi']),
  user_id: numberIn(row['user']) ?? null,
  source_id: numberIn(row['source']) ?? null,
  entry_date: Number(row['day']),
  actual: decimalIn(row['actual']),
  target: decimalIn(row['target']),
  notes: textIn(row['notes']) ?? null,
})

/** Tells a change of a run from others. */
const keyOf = ({ place, kind, action, name }: Row): string => JSON.stringify([place, kind, action, name])

const OF_DELETED = "change in (select id from changes where action = 'delete' and kind in ('kpi', 'entry'))"
const OF_TAKEN_BACK = "change in (select id from changes where outcome = 'taken_back')"

const NOTED_AGAIN = `delete from entries where id in (select old.id from entries old join entries new
on new.change = ? and new.kpi = old.kpi and new.day = old.day and new.user is old.user and new.source is old.source
where old.change < ? and old.change in (select id from changes where kind = 'entry'))`

/** Bounds the outcomes that wait to be written with the next changes. */
const WAITING = 500

/** Keeps what a run is about to change and has changed: it continues the run, is its receipt, and feeds undo. */
export class RunRecord {
  readonly head: RunHead
  readonly #file: SealedFile
  readonly #path: string | undefined
  readonly #kept: string
  readonly #statements = new Map<string, StatementSync>()
  #waiting: (readonly [id: number, outcome: ChangeOutcome | undefined, noted: Noted])[] = []
  #unknown: Map<string, number[]> | undefined
  #isOpen = true

  constructor(file: SealedFile, path: string | undefined, head: RunHead, kept = dirname(path ?? '')) {
    this.#file = file
    this.#path = path
    this.#kept = kept
    this.head = head
  }

  /** Returns the name by which an undo takes back what is done so far; null if it finds nothing. */
  get receipt(): string | null {
    this.#write(false, () => undefined)
    return this.isKept && this.#has("where outcome = 'done'") ? this.head.name : null
  }

  /** Tells whether it is kept in a file, which an undo finds. */
  get isKept(): boolean {
    return this.#path !== undefined
  }

  /**
   * Tells whether it is not continued: it had ended, and was cut off before it got its name; or it was cut off, and was taken back
   * since, or in part.
   */
  get isOver(): boolean {
    const { endedAt, takenBackAt } = this.head
    return endedAt !== undefined || takenBackAt !== undefined || this.#has("where outcome in ('taken_back', 'left')")
  }

  #has(which: string): boolean {
    return this.#sql(`select 1 from changes ${which} limit 1`).get() !== undefined
  }

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text) ?? this.#file.database.prepare(text)
    this.#statements.set(text, known)
    return known
  }

  /** Runs a write in a transaction that also writes the outcomes that wait. */
  #write<T>(isSynced: boolean, work: () => T): T {
    const result = this.#file.write(isSynced, () => {
      const update = this.#sql(
        'update changes set outcome = ?, record_id = coalesce(?, record_id), before = coalesce(?, before), reason = ?, changed_at = ? where id = ?',
      )
      for (const [id, outcome, { recordId, before, reason, changedAt }] of this.#waiting)
        update.run(outcome ?? null, recordId ?? null, toText(before), reason ?? null, changedAt ?? null, id)
      return work()
    })
    this.#waiting = []
    return result
  }

  /** Returns the changes of earlier parts of the run whose outcome is not known. */
  #readUnknown(): Map<string, number[]> {
    const unknown = new Map<string, number[]>()
    for (const row of this.#sql('select id, place, kind, action, name from changes where outcome is null').all()) {
      const key = keyOf(row)
      unknown.set(key, [...(unknown.get(key) ?? []), Number(row['id'])])
    }
    return unknown
  }

  /** Returns the changes of the run so far, in the order in which they were sent. */
  changes(): NotedChange[] {
    this.#write(false, () => undefined)
    return this.#sql('select * from changes order by id').all().map(changeOf)
  }

  /**
   * Notes changes that are about to be sent, waits for the disk, and returns their ids. Each stands for the same change of
   * an earlier part of the run whose outcome is not known, and has its id.
   */
  intend(changes: readonly RecordedChange[]): number[] {
    return this.#write(true, () => {
      const unknown = (this.#unknown ??= this.#readUnknown())
      const insert = this.#sql(
        'insert into changes (id, place, kind, action, record_id, parents, name, before, after) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      return changes.map(({ place, kind, action, recordId, parents, name, before, after }) => {
        const key = keyOf({ place, kind, action, name })
        const same = unknown.get(key) ?? []
        for (const id of same) this.#sql('delete from changes where id = ?').run(id)
        unknown.delete(key)
        const values = [place, kind, action, recordId ?? null, toText(parents), name, toText(before), toText(after)]
        return Number(insert.run(same[0] ?? null, ...values).lastInsertRowid)
      })
    })
  }

  /** Notes that a change is another one than was intended, as its record has changed since; waits for the disk. */
  amend(id: number, { action, recordId, before, after }: RecordedChange): void {
    this.#write(true, () =>
      this.#sql('update changes set action = ?, record_id = ?, before = ?, after = ? where id = ?').run(
        action,
        recordId ?? null,
        toText(before),
        toText(after),
        id,
      ),
    )
  }

  /**
   * Notes what became of a change, undefined where that is still not known. It is written with the next changes, or when the
   * record is closed: an outcome that is lost is found out again.
   */
  settle(id: number, outcome: ChangeOutcome | undefined, noted: Noted = {}): void {
    this.#waiting.push([id, outcome, noted])
    if (this.#waiting.length >= WAITING) this.#write(false, () => undefined)
  }

  /** Notes entries before they or their KPI are deleted, or entries before a target is written onto them; waits for the disk. */
  noteEntries(change: number, entries: readonly NotedEntry[]): void {
    this.#write(true, () => {
      const insert = this.#sql(
        'insert into entries (change, kpi, user, source, day, actual, target, notes) values (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      for (const { kpi_id, user_id, source_id, entry_date, actual, target, notes } of entries) {
        const values = [actual === null ? null : String(actual), target === null ? null : String(target), notes]
        insert.run(change, kpi_id, user_id, source_id, entry_date, ...values)
      }
      // Keep what an earlier part of the run was to delete and has not: it is there still.
      this.#sql(NOTED_AGAIN).run(change, change)
    })
  }

  /** Takes out the notes of entries that a change has left as they were after all, told by their places among those noted. */
  keepNoted(change: number, isChanged: (at: number) => boolean): void {
    this.#write(false, () => {
      const remove = this.#sql('delete from entries where id = ?')
      for (const [at, { id }] of this.#sql('select id from entries where change = ? order by id').all(change).entries())
        if (!isChanged(at)) remove.run(Number(id))
    })
  }

  /** Yields the entries that were deleted, or whose KPIs were, some at a time. */
  entries(most: number): Generator<NotedEntry[]> {
    return this.#entriesWhere(OF_DELETED, most)
  }

  /** Yields the entries onto which the run wrote a target, for changes that are taken back, some at a time. */
  keptEntries(most: number): Generator<NotedEntry[]> {
    this.#write(false, () => undefined)
    return this.#entriesWhere(`not ${OF_DELETED} and ${OF_TAKEN_BACK}`, most)
  }

  *#entriesWhere(which: string, most: number): Generator<NotedEntry[]> {
    const select = this.#sql(`select * from entries where id > ? and ${which} order by id limit ?`)
    for (let after = 0; ;) {
      const rows = select.all(after, most)
      if (rows.length === 0) return
      after = Number(rows.at(-1)?.['id'])
      yield rows.map(entryOf)
    }
  }

  /** Counts the entries that were deleted, or whose KPIs were. */
  countEntries(): number {
    return Number(this.#sql(`select count(*) as count from entries where ${OF_DELETED}`).get()?.['count'] ?? 0)
  }

  /** Counts the entries onto which the run wrote a target. */
  countKept(): number {
    return Number(this.#sql(`select count(*) as count from entries where not ${OF_DELETED}`).get()?.['count'] ?? 0)
  }

  /** Notes at once what became of changes that created records: a run that is continued must know them for its own. */
  settleAll(outcomes: readonly (readonly [id: number, outcome: ChangeOutcome, noted: Noted])[]): void {
    this.#waiting.push(...outcomes)
    this.#write(false, () => undefined)
  }

  /** Takes out changes that were not sent after all. */
  withdraw(ids: readonly number[]): void {
    if (ids.length === 0) return
    this.#write(false, () => {
      for (const id of ids) {
        this.#sql('delete from changes where id = ?').run(id)
        this.#sql('delete from entries where change = ?').run(id)
      }
    })
  }

  /** Takes out a record that was created beside one of another machine, and is removed. */
  disown(kind: string, recordId: number): void {
    this.#write(false, () =>
      this.#sql("delete from changes where action = 'create' and kind = ? and record_id = ?").run(kind, recordId),
    )
  }

  /** Closes the record as it is. */
  leave(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    if (this.#waiting.length > 0) this.#write(false, () => undefined)
    this.#file.close()
  }

  /** Notes that an undo has taken back all that can be. */
  noteTakenBack(at: number): void {
    this.#write(true, () => writeHead(this.#file, { ...this.head, takenBackAt: at }))
  }

  /**
   * Closes the record; returns true if an undo could take something back. A whole run is kept under its name; one that was
   * cut off stays where the same command finds it. A record without changes is removed, as is that of a whole run of which
   * all was refused.
   */
  close({ isWhole, now = 0 }: { readonly isWhole: boolean; readonly now?: number }): boolean {
    if (!this.#isOpen) return false
    this.#isOpen = false
    const { receipt } = this
    if (!this.#has(isWhole ? "where outcome is null or outcome <> 'refused'" : '')) {
      this.#file.remove()
      return false
    }
    if (isWhole && this.head.endedAt === undefined)
      this.#file.write(true, () => writeHead(this.#file, { ...this.head, endedAt: now }))
    this.#file.close()
    if (isWhole && this.#path !== undefined && this.#path.endsWith(OPEN)) moveToName(this.#path, this.head, this.#kept)
    return receipt !== null
  }
}

const [OPEN, ENDED] = ['.open.run', '.run']

const moveToName = (path: string, { name }: RunHead, kept: string): void => {
  const move = kept === dirname(path) ? moveInPlace : moveFile
  move(path, join(kept, `${name}${ENDED}`))
}

const isHead = (value: unknown): value is RunHead =>
  typeof value === 'object' && value !== null && 'command' in value && 'service' in value && 'beganAt' in value

const headOf = (file: SealedFile, path: string): RunHead => {
  const head = headIn(file)
  if (isHead(head)) return head
  file.close()
  throw new KpiError('unusable', `${path} is no record of a run; move it away`)
}

/**
 * Opens the record of a run in a folder, which another process cannot open meanwhile; in memory if there is no folder. One that
 * was cut off is continued; `identity` tells the same run from others, and `kept` is the folder of those that have ended.
 */
export const openRun = (folder: string | undefined, identity: string, head: RunHead, kept = folder): RunRecord => {
  const path = folder === undefined ? undefined : join(folder, `${identity}${OPEN}`)
  const file = openSealedFile(path, FORMAT, head)
  const found = path === undefined ? head : headOf(file, path)
  const run = new RunRecord(file, path, found, kept)
  if (path === undefined || !run.isOver) return run
  // Begin anew after a run that ended and was cut off before it got its name, or that was taken back since.
  run.leave()
  moveToName(path, found, kept ?? dirname(path))
  return openRun(folder, identity, head, kept)
}

/** Opens the record of a run at a path. */
export const openRunAt = (path: string): RunRecord => {
  const file = findSealedFile(path, FORMAT)
  return new RunRecord(file, path, headOf(file, path))
}

/** Reads the head of the record at a path; undefined if it is in use, or cannot be read. */
export const readHead = (path: string): RunHead | undefined => {
  try {
    const run = openRunAt(path)
    run.leave()
    return run.head
  } catch (error) {
    if (error instanceof KpiError) return undefined
    throw error
  }
}

/** Returns the paths of the records of runs in a folder. */
export const runPaths = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(ENDED))
        .map((name) => join(folder, name))
    : []

/** Returns the name of a run by the path of its record; undefined for one that was cut off, whose head says it. */
export const nameOfPath = (path: string): string | undefined =>
  path.endsWith(OPEN) ? undefined : basename(path, ENDED)
