import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import { addExamples } from '../examples.ts'
import type { FieldFlag } from '../flags.ts'
import { addBelow, parentOf } from './below.ts'
import { addListOptions, applyListOptions, chooseColumns } from './list-options.ts'
import { commandOf } from './samples.ts'

/** `list`: all of a resource. */
export const addList = (
  group: Command,
  act: Act,
  of: Resource,
  list: (client: Client, parent?: number) => Promise<readonly AnyRecord[]>,
  sample: string,
  below?: FieldFlag,
): void => {
  const command = group.command('list').description('list all')
  addBelow(command, below)
  addExamples(addListOptions(command), `${commandOf(of)} list ${sample}`, `${commandOf(of)} list -o json`)
  act(command, async (cli, _, options) => {
    const columns = chooseColumns(of, options, cli.printing().format)
    const records = await cli.withClient({ of, verb: 'list' }, async (client) =>
      list(client, await parentOf(client, below, options)),
    )
    await cli.printMany(columns, applyListOptions(of, records, options))
  })
}
