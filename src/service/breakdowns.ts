import { KpiError } from '../domain/errors.ts'
import { type Breakdown, breakdown } from '../domain/resources/breakdown.ts'
import { listBreakdowns } from '../store/breakdowns.ts'
import { PEOPLE } from '../store/users.ts'
import { type Context, found, type Ids } from './context.ts'
import { ownBreakdowns } from './groups.ts'

const idsOf = (id: number): Ids => ({ parent: 0, id, text: String(id) })

const mustNotBePeople = (id: number): void => {
  if (id !== PEOPLE) return
  throw new KpiError(
    'conflict',
    `breakdown ${PEOPLE} (People) is built in, and is neither renamed nor deleted; its items follow the users`,
  )
}

const list = ({ db, account }: Context): Promise<readonly Breakdown[]> =>
  db.read((tx) => listBreakdowns(tx, account.id))

const show = async (ctx: Context, id: number): Promise<Breakdown> =>
  found(
    (await list(ctx)).find((one) => one.id === id),
    breakdown.title,
    id,
  )

/** Breakdowns: the operator's work, by the rules of groups, as each but that of the people is one. */
export const breakdowns = {
  /** All of them, that of the people too, with how many items they have. */
  list,
  create: async (ctx: Context, name: string): Promise<Breakdown> => {
    const { id } = await ownBreakdowns.add(ctx, idsOf(0), { values: { name }, issues: [] })
    return show(ctx, id)
  },
  rename: async (ctx: Context, id: number, name: string): Promise<Breakdown> => {
    mustNotBePeople(id)
    await ownBreakdowns.update?.(ctx, idsOf(id), { values: { name }, issues: [] })
    return show(ctx, id)
  },
  remove: async (ctx: Context, id: number): Promise<Breakdown> => {
    mustNotBePeople(id)
    const before = await show(ctx, id)
    await ownBreakdowns.remove(ctx, idsOf(id))
    return before
  },
}
