import { KpiError } from '../../domain/errors.ts'
import type { Account } from '../../domain/resources/account.ts'
import { filledColumns, type Reader, type SqlList, type Writer } from '../db.ts'
import { accounts } from '../tables/accounts.ts'
import {
  createDigest,
  differingTables,
  digestAccount,
  digestTable,
  type NamedStore,
  selectWhole,
  type TableDigest,
  type WholeTable,
} from './table-digest.ts'
import { nameUnfinished, readUnfinished } from './unfinished-copy.ts'

/** Bounds about how many characters the rows of a transaction have. */
const LENGTH_OF_BLOCK = 8_000_000

/** Describes a run that works on unfinished copies in a store. */
export type TargetRun = {
  readonly target: NamedStore
  /** Names the store that is copied from. */
  readonly sourceName: string
  /** Lists the tables of the store, the one of accounts first. */
  readonly tables: readonly WholeTable[]
  /** Bounds the rows of a transaction. */
  readonly rowsPerBlock: number
  /** Identifies the run: a later one takes over its unfinished copies. */
  readonly id: string
  /** Called with the number of rows that were copied, or compared, since the last call; throws to stop the run. */
  readonly onRows: (doing: 'copied' | 'compared', count: number) => void
}

/** Describes a run that copies accounts from one store to another. */
export type CopyRun = TargetRun & { readonly source: NamedStore }

/** Thrown if an account changes in the source while it is copied. Its copy stays unfinished. */
export class SourceChanged extends Error {
  override readonly name = 'SourceChanged'
}

/** Thrown if the rows in the target are not the first ones of the source, because that has changed. */
class Outdated extends Error {}

type Named = Pick<Account, 'id' | 'name'>

const markerOf = ({ sourceName, id }: TargetRun, { name }: Named): string =>
  nameUnfinished({ account: name, run: id, source: sourceName })

const nameThere = async (tx: Reader, { id }: Named): Promise<string | undefined> => {
  const [row] = await tx.all('select name from accounts where id = ?', [id])
  return row && String(row['name'])
}

/** Refuses to go on if another run has taken over the copy. */
const requireOwn = async (tx: Reader, run: TargetRun, account: Named): Promise<void> => {
  if ((await nameThere(tx, account)) === markerOf(run, account)) return
  throw new KpiError(
    'locked',
    `another run is copying account ${account.name} to ${run.target.name}; let that one finish`,
  )
}

/** Writes to an unfinished copy, unless another run has taken it over. */
const writeOwn = <T>(run: TargetRun, account: Named, work: (tx: Writer) => Promise<T>): Promise<T> =>
  run.target.db.ofAccount(account.id).write(async (tx) => {
    await requireOwn(tx, run, account)
    return work(tx)
  })

/** Reads the row of an account, in the order of the columns of its table. */
const readRow = async (tx: Reader, table: WholeTable, { id, name }: Named): Promise<SqlList> => {
  const [row] = await tx.all(`select * from accounts where id = ?`, [id])
  if (row) return table.columns.map((column) => row[column.name] ?? null)
  throw new SourceChanged(`account ${name} is gone`)
}

/** Creates the row of an account that no client can use yet, or takes over the one of an earlier run. */
const begin = (run: CopyRun, table: WholeTable, account: Named, row: SqlList): Promise<void> =>
  run.target.db.write(async (tx) => {
    const [there, marker] = [await nameThere(tx, account), markerOf(run, account)]
    if (there === undefined) {
      const hidden: Readonly<Record<string, SqlList[number]>> = { name: marker, api_enabled: 0n, token_hash: null }
      const values = table.columns.map(({ name }, at) => (name in hidden ? hidden[name] : row[at]) ?? null)
      await tx.insertMany('accounts', 1, filledColumns(table.columns, [values]))
      const { skipAccountIds } = run.target.dialect
      if (skipAccountIds !== undefined) await tx.all(skipAccountIds)
    } else if (readUnfinished(there)?.account === account.name) {
      await tx.run('update accounts set name = ? where id = ?', [marker, account.id])
    } else {
      throw new KpiError(
        'conflict',
        `${run.target.name} has got an account ${there} with the id ${account.id}; nothing of it was changed`,
      )
    }
  })

/** Takes the id of an account in the target before anything of it is copied, so that no new account there gets it. */
export const reserveAccount = (run: CopyRun, account: Named): Promise<void> =>
  run.source.db.read(async (tx) => {
    const [table] = run.tables as [WholeTable]
    await begin(run, table, account, await readRow(tx, table, account))
  })

