import { category } from '../../domain/resources/category.ts'
import { frequency } from '../../domain/resources/frequency.ts'
import { icon } from '../../domain/resources/icon.ts'
import { unit } from '../../domain/resources/unit.ts'
import type { Register } from '../cli.ts'
import { addAllVerbs } from '../verbs/all.ts'
import { addList } from '../verbs/list.ts'

/** `kpi categories …` */
export const categories: Register = (group, act) => {
  addAllVerbs(group, act, category, (client) => client.categories)
}

/** `kpi units …` */
export const units: Register = (group, act) => {
  addAllVerbs(group, act, unit, (client) => client.units)
}

/** `kpi frequencies …` */
export const frequencies: Register = (group, act) => {
  addList(group, act, frequency, (client) => client.frequencies.list())
}

/** `kpi icons …` */
export const icons: Register = (group, act) => {
  addList(group, act, icon, (client) => client.icons.list())
}
