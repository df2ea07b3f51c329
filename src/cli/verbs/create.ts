import type { Command } from 'commander'
import type { Client, Collection } from '../../client/client.ts'
import { readDraft } from '../../codec/json.ts'
import { refuseFaults } from '../../domain/errors.ts'
import { type AnyRecord, asDraft, type Draft, type Resource } from '../../domain/schema.ts'
import type { Act, Cli } from '../cli.ts'
import { addFieldFlags, addUsualFields, fieldsFromFlags } from '../flags.ts'
import { chooseColumns } from './list-options.ts'

/** Reads all drafts of a JSON file before the first is sent; all their faults are told at once. */
const draftsFromJson = async <R extends Resource>(of: R, cli: Cli, path: string): Promise<Draft<R>[]> => {
  const { readJsonInput } = await import('../json-input.ts')
  const bodies = await readJsonInput(cli.io, path)
  const readings = bodies.map((body) => readDraft(of, body, true))
  refuseFaults(
    readings.flatMap(({ issues }, index) =>
      bodies.length === 1 ? issues : issues.map((fault) => ({ index, ...fault })),
    ),
  )
  return readings.map(({ values }) => asDraft(of, values))
}

/** `create`: one from flags, or many from JSON. */
export const addCreate = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client) => Pick<Collection<R>, 'list' | 'add'>,
): void => {
  const command = group.command('create').description(`create a ${of.title}`)
  addFieldFlags(command, of, 'add')
  command.option('--from-json <file>', 'read one object, or an array of them, from a file or - for standard input')
  act(command, async (cli, _, flags) => {
    const path = flags['fromJson']
    const fromJson = typeof path === 'string' ? await draftsFromJson(of, cli, path) : undefined
    const records = await cli.withClient(async (client) => {
      const { add, list } = collection(client)
      const fromFlags = async (): Promise<Draft<R>[]> => {
        const fields = await fieldsFromFlags(client, of, flags)
        await addUsualFields(client, of, fields, list)
        return [asDraft(of, fields)]
      }
      const made: AnyRecord[] = []
      for (const draft of fromJson ?? (await fromFlags())) made.push(await add(draft))
      return made
    })
    const [only, second] = records
    if (only && !second) await cli.printOne(of, only)
    else await cli.printMany(chooseColumns(of, {}, cli.printing().format), records)
  })
}
