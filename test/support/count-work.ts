import { statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'

/** The bytes of a frame of a WAL in which pages have 4096 bytes, and of its head. */
const [FRAME_BYTES, WAL_HEAD_BYTES] = [4096 + 24, 32]

/** What was done to the SQLite files of one kind while something ran in this process. */
export type FileWork = {
  /** How often each statement ran, but for those that begin and end transactions. */
  readonly statements: Map<string, number>
  /** How many transactions that may write were committed. */
  commits: number
  /** How many frames the log of a file grew by. */
  frames: number
  /** The last file of the kind. */
  path: string
}

/** Names what a file is by its ending: `.db` is the store. */
const kindOf = (path: string): string => extname(basename(path)).slice(1) || 'memory'

/** Counts the frames in the log of a file. */
const framesOf = (path: string): number => {
  const bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return Math.max(0, bytes - WAL_HEAD_BYTES) / FRAME_BYTES
}

const ENDS_OR_BEGINS = /^\s*(?:begin|commit|rollback)/i

const [database, statement] = [DatabaseSync.prototype, StatementSync.prototype]

/** The file of each statement that is prepared from here on: connections keep theirs, and use them again. */
const paths = new WeakMap<StatementSync, string>()
type Run = (this: StatementSync, ...values: unknown[]) => unknown
const methodOf = (of: object, name: string): unknown => Object.getOwnPropertyDescriptor(of, name)?.value
const prepare = methodOf(database, 'prepare') as (this: DatabaseSync, sql: string) => StatementSync
const exec = methodOf(database, 'exec') as (this: DatabaseSync, sql: string) => void
database.prepare = function (sql) {
  const made = prepare.call(this, sql)
  paths.set(made, this.location() ?? '')
  return made
}

const RUNS = ['run', 'get', 'all', 'iterate'] as const

/** Runs `work`, and counts what it does to SQLite files in this process, by the kind of file. */
export const countSqlite = async (work: () => Promise<unknown>): Promise<ReadonlyMap<string, FileWork>> => {
  const kinds = new Map<string, FileWork>()
  const before = new Map<string, number>()
  const workOn = (path: string): FileWork => {
    const known = kinds.get(kindOf(path)) ?? { statements: new Map<string, number>(), commits: 0, frames: 0, path }
    if (!before.has(path)) before.set(path, framesOf(path))
    known.path = path
    kinds.set(kindOf(path), known)
    return known
  }
  const note = (path: string, sql: string): void => {
    const done = workOn(path)
    if (/^\s*commit/i.test(sql)) {
      done.commits += 1
      done.frames = Math.max(done.frames, framesOf(path) - (before.get(path) ?? 0))
    }
    if (!ENDS_OR_BEGINS.test(sql)) done.statements.set(sql, (done.statements.get(sql) ?? 0) + 1)
  }
  const originals = RUNS.map((name) => [name, methodOf(statement, name) as Run] as const)
  database.exec = function (sql) {
    exec.call(this, sql)
    note(this.location() ?? '', sql)
  }
  for (const [name, run] of originals)
    Object.assign(statement, {
      [name](this: StatementSync, ...values: unknown[]) {
        const result = run.apply(this, values)
        note(paths.get(this) ?? '', this.sourceSQL)
        return result
      },
    })
  try {
    await work()
    return kinds
  } finally {
    database.exec = exec
    for (const [name, run] of originals) Object.assign(statement, { [name]: run })
  }
}

/** Counts the statements of all kinds that ran. */
export const statementsIn = ({ statements }: FileWork): number =>
  [...statements.values()].reduce((sum, times) => sum + times, 0)

/** Returns the steps in which SQLite reads all of a table, of the statements that ran at least so often. */
export const scansIn = ({ statements, path }: FileWork, least: number): string[] => {
  using file = new DatabaseSync(path, { readOnly: true })
  return [...statements]
    .filter(([sql, times]) => times >= least && /^\s*(?:select|insert|update|delete|with)/i.test(sql))
    .flatMap(([sql]) => {
      const steps = file.prepare(`explain query plan ${sql}`).all()
      const details = steps.map(({ detail }) => String(detail))
      // What is read whole may be a subquery, whose own steps are told as well.
      const made = new Set(details.flatMap((detail) => /^(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(detail)?.[1] ?? []))
      const scans = details.filter((detail) => {
        const [, name] = /^SCAN (\S+)/.exec(detail) ?? []
        return name !== undefined && !made.has(name) && !/^(?:json_each|CONSTANT|\d+-ROW)$/.test(name)
      })
      return scans.map((step) => `${step}: ${sql}`)
    })
}
