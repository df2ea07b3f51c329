import type { Client } from '../../src/client/client.ts'
import type { Way } from './service.ts'

/**
 * A client of a way that does everything: what its variant leaves to the application is done by the application, on the
 * same account. What is left to it is in the list of differences.
 */
export const wholeClient = ({ client, application }: Way): Client => {
  if (client.variant === 'classic') return client
  const { groups, groupItems, userGroupItems, assignments, users } = application
  const { list, get } = client.users
  return { ...client, groups, groupItems, userGroupItems, assignments, users: { ...users, list, get } }
}
