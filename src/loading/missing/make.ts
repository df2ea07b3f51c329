import type { CreationLog } from '../../runs/entries/receipt-writer.ts'
import type { KindName } from '../../changes/records/kind-fields.ts'
import { KpiError } from '../../domain/errors.ts'
import { noteCreated } from '../undo/note-created.ts'
import { desiredOfEntries, desiredUser, readHeld } from './desired-of-plan.ts'
import { ensure, type Ensured, type Ensuring, isByIdAlone, orStopped } from './ensure.ts'
import type { RealIds } from '../../reading/directory/missing.ts'
import type { MissingPlan } from '../../reading/missing/plan-missing.ts'

/** Returns the ids of the records of a kind by the provisional ones. */
const idsOf = (all: readonly Ensured[], kind: KindName): Map<number, number> =>
  new Map(
    all.flatMap(({ desired, record }): [number, number][] => {
      if (desired.kind.name !== kind) return []
      if (record.id !== undefined) return [[desired.line, record.id]]
      throw new KpiError('unavailable', `"${record.name}" was created, and the service does not list it`)
    }),
  )

/** Names the kinds whose records rows refer to. */
const OF_ROWS: ReadonlySet<KindName> = new Set(['kpi', 'group_item', 'user'])

const create = async (making: Ensuring, plan: MissingPlan): Promise<RealIds> => {
  const { account } = making
  const snapshot = await readHeld(account, plan)
  const users = await ensure(making, snapshot, plan.users.map(desiredUser))
  const others = await ensure(making, snapshot, desiredOfEntries(snapshot, plan, isByIdAlone(account)))
  const ofRows = [...users, ...others].filter(({ desired }) => OF_ROWS.has(desired.kind.name))
  return {
    users: idsOf(users, 'user'),
    items: idsOf(others, 'group_item'),
    kpis: idsOf(others, 'kpi'),
    areOwn: ofRows.every(({ isOwn }) => isOwn),
  }
}

/**
 * Creates what is missing: users first, then what their entries are of. Running it again creates only what is not there yet.
 */
export const createMissingThings = async (
  { log, ...making }: Omit<Ensuring, 'run'> & { readonly log: CreationLog },
  plan: MissingPlan,
): Promise<RealIds> => {
  const ids = await create({ ...making, run: noteCreated(log) }, plan).catch(orStopped)
  log.settle()
  return ids
}
