import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { resolveRecordId } from '../names.ts'

/** `get`: one of a resource, by id or name. */
export const addGet = (
  group: Command,
  act: Act,
  of: Resource,
  get: (client: Client, id: number) => Promise<AnyRecord>,
  sample: string,
): void => {
  const command = group.command('get').description(`show one ${of.title}`).argument('<name>', 'id or name')
  addExamples(command, `${of.plural} get ${sample}`, `${of.plural} get 1 -o json`)
  act(command, async (cli, [name = '']) => {
    const record = await cli.withClient(async (client) => get(client, await resolveRecordId(client, of, name)))
    await cli.printOne(of, record)
  })
}
