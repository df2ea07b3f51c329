import { KpiError } from '../../domain/errors.ts'
import { fullName, type User, user } from '../../domain/resources/user.ts'
import type { Reader } from '../../store/db.ts'
import { users as store } from '../../store/tables/users.ts'
import { collection } from '../collection.ts'
import { requireFound } from '../context.ts'

const label = (of: User): string => `user ${of.id} (${fullName(of)})`

const requireAnotherActiveUser = async (tx: Reader, account: number, of: User, act: string): Promise<void> => {
  if (of.user_status_id === 'A' && !(await store.othersActive(tx, account, of.id))) {
    throw new KpiError('conflict', `${label(of)} is the last active user and cannot be ${act}`)
  }
}

/** Manages the people of an account. */
export const users = collection(user, store, 'items', {
  unshown: async ({ password }) => {
    if (password === undefined || password === null) return { password_hash: null }
    const { hashPassword } = await import('../accounts/secrets.ts')
    return { password_hash: await hashPassword(password) }
  },
  clashes: async (tx, account, sent, before) => {
    const holder = sent.email === undefined ? undefined : await store.findByEmail(tx, account, sent.email)
    if (!holder || holder.id === before?.id) return []
    return [{ field: 'email', message: `${sent.email ?? ''} is the e-mail address of ${label(holder)} already` }]
  },
  mayChange: async (tx, account, before, after) => {
    if (after.user_status_id === 'L') await requireAnotherActiveUser(tx, account, before, 'locked')
  },
  mayRemove: async (tx, account, record) => {
    await requireAnotherActiveUser(tx, account, record, 'deleted')
    if (await store.hasEntries(tx, account, record.id)) {
      throw new KpiError('conflict', `${label(record)} has entries and cannot be deleted; lock the user instead`)
    }
  },
})

/** Throws if there is no user with this id. */
export const requireUser = async (tx: Reader, account: number, id: number): Promise<void> => {
  requireFound(await store.find(tx, account, id), user.title, id)
}
