import { kpi } from '../../domain/resources/kpi.ts'
import type { Register } from '../cli.ts'
import { addAllVerbs } from '../verbs/all.ts'

/** `kpi kpis …` */
export const kpis: Register = (group, act) => {
  addAllVerbs(group, act, kpi, (client) => client.kpis, {
    name: 'Revenue',
    create: '--name Sales --frequency D --target-default 100',
    update: '--target-default 120',
    list: '--filter is_active=true --sort name',
  })
}
