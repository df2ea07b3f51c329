import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { ResourceClient } from '../../../client/operations/collection.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import type { FieldFlag } from '../../args/flags.ts'
import { resolveRecordId, resolveRecordIds } from '../../args/names.ts'
import type { Act } from '../../cli.ts'
import { addCreate } from './create.ts'
import { addListOptions, applyListOptions, chooseColumns } from './list-options.ts'
import { addParentFlag, type SampleRecord, commandName, parentId, type Samples } from './samples.ts'
import { addUpdate } from './update.ts'

/** Adds `delete`, which removes records once that is confirmed. */
export const addDelete = (
  group: Command,
  act: Act,
  of: Resource,
  remove: (client: Client, id: number, parent?: number) => Promise<void>,
  { name: sample, ids = [1, 2] }: SampleRecord,
  below?: FieldFlag,
): void => {
  const command = group
    .command('delete')
    .description(['delete one or more, by id or name', of.removal].filter(Boolean).join(', '))
    .argument('<names...>', 'ids or names')
    .option('-y, --yes', 'do not ask')
  addParentFlag(command, below)
  addExamples(command, `${commandName(of)} delete ${sample}`, `${commandName(of)} delete ${ids.join(' ')} --yes`)
  act(command, async (cli, [names], flags) => {
    const needs = { of, verb: 'remove' } as const
    cli.requireCapabilities(needs)
    const { requireConfirmation } = await import('../../args/prompt.ts')
    await requireConfirmation(
      cli,
      flags.yes,
      ['delete', of.title, names.join(', '), of.removal].filter(Boolean).join(' '),
    )
    await cli.withClient(needs, async (client) => {
      const parent = await parentId(client, below, flags)
      for (const id of await resolveRecordIds(client, of, names, parent)) {
        await remove(client, id, parent)
        await cli.note(`deleted ${of.title} ${id}`)
      }
    })
  })
}

/** Adds `list`, which prints all records of a resource. */
export const addList = (
  group: Command,
  act: Act,
  of: Resource,
  list: (client: Client, parent?: number) => Promise<readonly AnyRecord[]>,
  sample: string,
  below?: FieldFlag,
): void => {
  const bare = group.command('list').description('list all')
  addParentFlag(bare, below)
  const command = addListOptions(bare)
  addExamples(command, `${commandName(of)} list ${sample}`, `${commandName(of)} list -o json`)
  act(command, async (cli, _, options) => {
    const columns = chooseColumns(of, options, cli.printing().format)
    const records = await cli.withClient({ of, verb: 'list' }, async (client) =>
      list(client, await parentId(client, below, options)),
    )
    await cli.printMany(columns, applyListOptions(of, records, options))
  })
}

/** Adds `get`, which prints one record by id or name; `shownBy` gives the fields for each variant. */
export const addGet = (
  group: Command,
  act: Act,
  of: Resource,
  get: (client: Client, id: number, parent?: number) => Promise<AnyRecord>,
  { name: sample, ids: [id] = [1, 2] }: SampleRecord,
  below?: FieldFlag,
  shownBy: (client: Client) => Resource = () => of,
): void => {
  const command = group.command('get').description(`show one ${of.title}`).argument('<name>', 'id or name')
  addParentFlag(command, below)
  addExamples(command, `${commandName(of)} get ${sample}`, `${commandName(of)} get ${id} -o json`)
  act(command, async (cli, [name], flags) => {
    const [shown, record] = await cli.withClient({ of, verb: 'get' }, async (client) => {
      const parent = await parentId(client, below, flags)
      return [shownBy(client), await get(client, await resolveRecordId(client, of, name, parent), parent)] as const
    })
    await cli.printOne(shown, record)
  })
}

/** Adds all five verbs of a resource; `below` is the flag that names its parent, where it has one. */
export const addAllVerbs = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client, parent?: number) => Omit<ResourceClient<R>, 'addEach'>,
  samples: Samples,
  below?: FieldFlag,
): void => {
  addList(group, act, of, (client, parent) => collection(client, parent).list(), samples.list, below)
  addGet(group, act, of, (client, id, parent) => collection(client, parent).get(id), samples, below)
  addCreate(group, act, of, collection, samples, below)
  addUpdate(group, act, of, collection, samples, below)
  addDelete(group, act, of, (client, id, parent) => collection(client, parent).remove(id), samples, below)
}
