import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { ResourceClient } from '../../../client/operations/collection.ts'
import { type AnyRecord, fieldsShownOf, type Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { resolveRecordId } from '../../args/names.ts'
import type { Act } from '../../cli.ts'
import { printsList, printsOne } from '../../output/printed.ts'
import { emptyBecause, tellEmpty } from '../../output/short-answer.ts'
import { addCreate } from './create.ts'
import { addDelete } from './delete.ts'
import { addListOptions, addNameOptions, listView, nameRecords } from './list-options.ts'
import { createNames } from './reference-names.ts'
import { addParentFlag, type SampleRecord, commandName, parentId, type Samples } from './samples.ts'
import type { TargetWatch } from '../targets/target-flags.ts'
import { addUpdate } from './update.ts'

/** Returns how there comes to be a first record, where the command line can create one. */
const firstOf = (of: Resource): string | undefined => {
  if (!of.verbs.includes('add')) return undefined
  const demo = of.name === 'kpi' ? 'kpi demo shows what an account with data is like; ' : ''
  return `${demo}create one with: kpi ${commandName(of)} create`
}

/** Adds `list`, which prints all records of a resource. */
export const addList = (
  group: Command,
  act: Act,
  of: Resource,
  list: (client: Client, parent?: number) => Promise<readonly AnyRecord[]>,
  { list: sample, below }: Pick<Samples, 'list' | 'below'>,
): void => {
  const bare = group.command('list').description('list all')
  addParentFlag(bare, below)
  const command = addNameOptions(addListOptions(bare))
  addExamples(command, `${commandName(of)} list ${sample}`, `${commandName(of)} list -o json`)
  printsList(command, of)
  act(command, async (cli, _, options) => {
    const { columns, select } = listView(of, options, cli.printing().format)
    const { shown, records } = await cli.withClient({ of, verb: 'list' }, async (client) => {
      const names = createNames(client)
      const selected = await select(await list(client, await parentId(client, below, options)), names)
      return { shown: await names.inUnits(columns, cli.printing()), records: selected }
    })
    await cli.printMany(shown, records)
    if (records.length === 0) await tellEmpty(cli, of, emptyBecause(options), firstOf(of))
  })
}

/** Adds `get`, which prints one record by id or name; `shownBy` gives the fields for each variant. */
export const addGet = (
  group: Command,
  act: Act,
  of: Resource,
  get: (client: Client, id: number, parent?: number) => Promise<AnyRecord>,
  {
    name: sample,
    ids: [id] = [1, 2],
    below,
    shownBy = () => of,
  }: SampleRecord & { readonly shownBy?: (client: Client) => Resource },
): void => {
  const command = addNameOptions(
    group.command('get').description(`show one ${of.title}`).argument('<name>', 'id or name'),
  )
  addParentFlag(command, below)
  addExamples(command, `${commandName(of)} get ${sample}`, `${commandName(of)} get ${id} -o json`)
  printsOne(command, of)
  act(command, async (cli, [name], flags) => {
    const { shown, records } = await cli.withClient({ of, verb: 'get' }, async (client) => {
      const parent = await parentId(client, below, flags)
      const record = await get(client, await resolveRecordId(client, of, name, parent), parent)
      const own = shownBy(client)
      return nameRecords(client, own, [record], { ...flags, fields: fieldsShownOf(own, [record]) }, cli.printing())
    })
    for (const record of records) await cli.printOne({ shown }, record)
  })
}

/** Adds all five verbs of a resource; `watch` follows its updates. */
export const addAllVerbs = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client, parent?: number) => Omit<ResourceClient<R>, 'addEach'>,
  samples: Samples & { readonly watch?: TargetWatch },
): void => {
  addList(group, act, of, (client, parent) => collection(client, parent).list(), samples)
  addGet(group, act, of, (client, id, parent) => collection(client, parent).get(id), samples)
  addCreate(group, act, of, collection, samples)
  addUpdate(group, act, of, collection, samples)
  addDelete(group, act, of, collection, samples)
}
