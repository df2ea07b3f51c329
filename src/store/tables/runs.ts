import type { Instant } from '../../domain/day.ts'
import type { Reader, SqlInput, SqlRow, Writer } from '../db.ts'
import { IN_LIST, listOf } from './id-list.ts'

/** Names the rows of a run: its account and its id. */
export type RunName = { readonly account: number; readonly run: string }

/** Describes what is kept of a batch of a run. */
export type RunBatch = {
  /** Names the batch within the account: the revision of the entries that it wrote. */
  readonly revision: number
  /** Holds the id of the first entry that it created, or would have; the others follow it, and what it met has lower ones. */
  readonly firstId: number
  readonly created: number
  /** Lists the ids of created entries that an undo left alone; undefined while none has. */
  readonly leftIds: readonly number[] | undefined
  /** Holds the changes of entries that were there, as lines of text; undefined if there are none. */
  readonly changes: string | undefined
}

/** Describes ids of entries that a batch of a run created: some that follow each other. */
export type CreatedRange = Pick<RunName, 'run'> & Pick<RunBatch, 'revision' | 'firstId' | 'created'>

/** Tells whether an entry is one of those. */
export const isIn = ({ firstId, created }: CreatedRange, id: number): boolean => id >= firstId && id < firstId + created

/** Says what becomes of a run that is not kept any more: its batches are deleted a few at a time, then its row. */
const [DROPPED, KEPT] = [0, 1]

const readBatch = (row: SqlRow): RunBatch => ({
  revision: Number(row['revision']),
  firstId: Number(row['first_id']),
  created: Number(row['created']),
  leftIds: row['left_ids'] === null ? undefined : (JSON.parse(String(row['left_ids'])) as number[]),
  changes: row['changes'] === null ? undefined : String(row['changes']),
})

const OF_RUN = 'account_id = ? and run_id = ?'
const named = ({ account, run }: RunName): [number, string] => [account, run]

const valuesOf = ({ firstId, created, leftIds, changes }: RunBatch): SqlInput[] => [
  firstId,
  created,
  leftIds ? listOf(leftIds) : null,
  changes ?? null,
]

/** Reads and writes what runs have replaced, a row for each batch. */
export const runs = {
  /** Tells whether all that a run replaced is kept, or was taken back since. */
  isKept: async (tx: Reader, name: RunName): Promise<boolean> =>
    (await tx.all(`select 1 as one from runs where ${OF_RUN} and state = ${KEPT} and is_partial = 0`, named(name)))
      .length > 0,
  /** Returns the key that began a run, 0 for the token of the account; undefined if nothing is known of the run. */
  keyOf: async (tx: Reader, name: RunName): Promise<number | undefined> => {
    const [row] = await tx.all(`select key_id from runs where ${OF_RUN}`, named(name))
    return row && Number(row['key_id'])
  },
  /** Notes that a run writes, and how many bytes more are kept of it; returns the key that began it, and whether some was dropped. */
  note: async (
    tx: Writer,
    name: RunName,
    key: number,
    now: Instant,
    bytes: number,
  ): Promise<{ readonly owner: number; readonly isPartial: boolean }> => {
    const [row] = await tx.all(
      `insert into runs (account_id, run_id, key_id, last_at, bytes, state, is_partial) values (?, ?, ?, ?, ?, ${KEPT}, 0)
       on conflict (account_id, run_id) do update set last_at = excluded.last_at,
         bytes = case when runs.is_partial = 1 then 0 else runs.bytes + excluded.bytes end
       returning key_id, is_partial`,
      [...named(name), key, now, bytes],
    )
    return { owner: Number(row?.['key_id']), isPartial: row?.['is_partial'] === 1n }
  },
  /** Notes that more is kept of a run than before; returns false, and notes nothing, where nothing is kept of it. */
  grow: async (tx: Writer, name: RunName, bytes: number): Promise<boolean> =>
    (await tx.run(`update runs set bytes = bytes + ? where ${OF_RUN} and state = ${KEPT} and is_partial = 0`, [
      bytes,
      ...named(name),
    ])) > 0,
  /** Notes that less is kept of a run than before. */
  shrink: async (tx: Writer, name: RunName, bytes: number): Promise<void> => {
    await tx.run(`update runs set bytes = bytes - ? where ${OF_RUN}`, [bytes, ...named(name)])
    await runs.countBytes(tx, name, -bytes)
  },
  /** Changes how many bytes are kept of the runs of an account, and returns how many. */
  countBytes: async (tx: Writer, { account }: Pick<RunName, 'account'>, more: number): Promise<number> => {
    const [row] = await tx.all(
      `insert into counters (account_id, name, last) values (?, 'run_bytes', ?)
       on conflict (account_id, name) do update set last = counters.last + excluded.last returning last`,
      [account, more],
    )
    return Number(row?.['last'])
  },
  /** Drops a run: nothing of it is kept any more, nor of what it writes from now on. */
  drop: async (tx: Writer, name: RunName, bytes: number): Promise<void> => {
    await tx.run(`update runs set state = ${DROPPED}, is_partial = 1, bytes = 0 where ${OF_RUN}`, named(name))
    if (bytes > 0) await runs.countBytes(tx, name, -bytes)
  },
  bytesOf: async (tx: Reader, name: RunName): Promise<number> => {
    const [row] = await tx.all(`select bytes from runs where ${OF_RUN}`, named(name))
    return Number(row?.['bytes'] ?? 0)
  },
  /** Returns the run that wrote last longest ago, and more than nothing is kept of, besides one. */
  oldestWithBytes: async (
    tx: Reader,
    { account, run }: RunName,
  ): Promise<(RunName & { bytes: number }) | undefined> => {
    const [row] = await tx.all(
      `select run_id, bytes from runs where account_id = ? and state = ${KEPT} and bytes > 0 and run_id <> ?
       order by last_at limit 1`,
      [account, run],
    )
    return row && { account, run: String(row['run_id']), bytes: Number(row['bytes']) }
  },
  /**
   * Forgets what is not to be kept: at most `atMost` batches of a run that was dropped. Drops a run that wrote last before
   * an instant; of one that was dropped, and has no batches any more, only the row stays until then.
   */
  forget: async (tx: Writer, account: number, before: Instant, atMost: number): Promise<void> => {
    const [row] = await tx.all(
      `select run_id, state, last_at, bytes from runs where account_id = ? order by state, last_at limit 1`,
      [account],
    )
    if (!row) return
    const name = { account, run: String(row['run_id']) }
    const isExpired = Number(row['last_at']) < before
    if (Number(row['state']) === KEPT) {
      if (isExpired) await runs.drop(tx, name, Number(row['bytes']))
      return
    }
    const deleted = await tx.run(
      `delete from run_batches where account_id = ? and revision in (
         select revision from run_batches where account_id = ?1 and run_id = ? order by revision limit ?)`,
      [...named(name), atMost],
    )
    if (deleted === atMost) return
    if (isExpired) await tx.run(`delete from runs where ${OF_RUN}`, named(name))
    else await tx.run(`update runs set state = ${KEPT} where ${OF_RUN}`, named(name))
  },
}

