import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import { addExamples } from '../examples.ts'
import type { FieldFlag } from '../flags.ts'
import { resolveRecordIds } from '../names.ts'
import { addBelow, parentOf } from './below.ts'
import { type Called, commandOf } from './samples.ts'

/** `delete`: removes some, once that is confirmed. */
export const addDelete = (
  group: Command,
  act: Act,
  of: Resource,
  remove: (client: Client, id: number, parent?: number) => Promise<void>,
  { name: sample, ids = [1, 2] }: Called,
  below?: FieldFlag,
): void => {
  const command = group
    .command('delete')
    .description(['delete some, by id or name', of.removal].filter(Boolean).join(', '))
    .argument('<names...>', 'ids or names')
    .option('-y, --yes', 'do not ask')
  addBelow(command, below)
  addExamples(command, `${commandOf(of)} delete ${sample}`, `${commandOf(of)} delete ${ids.join(' ')} --yes`)
  act(command, async (cli, names, flags) => {
    const needs = { of, verb: 'remove' } as const
    cli.mustHave(needs)
    const { mustBeWanted } = await import('../prompt.ts')
    await mustBeWanted(cli, flags['yes'], ['delete', of.title, names.join(', '), of.removal].filter(Boolean).join(' '))
    await cli.withClient(needs, async (client) => {
      const parent = await parentOf(client, below, flags)
      for (const id of await resolveRecordIds(client, of, names, parent)) {
        await remove(client, id, parent)
        await cli.note(`deleted ${of.title} ${id}`)
      }
    })
  })
}
