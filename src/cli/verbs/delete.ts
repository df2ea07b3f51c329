import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { resolveRecordIds } from '../names.ts'

/** `delete`: removes some, once that is confirmed. */
export const addDelete = (
  group: Command,
  act: Act,
  of: Resource,
  remove: (client: Client, id: number) => Promise<void>,
  sample: string,
): void => {
  const command = group
    .command('delete')
    .description(['delete some, by id or name', of.removal].filter(Boolean).join(', '))
    .argument('<names...>', 'ids or names')
    .option('-y, --yes', 'do not ask')
  addExamples(command, `${of.plural} delete ${sample}`, `${of.plural} delete 1 2 --yes`)
  act(command, async (cli, names, { yes }) => {
    const { mustBeWanted } = await import('../prompt.ts')
    await mustBeWanted(cli, yes, ['delete', of.title, names.join(', '), of.removal].filter(Boolean).join(' '))
    await cli.withClient(async (client) => {
      for (const id of await resolveRecordIds(client, of, names)) {
        await remove(client, id)
        await cli.note(`deleted ${of.title} ${id}`)
      }
    })
  })
}
