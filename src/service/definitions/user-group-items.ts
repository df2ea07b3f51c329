import { USER_ITEMS_LIMIT } from '../../domain/limits.ts'
import { userGroupItem } from '../../domain/resources/groups.ts'
import { missingReference } from '../../domain/rules.ts'
import { groupItems } from '../../store/tables/groups.ts'
import { userItems as store } from '../../store/tables/item-sets.ts'
import { collection } from '../collection.ts'
import { requireUser } from './users.ts'

/** Manages the group items of a user: the parent is the user, the id is that of the group item. */
export const userGroupItems = collection(userGroupItem, store, 'sent', {
  above: {
    field: 'user_id',
    requireParent: requireUser,
    missing: (id, user) => `group item ${id} of user ${user}`,
  },
  fill: async (tx, account, { id }) => {
    const item = id === undefined ? undefined : await groupItems.findLinkable(tx, account, id)
    return { group_id: item?.groupId, group_name: item?.groupName, name: item?.name }
  },
  faults: async (tx, account, { id }) => {
    if (id === undefined) return []
    const item = await groupItems.findLinkable(tx, account, id)
    if (!item) return [missingReference('id', 'group item', id)]
    return item.isArchived ? [{ field: 'id', message: `group item ${id} (${item.name}) is archived` }] : []
  },
  clashes: async (tx, account, { id, user_id }) => {
    if (id === undefined || user_id === undefined) return []
    const taken = await store.find(tx, account, id, user_id)
    if (taken) return [{ field: 'id', message: `user ${user_id} has group item ${id} (${taken.name}) already` }]
    if ((await store.count(tx, account, user_id)) < USER_ITEMS_LIMIT) return []
    return [
      {
        field: 'id',
        message: `user ${user_id} has ${USER_ITEMS_LIMIT} group items, the most there may be; remove one first`,
      },
    ]
  },
})
