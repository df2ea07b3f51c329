import type { Issue } from '../domain/errors.ts'
import { type Assignment, assignment } from '../domain/resources/assignment.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import { faultsOfUserTarget, missing } from '../domain/rules.ts'
import { completeRecord, type Stored } from '../domain/schema.ts'
import { assignments as store } from '../store/assignments.ts'
import type { Reader } from '../store/db.ts'
import { kpis } from '../store/kpis.ts'
import { users } from '../store/users.ts'
import { type Collection, differs, refuse } from './collection.ts'
import { found } from './context.ts'

const mustHaveUser = async (tx: Reader, account: number, user: number): Promise<void> => {
  found(await users.find(tx, account, user), 'user', user)
}

/** A target reads null while its KPI has none; what was stored comes back with a default (decisions, section 6). */
const shown = (record: Assignment, kpi: Pick<Kpi, 'target_default'> | undefined): Assignment =>
  kpi?.target_default === null ? { ...record, user_target: null } : record

const find = async (tx: Reader, account: number, user: number, id: number): Promise<Assignment> => {
  await mustHaveUser(tx, account, user)
  return found(await store.find(tx, account, user, id), `assignment of user ${user} to KPI`, id)
}

/** KPIs of a user: the parent is the user, the id is the KPI's. */
export const assignments: Required<Collection<typeof assignment>> = {
  list: ({ db, account }, { parent }) =>
    db.read(async (tx) => {
      await mustHaveUser(tx, account.id, parent)
      const records = await store.listOfUser(tx, account.id, parent)
      const known = await kpis.findMany(
        tx,
        account.id,
        records.map(({ id }) => id),
      )
      return records.map((record) => shown(record, known.get(record.id)))
    }),

  get: ({ db, account }, { parent, id }) =>
    db.read(async (tx) => {
      const record = await find(tx, account.id, parent, id)
      return shown(record, await kpis.find(tx, account.id, id))
    }),

  add: ({ db, account, now }, { parent }, sent) =>
    db.write(async (tx) => {
      await mustHaveUser(tx, account.id, parent)
      const { id, user_target } = sent.values
      const kpi = id === undefined ? undefined : await kpis.find(tx, account.id, id)
      const issues: Issue[] = [...sent.issues]
      if (id !== undefined && !kpi) issues.push(missing('id', 'KPI', id))
      if (kpi) issues.push(...faultsOfUserTarget(kpi, user_target))
      const taken = id !== undefined && (await store.find(tx, account.id, parent, id)) !== undefined
      refuse(issues, taken ? [{ field: 'id', message: `KPI ${id} is assigned to user ${parent} already` }] : [])
      const record = completeRecord(assignment, sent.values, { user_id: parent, created_at: now, updated_at: now })
      await store.insert(tx, account.id, record)
      return record
    }),

  update: ({ db, account, now }, { parent, id }, sent) =>
    db.write(async (tx) => {
      const before = await find(tx, account.id, parent, id)
      const kpi = found(await kpis.find(tx, account.id, id), 'KPI', id)
      const { user_target, ...values } = sent.values
      refuse([...sent.issues, ...faultsOfUserTarget(kpi, user_target)], [])
      // A hidden target reads null: sent back so, it stays what it is.
      const visible = kpi.target_default === null ? values : sent.values
      const after: Stored<typeof assignment> = {
        ...completeRecord(assignment, visible, before),
        id,
        user_id: parent,
      }
      if (!differs(before, after)) return shown(before, kpi)
      const changed = { ...after, updated_at: now }
      await store.update(tx, account.id, changed)
      return shown(changed, kpi)
    }),

  remove: ({ db, account }, { parent, id }) =>
    db.write(async (tx) => {
      await find(tx, account.id, parent, id)
      await store.remove(tx, account.id, parent, id)
    }),
}
