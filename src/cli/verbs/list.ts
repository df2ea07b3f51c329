import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { addListOptions, applyListOptions, chooseColumns } from './list-options.ts'

/** `list`: all of a resource. */
export const addList = (
  group: Command,
  act: Act,
  of: Resource,
  list: (client: Client) => Promise<readonly AnyRecord[]>,
  sample: string,
): void => {
  const command = group.command('list').description('list all')
  addExamples(addListOptions(command), `${of.plural} list ${sample}`, `${of.plural} list -o json`)
  act(command, async (cli, _, options) => {
    const columns = chooseColumns(of, options, cli.printing().format)
    await cli.printMany(columns, applyListOptions(of, await cli.withClient(list), options))
  })
}
