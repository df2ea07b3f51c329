import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { ResourceClient } from '../../../client/operations/collection.ts'
import { expectObject, type Json, readJson, readPatch } from '../../../codec/json.ts'
import { Fault } from '../../../domain/errors.ts'
import {
  type AnyRecord,
  asPatch,
  type Field,
  type Patch,
  type ParsedFields,
  type Resource,
} from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import {
  addFieldFlags,
  addFromJson,
  type FieldFlag,
  fieldFlags,
  type FlagValues,
  requireNoFaults,
  readFlags,
} from '../../args/flags.ts'
import { resolveRecordId } from '../../args/names.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printsOneOrList } from '../../output/printed.ts'
import { createNames } from './reference-names.ts'
import { addParentFlag, commandName, parentId, type Samples } from './samples.ts'
import { printSent, sendEach } from './send-each.ts'

/** Describes a change to one record; without an id it is the one that the line names. */
type Change<R> = { readonly id: number | undefined; readonly patch: Patch<R> }

const ID: Field = { kind: 'integer', about: 'Which one it is' }

const readChange = <R extends Resource>(of: R, body: Json, isNamed: boolean): ParsedFields<Change<R>> => {
  const { values, issues } = readPatch(of, body, true)
  const patch = asPatch(of, values)
  if (isNamed) return { values: { patch }, issues }
  const id = readJson(ID, expectObject(body)['id'] ?? null, true)
  if (typeof id === 'number') return { values: { id, patch }, issues }
  const message = id instanceof Fault ? id.message : `is required: it says which ${of.title} to change`
  return { values: {}, issues: [{ field: 'id', message }, ...issues] }
}

const objectsFromJson = async (cli: Cli, path: string, name: string | undefined): Promise<readonly object[]> => {
  const { readObjects } = await import('../../args/json-input.ts')
  const bodies = await readObjects(cli, path)
  if (name !== undefined && bodies.length !== 1) {
    throw new UsageError(`${bodies.length} objects cannot all change ${name}; leave the name out and give each its id`)
  }
  return bodies
}

const changesFromJson = async <R extends Resource>(
  client: Client,
  of: R,
  bodies: readonly object[],
  name: string | undefined,
): Promise<Change<R>[]> => {
  const [{ readBodies }, { createCompletion }] = await Promise.all([
    import('../../args/json-input.ts'),
    import('./complete-body.ts'),
  ])
  const read = (body: Json): ParsedFields<Change<R>> => readChange(of, body, name !== undefined)
  const changes = await readBodies(bodies, of, createCompletion(of, createNames(client)), read)
  return changes.map(({ id, patch }) => ({ id, patch: patch ?? asPatch(of, {}) }))
}

const changeFromFlags = async <R extends Resource>(client: Client, of: R, flags: FlagValues): Promise<Change<R>> => {
  const fields = requireNoFaults(await readFlags(client, fieldFlags(of), flags))
  if (Object.keys(fields).length === 0) throw new UsageError('nothing to change was given; --help shows the flags')
  return { id: undefined, patch: asPatch(of, fields) }
}

/** Looks after what follows from changes to records: its own flags, what to do before each change, and what to say. */
export type UpdateWatch<R extends Resource> = {
  readonly addFlags: (command: CommandUnknownOpts) => void
  readonly open: (cli: Cli, client: Client, flags: object, signal: AbortSignal) => Promise<OpenWatch<R>>
}

type OpenWatch<R extends Resource> = {
  readonly before: (id: number, patch: Patch<R>) => Promise<void>
  readonly tell: () => Promise<void>
}

/** Adds `update`, which changes the fields of one record that are given as flags, or of many from JSON. */
export const addUpdate = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client, parent?: number) => Pick<ResourceClient<R>, 'update'>,
  samples: Samples,
  below?: FieldFlag,
  watch?: UpdateWatch<R>,
): void => {
  const bare = group
    .command('update')
    .description(`change a ${of.title}; an empty value clears a field`)
    .argument('[name]', 'id or name; leave it out if --from-json gives ids')
  addParentFlag(bare, below)
  const command = addFromJson(addFieldFlags(bare, of, 'update'), of)
  watch?.addFlags(command)
  addExamples(
    command,
    `${commandName(of)} update ${samples.name} ${samples.update}`,
    `${commandName(of)} update --from-json changes.json`,
  )
  printsOneOrList(command, of)
  act(command, async (cli, [name], flags) => {
    const needs = { of, verb: 'update' } as const
    cli.requireCapabilities(needs)
    const path = flags.fromJson
    if (name === undefined && path === undefined) throw new UsageError(`say which ${of.title} to change, by id or name`)
    const bodies = path === undefined ? undefined : await objectsFromJson(cli, path, name)
    const signal = cli.io.interruption()
    const work = async (client: Client): Promise<void> => {
      const changes = bodies
        ? await changesFromJson(client, of, bodies, name)
        : [await changeFromFlags(client, of, flags)]
      const parent = await parentId(client, below, flags)
      const named = name === undefined ? undefined : await resolveRecordId(client, of, name, parent)
      const { update } = collection(client, parent)
      const watching = await watch?.open(cli, client, flags, signal)
      const send = async ({ id: given = NaN, patch }: Change<R>): Promise<AnyRecord> => {
        const id = named ?? given
        await watching?.before(id, patch)
        return update(id, patch)
      }
      const sent = await sendEach(changes, send, { signal })
      await watching?.tell()
      await printSent(cli, client, of, sent, 'updated')
    }
    await cli.withClient(needs, work, bodies || watch ? { signal } : undefined)
  })
}
