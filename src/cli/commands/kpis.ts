import { kpi } from '../../domain/resources/kpi.ts'
import type { Register } from '../cli.ts'
import { addAllVerbs } from '../verbs/all.ts'

/** `kpi kpis …` */
export const kpis: Register = (group, act) => {
  addAllVerbs(group, act, kpi, (client) => client.kpis)
}
