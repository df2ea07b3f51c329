import type { Command } from 'commander'
import type { Client, Collection } from '../../client/client.ts'
import { asPatch, type Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import { UsageError } from '../exit.ts'
import { addFieldFlags, fieldsFromFlags } from '../flags.ts'
import { resolveRecordId } from '../names.ts'

/** `update`: changes the fields of one that are given as flags. */
export const addUpdate = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client) => Pick<Collection<R>, 'update'>,
): void => {
  const command = group
    .command('update')
    .description(`change a ${of.title}; an empty value clears a field`)
    .argument('<name>', 'id or name')
  act(addFieldFlags(command, of, 'update'), async (cli, [name = ''], flags) => {
    const record = await cli.withClient(async (client) => {
      const fields = await fieldsFromFlags(client, of, flags)
      if (Object.keys(fields).length === 0) throw new UsageError('nothing to change was given; --help shows the flags')
      return collection(client).update(await resolveRecordId(client, of, name), asPatch(of, fields))
    })
    await cli.printOne(of, record)
  })
}
