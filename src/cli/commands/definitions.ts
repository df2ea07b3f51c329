import type { Command } from '@commander-js/extra-typings'
import { everyGroupItem } from '../../client/operations/group-items.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { category, frequency, icon, unit } from '../../domain/resources/catalog.ts'
import { group, groupItem } from '../../domain/resources/groups.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { user } from '../../domain/resources/user.ts'
import { asPatch } from '../../domain/schema.ts'
import { addExamples } from '../args/examples.ts'
import { markFirst } from '../args/first-flags.ts'
import { addFlags, type FieldFlag, requireNoFaults, readPlainFlags } from '../args/flags.ts'
import type { Act, Register } from '../cli.ts'
import { printsList } from '../output/printed.ts'
import { addImport } from './definitions-import/command.ts'
import { addHandOver } from './hand-over/command.ts'
import { watchDefaults } from './targets/target-flags.ts'
import { addAllVerbs, addGet, addList } from './verbs/all.ts'
import { addCreate } from './verbs/create.ts'
import { addDelete } from './verbs/delete.ts'
import { addListOptions, addNameOptions, listView } from './verbs/list-options.ts'
import { createNames } from './verbs/reference-names.ts'
import type { Samples } from './verbs/samples.ts'
import { addUpdate } from './verbs/update.ts'

/** Registers `kpi users …` */
export const users: Register = (group, act) => {
  addAllVerbs(group, act, user, (client) => client.users, {
    name: 'ann@example.com',
    create: '--first-name Joe --last-name Doe --email joe@example.com',
    update: '--user-status L',
    list: '--filter user_status_id=A --sort last_name',
  })
  addImport(group, act, user, '--user-type Manager')
  addHandOver(group, act)
}

const KPI_SAMPLES = {
  name: 'Revenue',
  create: '--name Sales --frequency D --target-default 100',
  update: '--target-default 120 --from 2027-01-01',
  list: '--filter is_active=true --sort name',
}

/** Lists the flags of KPIs that people use first. */
const KPI_FIRST = [
  '--name',
  '--category',
  '--unit',
  '--frequency',
  '--target-default',
  '--value-direction',
  '--dry-run',
]

/** Registers `kpi kpis …` */
export const kpis: Register = (group, act) => {
  addAllVerbs(group, act, kpi, (client) => client.kpis, { ...KPI_SAMPLES, watch: watchDefaults })
  for (const command of group.commands.filter((one) => ['create', 'update'].includes(one.name())))
    markFirst(command, command.name() === 'update' ? [...KPI_FIRST, '--from'] : KPI_FIRST)
  addImport(group, act, kpi, '--frequency monthly --category General')
}

/** Registers `kpi groups …` */
export const groups: Register = (command, act) => {
  addAllVerbs(command, act, group, (client) => client.groups, {
    name: 'Team',
    ids: [3, 4],
    create: '--name Country',
    update: '--name Department',
    list: '--sort name',
  })
  addImport(command, act, group)
}

/** Registers `kpi group-items …` */
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
      below: { flag: 'group', name: 'group_id', field: groupItem.fields.group_id },
    },
  )
  addImport(command, act, groupItem, '--group Region')
}

/** Registers `kpi categories …` */
export const categories: Register = (group, act) => {
  addAllVerbs(group, act, category, (client) => client.categories, {
    name: 'General',
    create: '--name Sales',
    update: '--name Company',
    list: '--sort name',
  })
  addImport(group, act, category)
}

/** Registers `kpi units …` */
export const units: Register = (group, act) => {
  addAllVerbs(group, act, unit, (client) => client.units, {
    name: 'Number',
    create: '--name Hours --display-format "#.00 h"',
    update: '--display-format "#.0"',
    list: '--filter is_percentage=false',
  })
  addImport(group, act, unit)
}

/** Registers `kpi frequencies …` */
export const frequencies: Register = (group, act) => {
  addList(group, act, frequency, (client) => client.frequencies.list(), { list: '--columns id' })
}

/** Registers `kpi icons …` */
export const icons: Register = (group, act) => {
  addList(group, act, icon, (client) => client.icons.list(), { list: '--limit 5' })
}

const { breakdown_id, is_archived } = breakdownItem.fields
const FILTERS: readonly FieldFlag[] = [
  { flag: 'breakdown', name: 'breakdown_id', field: { ...breakdown_id, about: 'only of this breakdown, by id' } },
  {
    flag: 'archived',
    name: 'is_archived',
    field: { ...is_archived, about: 'only those that are archived, or are not' },
  },
]

const SAMPLES: Samples = {
  name: 'North',
  ids: [4, 5],
  create: '--breakdown 2 --name East',
  update: '--archived true',
  list: '--breakdown 2 --archived false',
}

const addListCommand = (group: Command, act: Act): void => {
  const command = addFlags(group.command('list').description('list all, people included'), FILTERS, 'update')
  addExamples(
    addNameOptions(addListOptions(command)),
    `breakdown-items list ${SAMPLES.list}`,
    'breakdown-items list --sort name -o json',
  )
  printsList(command, breakdownItem)
  act(command, async (cli, _, options) => {
    const { columns, select } = listView(breakdownItem, options, cli.printing().format)
    const { breakdown_id: breakdownId, is_archived: archived } = asPatch(
      breakdownItem,
      requireNoFaults(await readPlainFlags(FILTERS, options)),
    )
    const records = await cli.withClient({ of: breakdownItem, verb: 'list' }, async (client) =>
      select(await client.breakdownItems.list({ breakdownId, archived }), createNames(client)),
    )
    await cli.printMany(columns, records)
  })
}

/** Registers `kpi breakdown-items …` */
export const breakdownItems: Register = (group, act) => {
  addListCommand(group, act)
  addGet(group, act, breakdownItem, (client, id) => client.breakdownItems.get(id), SAMPLES)
  addCreate(group, act, breakdownItem, (client) => client.breakdownItems, SAMPLES)
  addUpdate(group, act, breakdownItem, (client) => client.breakdownItems, SAMPLES)
  addDelete(group, act, breakdownItem, (client) => client.breakdownItems, SAMPLES)
  addImport(group, act, breakdownItem, '--breakdown 2')
}
