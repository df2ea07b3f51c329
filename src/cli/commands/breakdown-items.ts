import type { Command } from 'commander'
import { type BreakdownItem, breakdownItem } from '../../domain/resources/breakdown-item.ts'
import { asPatch } from '../../domain/schema.ts'
import type { Act, Register } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { addFlags, type FieldFlag, mustBeRight, readPlainFlags } from '../flags.ts'
import { addCreate } from '../verbs/create.ts'
import { addDelete } from '../verbs/delete.ts'
import { addGet } from '../verbs/get.ts'
import { addListOptions, applyListOptions, chooseColumns } from '../verbs/list-options.ts'
import type { Samples } from '../verbs/samples.ts'
import { addUpdate } from '../verbs/update.ts'

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
    addListOptions(command),
    `breakdown-items list ${SAMPLES.list}`,
    'breakdown-items list --sort name -o json',
  )
  act(command, async (cli, _, options) => {
    const columns = chooseColumns(breakdownItem, options, cli.printing().format)
    const { breakdown_id: breakdownId, is_archived: archived } = asPatch(
      breakdownItem,
      mustBeRight(await readPlainFlags(FILTERS, options)),
    )
    const records = await cli.withClient({ of: breakdownItem, verb: 'list' }, (client) =>
      client.breakdownItems.list({ breakdownId, archived }),
    )
    await cli.printMany(columns, applyListOptions<BreakdownItem>(breakdownItem, records, options))
  })
}

/** `kpi breakdown-items …` */
export const breakdownItems: Register = (group, act) => {
  addListCommand(group, act)
  addGet(group, act, breakdownItem, (client, id) => client.breakdownItems.get(id), SAMPLES)
  addCreate(group, act, breakdownItem, (client) => client.breakdownItems, SAMPLES)
  addUpdate(group, act, breakdownItem, (client) => client.breakdownItems, SAMPLES)
  addDelete(group, act, breakdownItem, (client, id) => client.breakdownItems.remove(id), SAMPLES)
}
