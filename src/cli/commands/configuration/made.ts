import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { KIND_NAMES, kindNamed, type KindName, sectionOf } from '../../../changes/records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../../../changes/records/snapshot.ts'
import { openSqlite } from '../../../files/sqlite-file.ts'
import type { RunHead } from '../../../runs/run-record.ts'
import type { Io } from '../../io.ts'
import { stateFolder } from '../../target/folders.ts'
import { readRuns } from '../../target/runs.ts'

/** Names something that an apply created: its kind, its id, the user that it belongs to, if it does, and when. */
export type Made = { readonly kind: KindName; readonly id: number; readonly user: number; readonly at: number }

/** Names a configuration, and the account that it was applied to. */
type Applied = Pick<RunHead, 'service' | 'account' | 'source'>

const isOf = (run: RunHead, { service, account, source }: Applied): boolean =>
  run.command === 'apply' && run.service === service && run.account === account && run.source === source

const NAME_LENGTH = 32

/** Reads what applies of a file created by the record that kpi kept before runs had one. */
const readOldRecord = (io: Io, { service, account, source }: Applied): Made[] => {
  const name = hash('sha256', JSON.stringify([service, account, source]), 'hex').slice(0, NAME_LENGTH)
  const path = join(stateFolder(io), 'applied', `${name}.db`)
  if (!existsSync(path)) return []
  const database = openSqlite(path, { readOnly: true })
  try {
    return database
      .prepare('select kind, id, user, at from made')
      .all()
      .flatMap((row) => {
        const kind = KIND_NAMES.find((one) => sectionOf(one) === row['kind'])
        return kind ? [{ kind, id: Number(row['id']), user: Number(row['user']), at: Number(row['at']) }] : []
      })
  } finally {
    database.close()
  }
}

const madeKey = ({ kind, id, user }: Omit<Made, 'at'>): string => `${kind} ${id} ${user}`

/** Returns what the applies of a file to an account created and have not deleted, so that `--prune` deletes nothing else. */
export const readMade = (io: Io, applied: Applied): Made[] => {
  const made = new Map(readOldRecord(io, applied).map((one) => [madeKey(one), one]))
  const runs = readRuns(io, (one) => isOf(one, applied))
  for (const change of runs.flatMap(({ changes }) => changes)) {
    const [kind, id] = [kindNamed(change.kind)?.name, change.recordId]
    if (kind === undefined || id === undefined) continue
    const one = { kind, id, user: change.parents['user_id'] ?? 0, at: change.changedAt ?? 0 }
    if (change.action === 'create' && change.outcome === 'done') made.set(madeKey(one), one)
    if (change.action === 'delete' && change.outcome === 'done') made.delete(madeKey(one))
  }
  return [...made.values()]
}

/** Returns the records of what was created that are still there; an id that was given anew is another record. */
export const recordsMade = (snapshot: Snapshot, made: readonly Made[]): AccountRecord[] => {
  const known = new Map(made.map((one) => [madeKey(one), one.at]))
  return [...new Set(made.map(({ kind }) => kind))].flatMap((kind) =>
    snapshot.ofKind(kind).filter(({ id = 0, above, stored }) => {
      const at = known.get(madeKey({ kind, id, user: above['user']?.id ?? 0 }))
      return at === 0 || at === Number(stored?.['created_at'] ?? 0)
    }),
  )
}
