import type { Instant } from '../domain/day.ts'
import { category } from '../domain/resources/category.ts'
import { group } from '../domain/resources/group.ts'
import { unit } from '../domain/resources/unit.ts'
import { type User, user } from '../domain/resources/user.ts'
import { completeRecord, type Patch } from '../domain/schema.ts'
import { categories, units } from '../store/catalog.ts'
import { takeIds } from '../store/counters.ts'
import type { Writer } from '../store/db.ts'
import { table } from '../store/table.ts'
import { users } from '../store/users.ts'

const UNITS = [
  { name: 'Number', entry_format: '#', display_format: '#', is_percentage: false },
  { name: 'Decimal', entry_format: '#.00', display_format: '#.00', is_percentage: false },
  { name: 'Percent', entry_format: '#.00', display_format: '#.00%', is_percentage: true },
  { name: 'Currency', entry_format: '#.00', display_format: '£ #.00', is_percentage: false },
]

/** The first user of an account, who logs in with the e-mail address. */
export type FirstUser = Pick<User, 'email'> & Pick<Patch<typeof user>, 'first_name' | 'last_name'>

/** What a new account starts with (decisions, section 3). */
export const seedAccount = async (tx: Writer, account: number, first: FirstUser, now: Instant): Promise<void> => {
  const stamp = { created_at: now, updated_at: now }
  const breakdowns = table('breakdowns', group)
  const people = await takeIds(tx, account, 'breakdowns')
  await breakdowns.insert(tx, account, { id: people, name: 'People', sort_order: 1, ...stamp })
  const { email, first_name = 'Admin', last_name = null } = first
  const admin = { user_type: 'Admin', user_status_id: 'A', first_name, last_name, email }
  const rights = { can_manage_users: true, can_admin_settings: true }
  const id = await takeIds(tx, account, 'items')
  await users.insert(tx, account, completeRecord(user, { ...admin, ...rights }, { id, ...stamp }), {
    password_hash: null,
  })
  const general = await takeIds(tx, account, 'categories')
  await categories.insert(
    tx,
    account,
    completeRecord(category, { name: 'General', sort_order: 1 }, { id: general, ...stamp }),
  )
  for (const draft of UNITS) {
    const unitId = await takeIds(tx, account, 'units')
    await units.insert(tx, account, completeRecord(unit, draft, { id: unitId, ...stamp }))
  }
}
