import { everyGroupItem } from '../../client/group-items.ts'
import { group } from '../../domain/resources/group.ts'
import { groupItem } from '../../domain/resources/group-item.ts'
import type { Register } from '../cli.ts'
import { addAllVerbs } from '../verbs/all.ts'

/** `kpi groups …` */
export const groups: Register = (command, act) => {
  addAllVerbs(command, act, group, (client) => client.groups, {
    name: 'Team',
    ids: [3, 4],
    create: '--name Country',
    update: '--name Department',
    list: '--sort name',
  })
}

/** `kpi group-items …` */
export const groupItems: Register = (command, act) => {
  addAllVerbs(
    command,
    act,
    groupItem,
    (client, parent) => (parent === undefined ? everyGroupItem(client) : client.groupItems(parent)),
    {
      name: 'North',
      ids: [4, 5],
      under: '--group Region ',
      create: '--group Region --name East',
      update: '--name Northwest',
      list: '--group Region --sort name',
    },
    { flag: 'group', name: 'group_id', field: groupItem.fields.group_id },
  )
}
