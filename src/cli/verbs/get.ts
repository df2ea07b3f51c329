import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import { addExamples } from '../examples.ts'
import type { FieldFlag } from '../flags.ts'
import { resolveRecordId } from '../names.ts'
import { addBelow, parentOf } from './below.ts'
import { type Called, commandOf } from './samples.ts'

/** `get`: one of a resource, by id or name; `shownBy` says how, where that is up to the variant. */
export const addGet = (
  group: Command,
  act: Act,
  of: Resource,
  get: (client: Client, id: number, parent?: number) => Promise<AnyRecord>,
  { name: sample, ids: [id] = [1, 2] }: Called,
  below?: FieldFlag,
  shownBy: (client: Client) => Resource = () => of,
): void => {
  const command = group.command('get').description(`show one ${of.title}`).argument('<name>', 'id or name')
  addBelow(command, below)
  addExamples(command, `${commandOf(of)} get ${sample}`, `${commandOf(of)} get ${id} -o json`)
  act(command, async (cli, [name = ''], flags) => {
    const [shown, record] = await cli.withClient({ of, verb: 'get' }, async (client) => {
      const parent = await parentOf(client, below, flags)
      return [shownBy(client), await get(client, await resolveRecordId(client, of, name, parent), parent)] as const
    })
    await cli.printOne(shown, record)
  })
}
