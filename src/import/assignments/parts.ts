import { createHash } from 'node:crypto'
import { desiredLink, readLinks } from '../../changes/from/links.ts'
import type { Account } from '../../changes/records/access.ts'
import type { Desired } from '../../changes/records/desired.ts'
import type { Snapshot } from '../../changes/records/snapshot.ts'
import type { Named } from '../../client/directory.ts'
import { Aborted } from '../../client/transport.ts'
import type { CheckedRows } from './check.ts'
import type { AssignmentRow } from './rows.ts'

/** Returns what rows say, in their order; an empty cell says nothing. */
export const desiredOf = (rows: readonly AssignmentRow[]): Desired[] =>
  rows.map(({ user, kpi, target, place }, at) =>
    desiredLink('assignment', { user, id: kpi }, at + 1, {
      ...(target !== undefined && { user_target: target }),
      ...(place !== undefined && { sort_order: place }),
    }),
  )

/** Identifies what rows say, however their file is written. */
export const fingerprintOf = (rows: readonly AssignmentRow[]): string => {
  const hash = createHash('sha256')
  for (const { line, user, kpi, target, place } of rows) hash.update(`${line} ${user} ${kpi} ${target} ${place}\n`)
  return hash.digest('hex')
}

/** Sets of how many users the assignments are read, a request each, before theirs are sent. */
const USERS_OF_PART = 10

/** Splits what rows say into parts of a few users; the assignments of these are read when their turn comes. */
export const partsOf = (
  account: Account,
  { rows, reference: { users, kpis } }: Pick<CheckedRows, 'rows' | 'reference'>,
  open: readonly Desired[],
  signal: AbortSignal,
): { readonly desired: readonly Desired[]; readonly look: () => Promise<Snapshot> }[] => {
  const rowOf = ({ line }: Desired): AssignmentRow | undefined => rows[line - 1]
  const named = (known: ReadonlyMap<number, Named>, ids: readonly (number | undefined)[]): Named[] =>
    [...new Set(ids)].flatMap((id) => (id === undefined ? [] : (known.get(id) ?? { id, name: '' })))
  const byUser = [...Map.groupBy(open, (one) => rowOf(one)?.user)]
  return Array.from({ length: Math.ceil(byUser.length / USERS_OF_PART) }, (_, at) => {
    const part = byUser.slice(at * USERS_OF_PART, (at + 1) * USERS_OF_PART)
    const desired = part.flatMap(([, own]) => own)
    const look = (): Promise<Snapshot> => {
      if (signal.aborted) throw new Aborted('stopped')
      const [whose, what] = [part.map(([user]) => user), desired.map((one) => rowOf(one)?.kpi)]
      return readLinks(account, 'assignment', named(users.byId, whose), named(kpis.byId, what))
    }
    return { desired, look }
  })
}
