import { category } from '../../domain/resources/category.ts'
import { frequency } from '../../domain/resources/frequency.ts'
import { icon } from '../../domain/resources/icon.ts'
import { unit } from '../../domain/resources/unit.ts'
import type { Register } from '../cli.ts'
import { addAllVerbs } from '../verbs/all.ts'
import { addList } from '../verbs/list.ts'

/** `kpi categories …` */
export const categories: Register = (group, act) => {
  addAllVerbs(group, act, category, (client) => client.categories, {
    name: 'General',
    create: '--name Sales',
    update: '--name Company',
    list: '--sort name',
  })
}

/** `kpi units …` */
export const units: Register = (group, act) => {
  addAllVerbs(group, act, unit, (client) => client.units, {
    name: 'Number',
    create: '--name Hours --display-format "#.00 h"',
    update: '--display-format "#.0"',
    list: '--filter is_percentage=false',
  })
}

/** `kpi frequencies …` */
export const frequencies: Register = (group, act) => {
  addList(group, act, frequency, (client) => client.frequencies.list(), '--columns id')
}

/** `kpi icons …` */
export const icons: Register = (group, act) => {
  addList(group, act, icon, (client) => client.icons.list(), '--limit 5')
}
