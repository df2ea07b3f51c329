import { user } from '../../domain/resources/user.ts'
import type { Register } from '../cli.ts'
import { addAllVerbs } from '../verbs/all.ts'

/** `kpi users …` */
export const users: Register = (group, act) => {
  addAllVerbs(group, act, user, (client) => client.users, {
    name: 'ann@example.com',
    create: '--first-name Joe --last-name Doe --email joe@example.com',
    update: '--user-status L',
    list: '--filter user_status_id=A --sort last_name',
  })
}