/** Copies the rows of a table that are not in the target yet; they follow the ones that are, in the order of the key. */
const copyTable = async (run: CopyRun, account: Named, tx: Reader, table: WholeTable): Promise<TableDigest> => {
  const { source, target, rowsPerBlock } = run
  const there = await target.db.readLong((reader) =>
    digestTable(reader, target, table, account.id, () => run.onRows('copied', 0)),
  )
  run.onRows('copied', there.rows)
  const digest = createDigest(table)
  const requirePrefix = (): void => {
    if (digest.rows() === there.rows && digest.value().digest !== there.digest) throw new Outdated()
  }
  let [block, length]: [SqlList[], number] = [[], 0]
  const write = async (): Promise<void> => {
    const rows = block
    ;[block, length] = [[], 0]
    const columns = filledColumns(table.columns, rows).slice(1)
    await writeOwn(run, account, (writer) => writer.insertMany(table.name, rows.length, columns, account.id))
    run.onRows('copied', rows.length)
  }
  await tx.each(selectWhole(table, source.dialect), [account.id], (row) => {
    requirePrefix()
    length += digest.add(row)
    if (digest.rows() > there.rows) block.push(row)
    else length = 0
    return block.length >= rowsPerBlock || length >= LENGTH_OF_BLOCK ? write() : undefined
  })
  requirePrefix()
  if (digest.rows() < there.rows) throw new Outdated()
  if (block.length > 0) await write()
  return digest.value()
}

/** Holds one snapshot of an account in the source, all of which is in the target. */
type Copied = { readonly row: SqlList; readonly digests: readonly TableDigest[] }

const copyRows = (run: CopyRun, account: Named): Promise<Copied> =>
  run.source.db.readLong(async (tx) => {
    const [first, ...others] = run.tables as [WholeTable, ...WholeTable[]]
    const row = await readRow(tx, first, account)
    await begin(run, first, account, row)
    const digests = [await digestTable(tx, run.source, first, account.id, () => undefined)]
    for (const table of others) digests.push(await copyTable(run, account, tx, table))
    return { row, digests }
  })

/** Deletes the rows of an unfinished copy, but for the row of the account. */
const deleteRows = async (run: TargetRun, account: Named): Promise<void> => {
  const { rowsPerBlock } = run
  for (const { name, key } of run.tables.slice(1).toReversed()) {
    const columns = key.join(', ')
    const sql = `delete from ${name} where account_id = ? and (${columns}) in (
      select ${columns} from ${name} where account_id = ?1 limit ${rowsPerBlock})`
    for (let deleted = rowsPerBlock; deleted >= rowsPerBlock;) {
      run.onRows('copied', 0)
      deleted = await writeOwn(run, account, (tx) => tx.run(sql, [account.id]))
    }
  }
}

/** Makes the copy an account that clients can use, in the state of the source. */
const publish = (run: CopyRun, account: Named, { row, digests }: Copied): Promise<void> =>
  run.target.db.write(async (tx) => {
    const [table] = run.tables as [WholeTable]
    await requireOwn(tx, run, account)
    if (await accounts.findByName(tx, account.name)) {
      throw new KpiError(
        'conflict',
        `${run.target.name} has got another account ${account.name} since the copy began; its copy stays unfinished`,
      )
    }
    // Leave the id as it is: a distributed database lets no statement set it.
    const sets = table.columns.slice(1).map(({ name }) => `${name} = ?`)
    await tx.run(`update accounts set ${sets.join(', ')} where id = ?`, [...row.slice(1), account.id])
    const published = await digestTable(tx, run.target, table, account.id, () => undefined)
    requireEqual(run, account, digests.slice(0, 1), [published])
  })

const requireEqual = (
  { target }: CopyRun,
  { name }: Named,
  digests: readonly TableDigest[],
  copied: readonly TableDigest[],
): void => {
  const [wrong] = differingTables(digests, copied)
  if (wrong === undefined) return
  throw new KpiError(
    'unusable',
    `the copy of account ${name} in ${target.name} differs from what was read, in the table ${wrong}; no client can use it, and the same command copies it anew`,
  )
}

/** Copies what is not in the target yet; begins anew if the source has changed since an earlier run. */
const copyOrBeginAnew = async (run: CopyRun, account: Named, onAnew: () => Promise<void>): Promise<Copied> => {
  try {
    return await copyRows(run, account)
  } catch (error) {
    if (!(error instanceof Outdated)) throw error
    await onAnew()
    await deleteRows(run, account)
    return await copyRows(run, account)
  }
}

/**
 * Copies an account with all that belongs to it: from one snapshot of the source, in blocks, under a name that no client
 * can use. Once the copy equals the snapshot, and the source still does, it gets its name, its token and its API, in one
 * transaction. A copy that stops at any moment is continued by the next run.
 */
export const copyAccount = async (
  run: CopyRun,
  account: Named,
  onAnew: () => Promise<void>,
): Promise<readonly TableDigest[]> => {
  const onRows = (count: number): void => run.onRows('compared', count)
  const copied = await copyOrBeginAnew(run, account, onAnew)
  const others = run.tables.slice(1)
  requireEqual(run, account, copied.digests.slice(1), await digestAccount(run.target, others, account.id, onRows))
  const changed = differingTables(copied.digests, await digestAccount(run.source, run.tables, account.id, onRows))
  if (changed.length > 0) {
    throw new SourceChanged(
      `account ${account.name} changed in ${run.source.name} while it was copied (${changed.join(', ')})`,
    )
  }
  await publish(run, account, copied)
  return copied.digests
}

/** Removes an unfinished copy. */
export const removeUnfinished = async (run: TargetRun, account: Named): Promise<void> => {
  await run.target.db.write((tx) =>
    tx.run('update accounts set name = ? where id = ?', [markerOf(run, account), account.id]),
  )
  await deleteRows(run, account)
  await writeOwn(run, account, (tx) => tx.run('delete from accounts where id = ?', [account.id]))
}