/** Reads and writes what is kept of batches of runs. */
export const runBatches = {
  /** Returns the last batch of a run, or the last one before a revision. */
  last: async (tx: Reader, name: RunName, before = Number.MAX_SAFE_INTEGER): Promise<RunBatch | undefined> => {
    const [row] = await tx.all(
      `select revision, first_id, created, left_ids, changes from run_batches where ${OF_RUN} and revision < ?
       order by revision desc limit 1`,
      [...named(name), before],
    )
    return row && readBatch(row)
  },
  find: async (tx: Reader, { account, run }: RunName, revision: number): Promise<RunBatch | undefined> => {
    const [row] = await tx.all(
      `select revision, first_id, created, left_ids, changes from run_batches
       where account_id = ? and revision = ? and run_id = ?`,
      [account, revision, run],
    )
    return row && readBatch(row)
  },
  /** Returns which entries batches of a run created, of those that have some revisions, by these. */
  createdAt: async (
    tx: Reader,
    { account, run }: RunName,
    revisions: Iterable<number>,
  ): Promise<ReadonlyMap<number, CreatedRange>> => {
    const sql = `select revision, first_id, created from run_batches
      where account_id = ? and run_id = ? and revision ${IN_LIST}`
    const rows = await tx.all(sql, [account, run, listOf(revisions)])
    const ranges = rows.map((row) => ({ ...readBatch({ ...row, left_ids: null, changes: null }), run }))
    return new Map(ranges.map((range) => [range.revision, range]))
  },
  /** Counts the batches of a run before a revision. */
  count: async (tx: Reader, name: RunName, before: number): Promise<number> => {
    const sql = `select count(*) as total from run_batches where ${OF_RUN} and revision < ?`
    const [row] = await tx.all(sql, [...named(name), before])
    return Number(row?.['total'])
  },
  /** Returns the ids of all entries that runs created of which what they replaced is kept, in their order. */
  created: async (tx: Reader, account: number): Promise<readonly CreatedRange[]> => {
    const rows = await tx.all(
      `select b.revision, b.run_id, b.first_id, b.created, b.left_ids from run_batches b
       join runs r on r.account_id = ? and r.run_id = b.run_id
       where b.account_id = ?1 and r.state = ${KEPT} and r.is_partial = 0 and (b.created > 0 or b.left_ids is not null)`,
      [account],
    )
    const ranges = rows.flatMap((row): CreatedRange[] => {
      const { revision, firstId, created, leftIds } = readBatch({ ...row, changes: null })
      const of = { revision, run: String(row['run_id']) }
      return leftIds?.map((id) => ({ ...of, firstId: id, created: 1 })) ?? [{ ...of, firstId, created }]
    })
    return ranges.toSorted((one, other) => one.firstId - other.firstId)
  },
  /** Adds lines to the changes of a batch. */
  append: async (tx: Writer, { account }: RunName, revision: number, lines: string): Promise<void> => {
    await tx.run(`update run_batches set changes = coalesce(changes, '') || ? where account_id = ? and revision = ?`, [
      lines,
      account,
      revision,
    ])
  },
  /** Returns the runs whose batches have these revisions, by revision. */
  runsOf: async (tx: Reader, account: number, revisions: Iterable<number>): Promise<ReadonlyMap<number, string>> => {
    const sql = `select revision, run_id from run_batches where account_id = ? and revision ${IN_LIST}`
    const rows = await tx.all(sql, [account, listOf(revisions)])
    return new Map(rows.map((row) => [Number(row['revision']), String(row['run_id'])]))
  },
  insert: async (tx: Writer, { account, run }: RunName, batch: RunBatch): Promise<void> => {
    await tx.run(
      `insert into run_batches (account_id, revision, run_id, first_id, created, left_ids, changes)
       values (?, ?, ?, ?, ?, ?, ?)`,
      [account, batch.revision, run, ...valuesOf(batch)],
    )
  },
  update: async (tx: Writer, { account }: RunName, batch: RunBatch): Promise<void> => {
    await tx.run(
      `update run_batches set first_id = ?, created = ?, left_ids = ?, changes = ?
       where account_id = ? and revision = ?`,
      [...valuesOf(batch), account, batch.revision],
    )
  },
  remove: async (tx: Writer, { account }: RunName, revision: number): Promise<void> => {
    await tx.run('delete from run_batches where account_id = ? and revision = ?', [account, revision])
  },
}
