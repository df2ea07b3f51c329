import { randomBytes } from 'node:crypto'
import { makeSecret } from '../../../src/service/accounts/secrets.ts'
import { users } from '../../../src/store/tables/users.ts'
import { makeKey, type Service } from '../service.ts'
import type { World } from './world.ts'

/** A key that nobody has. */
const NOBODYS = makeSecret('key', randomBytes)

const isWorld = (service: Service): service is World => 'account' in service

/** The key of a service, or one of the user of this login name; nobody's where there is no such user. */
export const keyOf = async (service: Service, login?: string): Promise<string> => {
  if (login === undefined) return service.key
  if (!isWorld(service)) throw new Error('the service has no account of its own')
  const { db, account } = service
  const user = await db.read((tx) => users.findByEmail(tx, account.id, login))
  return user ? makeKey(db, account, { user_id: user.id, name: login }) : NOBODYS
}
