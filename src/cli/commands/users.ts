import { user } from '../../domain/resources/user.ts'
import type { Register } from '../cli.ts'
import { addAllVerbs } from '../verbs/all.ts'

/** `kpi users …` */
export const users: Register = (group, act) => {
  addAllVerbs(group, act, user, (client) => client.users)
}
